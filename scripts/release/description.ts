/** The description of relay for every package, manifest and bundle. */
import { description, license, version } from '../../package.json' with { type: 'json' };
import { OWNER } from '../../src/domain/project.ts';
import { namesOf } from './names.ts';

const names = namesOf(OWNER);

export const PRODUCT = {
  name: 'relay',
  version,
  license,
  /** One line of at most 80 characters, the limit of Homebrew, without an article at the start or a full stop. */
  summary: 'Connects one Spotify account to AI clients through one local MCP endpoint',
  /** One line for lists of programs. */
  description,
  /** Paragraphs, for package managers. */
  longDescription: [
    'relay is a small server on your own computer that connects your Spotify account to AI clients such as Claude, ' +
      'Cursor and VS Code. They get tools to search the catalog, read and edit playlists and the library, work ' +
      'through long lists and control playback. All data stays on the computer.',
    'relay is an unofficial community project and is not affiliated with Spotify.',
  ],
  ...names,
  /** URL of this version's files. */
  downloads: `${names.home}/releases/download/v${version}`,
  /** URL of the newest version's files. */
  latest: `${names.home}/releases/latest/download`,
  publisher: 'The relay authors',
  /** Package managers for Linux require an address. Mail to a reserved domain goes nowhere. */
  maintainer: 'The relay authors <relay@relay.invalid>',
  keywords: ['mcp', 'spotify', 'playlists', 'music'],
} as const;

/** Optional settings that a client can ask the person for, by the name of the variable. */
export const USER_SETTINGS = [
  {
    env: 'PROVIDER_CLIENT_ID',
    id: 'client_id',
    type: 'string',
    title: 'Client ID of your Spotify app',
    description:
      'Optional. Without it, the first tool that needs your account answers with a link that asks for it.',
    fallback: '',
  },
  {
    env: 'RELAY_READ_ONLY',
    id: 'read_only',
    type: 'boolean',
    title: 'Read only',
    description: 'Leaves out all tools that change something.',
    fallback: false,
  },
] as const;

/** Name of a file of this version, for one target or the same for all targets. */
export function fileName(what: string): string {
  return `relay-${version}-${what}`;
}
