/** What every package, manifest and bundle says of relay. They are all made from this. */
import { description, license, version } from '../../package.json' with { type: 'json' };
import { OWNER } from '../../src/domain/project.ts';
import { namesOf } from './names.ts';

const names = namesOf(OWNER);

export const PRODUCT = {
  name: 'relay',
  version,
  license,
  /** One line, at most 80 characters: Homebrew takes no more. It starts with no article and ends without a full stop. */
  summary: 'Connects one Spotify account to AI clients through one local MCP endpoint',
  /** One line with all that a list of programs must say. */
  description,
  /** Paragraphs, for package managers. */
  longDescription: [
    'relay is a small server on your own computer that connects your Spotify account to AI clients such as Claude, ' +
      'Cursor and VS Code. They get tools to search the catalog, read and edit playlists and the library, work ' +
      'through long lists and control playback. All data stays on the computer.',
    'relay is an unofficial community project and is not affiliated with Spotify.',
  ],
  ...names,
  /** Where the files of this version are. */
  downloads: `${names.home}/releases/download/v${version}`,
  /** Where the files of the newest version are. */
  latest: `${names.home}/releases/latest/download`,
  publisher: 'The relay authors',
  /** Package managers for Linux want an address; mail to a reserved name goes nowhere. */
  maintainer: 'The relay authors <relay@relay.invalid>',
  keywords: ['mcp', 'spotify', 'playlists', 'music'],
} as const;

/** What a person may give a client that starts relay, by the name of the variable. None has to be given. */
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

/** Name of the file of this version for a target, or of one that is the same for all. */
export function fileName(what: string): string {
  return `relay-${version}-${what}`;
}
