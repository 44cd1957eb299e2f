/**
 * The only list of tools. To add one, define it with `defineTool` in the file of its subject, export it, and run
 * `npm run gen`. Only a new file needs a line here.
 */
import * as bulk from './bulk.ts';
import * as catalog from './catalog.ts';
import * as diagnostics from './diagnostics.ts';
import * as jobs from './jobs.ts';
import * as library from './library.ts';
import * as libraryEditing from './libraryEditing.ts';
import * as listening from './listening.ts';
import * as matching from './matching.ts';
import * as playback from './playback.ts';
import * as playbackCommands from './playbackCommands.ts';
import * as playlistEditing from './playlistEditing.ts';
import * as playlistLookup from './playlistLookup.ts';
import * as playlistRewriting from './playlistRewriting.ts';
import * as playlists from './playlists.ts';
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
