/**
 * The only list of tools. To add one, define it with `defineTool` in the file of its subject, export it, and run
 * `npm run gen`. Only a new file needs a line here.
 */
import * as bulkTools from './bulk/bulkTools.ts';
import * as catalogReading from './catalog/catalogReading.ts';
import * as trackMatching from './catalog/trackMatching.ts';
import * as diagnostics from './diagnostics.ts';
import * as jobTools from './jobTools.ts';
import * as listening from './listening.ts';
import * as playbackCommands from './playback/playbackCommands.ts';
import * as playbackReading from './playback/playbackReading.ts';
import * as playlistEditing from './playlists/playlistEditing.ts';
import * as playlistLookup from './playlists/playlistLookup.ts';
import * as playlistReading from './playlists/playlistReading.ts';
import * as playlistRewriting from './playlists/playlistRewriting.ts';
import * as savedTracks from './savedTracks.ts';
import { isTool, type Tool } from './tool.ts';

/** Subjects in the order of the reference, each with the files that define its tools. */
const SUBJECTS: Readonly<Record<string, readonly object[]>> = {
  catalog: [catalogReading, trackMatching],
  playlists: [playlistReading, playlistLookup, playlistEditing, bulkTools, playlistRewriting],
  library: [savedTracks],
  history: [listening],
  playback: [playbackReading, playbackCommands],
  jobs: [jobTools],
  diagnostics: [diagnostics],
};

export const TOOLS: readonly Tool[] = Object.values(SUBJECTS).flatMap((files) =>
  files.flatMap((exports) => Object.values(exports).filter(isTool)),
);
