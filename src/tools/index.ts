/**
 * The only list of tools. To add a tool, define it with `defineTool` in the file of its subject and export it. Only a new file
 * needs a line here.
 */

import { groupsOf, TOOL_GROUPS, type ToolChoice, type ToolGroup } from '../domain/toolsets.ts';
import * as bulkTools from './bulk/bulkTools.ts';
import * as catalogReading from './catalog/catalogReading.ts';
import * as trackMatching from './catalog/trackMatching.ts';
import * as diagnostics from './diagnostics.ts';
import * as albums from './extras/albums.ts';
import * as changeTools from './extras/changeTools.ts';
import * as deletePlaylist from './extras/deletePlaylist.ts';
import * as editByQuery from './extras/editByQuery.ts';
import * as importList from './extras/importList.ts';
import * as keptPlaylists from './extras/keptPlaylists.ts';
import * as libraryQuestions from './extras/libraryQuestions.ts';
import * as player from './extras/player.ts';
import * as playlistVersions from './extras/playlistVersions.ts';
import * as savedAlbums from './extras/savedAlbums.ts';
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

/** The groups in the order of the reference, each with the files that define its tools. */
const SUBJECTS: Readonly<Record<ToolGroup, readonly object[]>> = {
  catalog: [catalogReading, trackMatching],
  playlists: [playlistReading, playlistLookup, playlistEditing, bulkTools, playlistRewriting],
  library: [savedTracks],
  history: [listening],
  playback: [playbackReading, playbackCommands],
  jobs: [jobTools],
  diagnostics: [diagnostics],
  extras: [albums, savedAlbums, player, deletePlaylist, changeTools, importList],
  library_sql: [libraryQuestions, editByQuery, keptPlaylists, playlistVersions],
};

const BY_GROUP = new Map(
  TOOL_GROUPS.map((group) => [group, SUBJECTS[group].flatMap((file) => Object.values(file).filter(isTool))]),
);

/** The standard tools: what is offered unless the settings say otherwise. */
export const TOOLS: readonly Tool[] = toolsOf({ toolsets: ['standard'], readOnly: false });

/** All tools: the standard ones, then those that are off by default. */
export const ALL_TOOLS: readonly Tool[] = toolsOf({ toolsets: ['all'], readOnly: false });

/** The tools of a choice, in the order of the reference. */
export function toolsOf({ toolsets, readOnly }: ToolChoice): Tool[] {
  const tools = groupsOf(toolsets).flatMap((group) => BY_GROUP.get(group) ?? []);
  return readOnly ? tools.filter(({ kind, changesMemory }) => kind === 'read' && !changesMemory) : tools;
}

/** The group of a tool. */
export function groupOf(tool: Tool): ToolGroup {
  return TOOL_GROUPS.find((group) => BY_GROUP.get(group)?.includes(tool)) ?? 'extras';
}
