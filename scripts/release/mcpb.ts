/** The bundle that a client like Claude Desktop installs with a double click: https://github.com/modelcontextprotocol/mcpb */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { McpbManifestAny } from '@anthropic-ai/mcpb';
import { TOOLS } from '../../src/tools/index.ts';
import { SOURCE_DATE } from '../package/sourceDate.ts';
import type { Target } from '../package/targets.ts';
import { type ZipEntry, zipFile } from '../package/zipFile.ts';
import { PRODUCT, USER_SETTINGS } from './description.ts';
import { iconPng } from './icon.ts';

/** Returns the manifest. Its settings are all optional, since the tools themselves say if no account is connected. */
export function mcpbManifest(target: Target): McpbManifestAny {
  const program = `server/relay${target.suffix}`;
  return {
    manifest_version: '0.3',
    name: PRODUCT.name,
    display_name: 'relay for Spotify',
    version: PRODUCT.version,
    description: PRODUCT.description,
    long_description: PRODUCT.longDescription.join('\n\n'),
    author: { name: PRODUCT.publisher, url: PRODUCT.home },
    homepage: PRODUCT.home,
    icon: 'icon.png',
    server: {
      type: 'binary',
      entry_point: program,
      mcp_config: {
        command: `\${__dirname}/${program}`,
        args: ['stdio'],
        env: Object.fromEntries(USER_SETTINGS.map(({ env, id }) => [env, `\${user_config.${id}}`])),
      },
    },
    tools: TOOLS.map(({ name, title }) => ({ name, description: title })),
    keywords: [...PRODUCT.keywords],
    license: PRODUCT.license,
    compatibility: { platforms: [platformOf(target)] },
    user_config: Object.fromEntries(
      USER_SETTINGS.map(({ id, type, title, description, fallback }) => [
        id,
        { type, title, description, required: false, default: fallback },
      ]),
    ),
  };
}

/** @param texts paths of the licenses to include */
export async function mcpbFile(
  target: Target,
  executable: string,
  texts: readonly string[],
): Promise<Uint8Array> {
  const manifest = `${JSON.stringify(mcpbManifest(target), null, 2)}\n`;
  const entries: ZipEntry[] = [
    { path: 'manifest.json', content: Buffer.from(manifest), mode: 0o644 },
    { path: 'icon.png', content: iconPng(512), mode: 0o644 },
    { path: `server/relay${target.suffix}`, content: await readFile(executable), mode: 0o755 },
  ];
  for (const text of texts) {
    entries.push({ path: basename(text), content: await readFile(text), mode: 0o644 });
  }
  return zipFile(entries, SOURCE_DATE);
}

function platformOf({ host }: Target): 'linux' | 'darwin' | 'win32' {
  const platform = host.split('-')[0];
  if (platform === 'linux' || platform === 'darwin' || platform === 'win32') return platform;
  throw new Error(`There are no bundles for ${platform}`);
}
