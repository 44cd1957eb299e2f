/** The bundle that a client like Claude Desktop installs with a double click: https://github.com/modelcontextprotocol/mcpb */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { description, keywords, license, version } from '../../package.json' with { type: 'json' };
import { LEVEL_WORDS, LEVELS } from '../../src/domain/access.ts';
import { REPOSITORY } from '../../src/domain/project.ts';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { root } from '../bundle.ts';
import type { Packed } from './archive.ts';
import { programName, type Target } from './targets.ts';

const LONG_DESCRIPTION = `relay is a small server on your own computer that connects your Spotify account to AI clients. They get tools to search the catalog, read and edit playlists and the library, work through long lists and control playback. All data stays on the computer.

relay is an unofficial community project and is not affiliated with Spotify.`;

/** What the client asks for. All of it is optional, since the tools themselves say if no account is connected. */
const SETTINGS = {
  client_id: {
    type: 'string',
    title: 'Client ID of your Spotify app',
    description:
      'Optional. Without it, the first tool that needs your account answers with a link that asks for it.',
    required: false,
    default: '',
  },
  access: {
    type: 'string',
    title: 'What the assistant may do',
    description: LEVELS.map((level) => `${level}: ${LEVEL_WORDS[level].means}`).join('. '),
    required: false,
    default: 'everything',
  },
};

/** Returns the files of the bundle. */
export async function mcpbFiles(
  target: Target,
  executable: Buffer,
  texts: readonly Packed[],
): Promise<Packed[]> {
  const program = `server/${programName(target)}`;
  const manifest = {
    manifest_version: '0.3',
    name: 'relay',
    display_name: 'relay for Spotify',
    version,
    description,
    long_description: LONG_DESCRIPTION,
    author: { name: 'The relay authors' },
    ...(REPOSITORY && { homepage: `https://github.com/${REPOSITORY}` }),
    icon: 'icon.png',
    server: {
      type: 'binary',
      entry_point: program,
      mcp_config: {
        command: `\${__dirname}/${program}`,
        args: ['stdio'],
        env: {
          PROVIDER_CLIENT_ID: `\${user_config.client_id}`,
          RELAY_ACCESS: `\${user_config.access}`,
        },
      },
    },
    tools: ALL_TOOLS.map(({ name, title }) => ({ name, description: title })),
    keywords,
    license,
    compatibility: { platforms: [target.platform] },
    user_config: SETTINGS,
  };
  return [
    { path: 'manifest.json', content: Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`) },
    { path: 'icon.png', content: await readFile(join(root, 'scripts', 'package', 'icon.png')) },
    { path: program, content: executable, isProgram: true },
    ...texts,
  ];
}
