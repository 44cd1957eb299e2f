/** Manifests for package managers and registries. Pure: checksums in, files by name out. */
import { fileName, PRODUCT, USER_SETTINGS } from './description.ts';

/** SHA-256 in hexadecimal, by file name. */
export type Sums = Readonly<Record<string, string>>;

/** Returns the content of the files below `dist/release`, by path. */
export function manifests(sums: Sums): Record<string, string> {
  const folder = `winget/${PRODUCT.winget}/${PRODUCT.version}`;
  const winget = wingetManifests(sums);
  return {
    'homebrew/relay.rb': homebrewFormula(sums),
    'scoop/relay.json': json(scoopManifest(sums)),
    'server.json': json(registryServer(sums)),
    ...Object.fromEntries(winget.map(([name, content]) => [`${folder}/${name}`, yaml(content)])),
  };
}

function homebrewFormula(sums: Sums): string {
  const source = (target: string) => {
    const { url, sha256 } = download(sums, `${target}.tar.xz`);
    return `      url "${url}"\n      sha256 "${sha256}"`;
  };
  return `class Relay < Formula
  desc "${PRODUCT.summary}"
  homepage "${PRODUCT.home}"
  version "${PRODUCT.version}"
  license "${PRODUCT.license}"

  on_macos do
    on_arm do
${source('darwin-arm64')}
    end
    on_intel do
${source('darwin-x64')}
    end
  end

  on_linux do
    on_arm do
${source('linux-arm64')}
    end
    on_intel do
${source('linux-x64')}
    end
  end

  def install
    bin.install "relay"
    generate_completions_from_executable(bin/"relay", "completion")
  end

  service do
    run [opt_bin/"relay", "serve"]
    keep_alive successful_exit: false
    log_path var/"log/relay.log"
    error_log_path var/"log/relay.log"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/relay --version")
  end
end
`;
}

/** https://github.com/ScoopInstaller/Scoop/wiki/App-Manifests */
function scoopManifest(sums: Sums) {
  const { url, sha256 } = download(sums, 'win-x64.zip');
  return {
    version: PRODUCT.version,
    description: PRODUCT.summary,
    homepage: PRODUCT.home,
    license: PRODUCT.license,
    architecture: { '64bit': { url, hash: sha256, extract_dir: fileName('win-x64') } },
    bin: 'relay.exe',
  };
}

/** https://learn.microsoft.com/windows/package-manager/package/manifest: three files. */
function wingetManifests(sums: Sums): Array<[name: string, content: object]> {
  const { url, sha256 } = download(sums, 'win-x64.zip');
  const identity = { PackageIdentifier: PRODUCT.winget, PackageVersion: PRODUCT.version };
  const end = (type: string) => ({ ManifestType: type, ManifestVersion: '1.10.0' });
  const program = `${fileName('win-x64')}\\relay.exe`;
  return [
    [`${PRODUCT.winget}.yaml`, { ...identity, DefaultLocale: 'en-US', ...end('version') }],
    [
      `${PRODUCT.winget}.installer.yaml`,
      {
        ...identity,
        InstallerType: 'zip',
        NestedInstallerType: 'portable',
        NestedInstallerFiles: [{ RelativeFilePath: program, PortableCommandAlias: PRODUCT.name }],
        Installers: [{ Architecture: 'x64', InstallerUrl: url, InstallerSha256: sha256.toUpperCase() }],
        ...end('installer'),
      },
    ],
    [
      `${PRODUCT.winget}.locale.en-US.yaml`,
      {
        ...identity,
        PackageLocale: 'en-US',
        Publisher: PRODUCT.publisher,
        PackageName: PRODUCT.name,
        PackageUrl: PRODUCT.home,
        License: PRODUCT.license,
        ShortDescription: PRODUCT.summary,
        Description: PRODUCT.longDescription.join(' '),
        Tags: PRODUCT.keywords,
        ...end('defaultLocale'),
      },
    ],
  ];
}

const BUNDLES = ['darwin-arm64', 'darwin-x64', 'linux-x64', 'linux-arm64', 'win-x64'];

/** Returns the MCP registry's description of a server, with one bundle for each platform. */
function registryServer(sums: Sums) {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: PRODUCT.mcp,
    title: 'relay for Spotify',
    description: PRODUCT.summary,
    version: PRODUCT.version,
    websiteUrl: PRODUCT.home,
    packages: BUNDLES.map((target) => {
      const { url, sha256 } = download(sums, `${target}.mcpb`);
      return {
        registryType: 'mcpb',
        identifier: url,
        version: PRODUCT.version,
        fileSha256: sha256,
        transport: { type: 'stdio' },
        environmentVariables: USER_SETTINGS.map(({ env, description, type }) => ({
          name: env,
          description,
          isRequired: false,
          format: type,
        })),
      };
    }),
  };
}

function download(sums: Sums, what: string): { url: string; sha256: string } {
  const file = fileName(what);
  const sha256 = sums[file];
  if (sha256 === undefined) throw new Error(`${file} is not in SHA256SUMS`);
  return { url: `${PRODUCT.downloads}/${file}`, sha256 };
}

function json(content: object): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Returns YAML, as far as these files need it. Every JSON string is a YAML string too. */
function yaml(content: object): string {
  const lines = Object.entries(content).flatMap(([key, value]) =>
    Array.isArray(value) ? [`${key}:`, ...value.map(yamlItem)] : [`${key}: ${JSON.stringify(value)}`],
  );
  return `${lines.join('\n')}\n`;
}

function yamlItem(item: unknown): string {
  if (typeof item !== 'object' || item === null) return `- ${JSON.stringify(item)}`;
  const rows = Object.entries(item).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `- ${rows.join('\n  ')}`;
}
