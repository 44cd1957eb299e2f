/**
 * The only list of tools. To add one, define it with `defineTool` in the file of its subject, export it, and run
 * `npm run gen`. Only a new file needs a line here.
 */
import * as bulk from './bulk/bulk.ts';
import * as catalog from './catalog/catalog.ts';
import * as matching from './catalog/matching.ts';
import * as diagnostics from './diagnostics.ts';
import * as listening from './history.ts';
import * as jobs from './jobs.ts';
import * as library from './library/library.ts';
import * as libraryEditing from './library/libraryEditing.ts';
import * as playback from './playback/playback.ts';
import * as playbackCommands from './playback/playbackCommands.ts';
import * as playlistEditing from './playlists/playlistEditing.ts';
import * as playlistLookup from './playlists/playlistLookup.ts';
import * as playlistRewriting from './playlists/playlistRewriting.ts';
import * as playlists from './playlists/playlists.ts';
import { isTool, type Tool } from './tool.ts';

/** Subjects in the order of the reference, each with the files that define its tools. */
const SUBJECTS: Readonly<Record<string, readonly object[]>> = {
  catalog: [catalog, matching],
  playlists: [playlists, playlistLookup, playlistEditing, bulk, playlistRewriting],
  library: [library, libraryEditing],
  history: [listening],
  playback: [playback, playbackCommands],
  jobs: [jobs],
  diagnostics: [diagnostics],
};

export const TOOLS: readonly Tool[] = Object.values(SUBJECTS).flatMap((files) =>
  files.flatMap((exports) => Object.values(exports).filter(isTool)),
);
