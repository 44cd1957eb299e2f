/**
 * What the published schemas say of the parts that our manifests use: facts, not copies. A field that is not listed is
 * refused, so that a new field is looked up first.
 */

/** ServerDetail in https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json (draft 7). */
export const REGISTRY_SERVER = closed(['$schema', 'name', 'description', 'version'], {
  $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
  name: text(3, 200, '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$'),
  title: text(1, 100),
  description: text(1, 100),
  version: text(1, 255),
  websiteUrl: { type: 'string', format: 'uri' },
  packages: {
    type: 'array',
    // The registry asks for the checksum where a package is a bundle, and for "mcp" in its address
    // (internal/validators/registries/mcpb.go in modelcontextprotocol/registry).
    items: closed(['registryType', 'identifier', 'fileSha256', 'transport'], {
      registryType: { const: 'mcpb' },
      identifier: { type: 'string', format: 'uri', pattern: '^https://.*mcp' },
      version: { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+(-[\\w.]+)?$' },
      fileSha256: { type: 'string', pattern: '^[a-f0-9]{64}$' },
      transport: closed(['type'], { type: { const: 'stdio' } }),
      environmentVariables: {
        type: 'array',
        items: closed(['name'], {
          name: { type: 'string' },
          description: { type: 'string' },
          isRequired: { type: 'boolean' },
          format: { enum: ['string', 'number', 'boolean', 'filepath'] },
        }),
      },
    }),
  },
});

const WINDOWS_NAME = String.raw`[^\\/:\*\?"<>\|\x01-\x1f]`;
const IDENTIFIER_PART = String.raw`[^\.\s\\/:\*\?"<>\|\x01-\x1f]{1,32}`;
const LOCALE = text(1, 20, '^([a-zA-Z]{2,3}|[iI]-[a-zA-Z]+|[xX]-[a-zA-Z]{1,8})(-[a-zA-Z]{1,8})*$');
const URL_ADDRESS = text(1, 2048, '^([Hh][Tt][Tt][Pp][Ss]?)://.+$');

/** schemas/JSON/manifests/v1.10.0 in microsoft/winget-cli: three files, by the end of their names. */
export const WINGET = {
  '.yaml': wingetFile('version', ['DefaultLocale'], { DefaultLocale: LOCALE }),
  '.installer.yaml': wingetFile('installer', ['Installers'], {
    InstallerType: {
      enum: ['msix', 'msi', 'appx', 'exe', 'zip', 'inno', 'nullsoft', 'wix', 'burn', 'pwa', 'portable'],
    },
    NestedInstallerType: {
      enum: ['msix', 'msi', 'appx', 'exe', 'inno', 'nullsoft', 'wix', 'burn', 'portable'],
    },
    NestedInstallerFiles: {
      type: 'array',
      maxItems: 1024,
      items: closed(['RelativeFilePath'], {
        RelativeFilePath: text(1, 512),
        PortableCommandAlias: text(1, 40),
      }),
    },
    Installers: {
      type: 'array',
      minItems: 1,
      maxItems: 1024,
      items: closed(['Architecture', 'InstallerUrl', 'InstallerSha256'], {
        Architecture: { enum: ['x86', 'x64', 'arm', 'arm64', 'neutral'] },
        InstallerUrl: URL_ADDRESS,
        InstallerSha256: { type: 'string', pattern: '^[A-Fa-f0-9]{64}$' },
      }),
    },
  }),
  '.locale.en-US.yaml': wingetFile(
    'defaultLocale',
    ['PackageLocale', 'Publisher', 'PackageName', 'License', 'ShortDescription'],
    {
      PackageLocale: LOCALE,
      Publisher: text(2, 256),
      PackageName: text(2, 256),
      PackageUrl: URL_ADDRESS,
      License: text(3, 512),
      ShortDescription: text(3, 256),
      Description: text(3, 10_000),
      Tags: { type: 'array', maxItems: 16, uniqueItems: true, items: text(1, 40) },
    },
  ),
};

/** schema.json in ScoopInstaller/Scoop, and the rules of https://github.com/ScoopInstaller/Scoop/wiki/App-Manifests. */
export const SCOOP = closed(['version', 'description', 'homepage', 'license', 'architecture', 'bin'], {
  version: { type: 'string', pattern: '^[\\w\\-.+_]+$' },
  description: { type: 'string' },
  homepage: { type: 'string', format: 'uri' },
  license: { type: 'string' },
  architecture: closed([], {
    '64bit': closed(['url', 'hash'], {
      url: { type: 'string', format: 'uri', not: { pattern: '\\$' } },
      hash: { type: 'string', pattern: '^[a-fA-F0-9]{64}$' },
      extract_dir: { type: 'string' },
    }),
  }),
  bin: { type: 'string' },
});

/** An object with these fields and no others. */
function closed(required: readonly string[], properties: object) {
  return { type: 'object', required, additionalProperties: false, properties };
}

function text(minLength: number, maxLength: number, pattern?: string) {
  return { type: 'string', minLength, maxLength, ...(pattern === undefined ? {} : { pattern }) };
}

function wingetFile(type: string, required: readonly string[], properties: object) {
  return closed(['PackageIdentifier', 'PackageVersion', 'ManifestType', 'ManifestVersion', ...required], {
    PackageIdentifier: text(1, 128, `^${IDENTIFIER_PART}(\\.${IDENTIFIER_PART}){1,7}$`),
    PackageVersion: text(1, 128, `^${WINDOWS_NAME}+$`),
    ...properties,
    ManifestType: { const: type },
    ManifestVersion: { const: '1.10.0' },
  });
}
