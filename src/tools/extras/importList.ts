/** Imports a list that is given as text, such as the content of a file. */
import * as z from 'zod';
import type { RelayError } from '../../domain/errors.ts';
import { type ImportPreview, type ImportTarget, LIST_FORMATS } from '../../domain/listImport.ts';
import { planImport } from '../../work/import/planImport.ts';
import { startImport } from '../../work/import/startImport.ts';
import { compact } from '../answer/lean.ts';
import { badArgument, PlaylistName, PlaylistRef } from '../arguments.ts';
import { askerOf } from '../asker.ts';
import { defineTool } from '../tool.ts';

/** Maximum length of a list in UTF-16 units; a request to the endpoint has at most 4 MiB. */
const MAX_TEXT = 2_000_000;
/** Maximum number of lines without a song that the answer quotes. */
const MAX_QUOTED = 10;
const MAX_QUOTE = 80;

const Preview = z.object({
  job_id: z
    .string()
    .optional()
    .describe('Searches for the songs now. Check get_job_status; when it says ready, call commit_job'),
  more_job_ids: z
    .array(z.string())
    .optional()
    .describe('A job holds 10,000 songs: the jobs with the rest, to be committed in this order'),
  format: z.enum(LIST_FORMATS).describe('What the text was read as'),
  songs: z.number(),
  name: z.string().optional().describe('Of the playlist, as the text has it'),
  lists: z
    .array(z.object({ name: z.string(), songs: z.number() }))
    .optional()
    .describe('Playlists in the text; choose one with list'),
  artist_side: z
    .object({ side: z.enum(['left', 'right']), because: z.string(), certain: z.boolean() })
    .optional()
    .describe('Where the artist is in "A - B". If it is not certain, show an example to the user'),
  examples: z
    .array(z.object({ title: z.string(), artist: z.string() }))
    .describe('The first songs, as they were understood'),
  not_songs: z.number().optional().describe('Lines that are not songs'),
  not_song_lines: z
    .array(z.object({ line: z.number(), text: z.string(), why: z.string() }))
    .optional()
    .describe(`The first ${MAX_QUOTED} lines that are not songs, without empty ones`),
  with_link: z.number().optional().describe('Songs given by a Spotify link, which cost no search'),
  with_isrc: z.number().optional().describe('Songs given by a recording code'),
  remembered: z.number().optional().describe('Songs found for an earlier list, which cost no search'),
  repeated: z.number().optional().describe('Songs that the text names again'),
  searches: z
    .number()
    .describe('Searches it takes at least, from a limited daily quota; often up to twice that'),
});

export const importListTool = defineTool({
  name: 'import_list',
  title: 'Import a list of songs',
  description:
    'Imports a list of songs that the user has as text or as a file: "Artist - Title" lines, CSV, JSON, M3U, XSPF or iTunes XML. Pass it as it is, with one of name, playlist_id or saved. A job finds the songs; nothing is written before commit_job.',
  kind: 'write',
  input: z.object({
    text: z.string().min(1).max(MAX_TEXT).describe('The list, unchanged, up to 2,000,000 characters'),
    name: PlaylistName.optional().describe('Make a new, private playlist of this name'),
    playlist_id: PlaylistRef.optional().describe('Add to this playlist: name, ID or link'),
    saved: z.boolean().default(false).describe('true: save the songs in Liked Songs'),
    replace: z
      .boolean()
      .default(false)
      .describe('With playlist_id. true: the songs replace what the playlist holds; ask the user first'),
    dry_run: z.boolean().default(false).describe('true: report what would be read; no job, no search'),
    artist_side: z
      .enum(['left', 'right'])
      .optional()
      .describe('Where the artist is in "A - B". When omitted, detected'),
    list: z.string().min(1).max(200).optional().describe('Only this playlist of several in the text'),
  }),
  output: Preview,
  rows: { key: 'lists', hint: 'To import one that is not shown, pass its name as list.' },
  async handle(services, args, call) {
    const target = targetOf(args);
    const reading = { artistSide: args.artist_side, list: args.list, tracksOnly: args.saved };
    const plan = await planImport(services, args.text, reading);
    if (args.dry_run) return told(plan.preview);
    if (!target) throw noTarget();
    const choices = { strict: true, skipDuplicates: false };
    const askedBy = askerOf(services, call);
    const [first, ...more] = await startImport(services.works, plan, target, choices, { askedBy });
    return {
      ...(first && { job_id: first.job_id }),
      ...(more.length > 0 && { more_job_ids: more.map(({ job_id }) => job_id) }),
      ...told(plan.preview),
    };
  },
});

/** The target of an import; null if none is given. */
function targetOf(args: {
  name?: string | undefined;
  playlist_id?: { id: string } | undefined;
  saved: boolean;
  replace: boolean;
}): ImportTarget | null {
  const given = [args.name, args.playlist_id, args.saved || undefined].filter((one) => one !== undefined);
  if (given.length > 1) throw noTarget();
  if (args.replace && !args.playlist_id)
    throw badArgument('replace needs playlist_id.', 'Pass playlist_id, or leave replace out.');
  if (args.name !== undefined) return { kind: 'new', name: args.name };
  if (args.playlist_id) return { kind: 'playlist', playlistId: args.playlist_id.id, replace: args.replace };
  return args.saved ? { kind: 'saved' } : null;
}

function noTarget(): RelayError {
  const remedy =
    'Pass name for a new playlist, playlist_id for one of the account, or saved: true for Liked Songs. A dry run needs none of them.';
  return badArgument('Give exactly one of name, playlist_id and saved.', remedy);
}

/** Leaves out members that are empty or have their usual value. */
function told(preview: ImportPreview): z.input<typeof Preview> {
  const { not_songs, lists, artist_side } = preview;
  const lines = not_songs.lines.slice(0, MAX_QUOTED);
  return {
    format: preview.format,
    songs: preview.songs,
    examples: preview.examples.map(({ title, artist }) => ({ title, artist })),
    searches: preview.searches.at_least,
    ...compact({ name: preview.name, artist_side }),
    ...(lists.length > 0 && { lists }),
    ...(lines.length > 0 && {
      not_song_lines: lines.map(({ line, text, why }) => ({ line, text: text.slice(0, MAX_QUOTE), why })),
    }),
    ...compact({
      not_songs: not_songs.total || null,
      with_link: preview.with_uri || null,
      with_isrc: preview.with_isrc || null,
      remembered: preview.remembered || null,
      repeated: preview.repeated || null,
    }),
  };
}
