/**
 * The entries of `tools/list`. The build makes them (`scripts/generated.ts`): to convert the schemas of all tools would take a
 * quarter of the time until a client has its first answers.
 */
import { ALL_TOOLS } from '../tools/index.ts';
import type { Tool } from '../tools/tool.ts';
import { hostInputSchema, outputSchemaOf } from './hostSchema.ts';

/** One entry of `tools/list`. */
export type ToolEntry = ReturnType<typeof makeEntry>;

/** The most used tools. Claude Code keeps these loaded and finds the others by searching (see its MCP documentation). */
const ALWAYS_LOADED: ReadonlySet<string> = new Set([
  'search_tracks',
  'get_my_playlists',
  'get_playlist_tracks',
  'create_playlist_from_tracks',
  'add_tracks_to_playlist',
  'get_currently_playing',
  'play',
]);

/** The entries of all tools, by name. */
export function toolEntries(): Record<string, ToolEntry> {
  return Object.fromEntries(ALL_TOOLS.map((tool) => [tool.name, makeEntry(tool)]));
}

function makeEntry(tool: Tool) {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: hostInputSchema(tool.input),
    outputSchema: outputSchemaOf(tool),
    annotations: {
      readOnlyHint: tool.kind === 'read',
      destructiveHint: tool.kind === 'destructive',
      idempotentHint: tool.idempotent,
      openWorldHint: tool.openWorld,
    },
    ...(ALWAYS_LOADED.has(tool.name) ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
  };
}
