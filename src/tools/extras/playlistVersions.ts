/** Earlier versions of playlists: listing and restoring them. */
import * as z from 'zod';
import { counted, inParallel } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import { asShown, originalsOf, recordingOfTrack, recordingsIn } from '../../domain/recordings.ts';
import type { Remedy } from '../../domain/remedy.ts';
import { uriOf } from '../../domain/rows.ts';
import type { Item, Track } from '../../domain/shapes.ts';
import { PlaylistVersions, RestoreAnswer, type VersionRow } from '../../domain/versions.ts';
import { missingUris, type RestorePlan, restorePlan } from '../../library/versions/restorePlan.ts';
import type { Call } from '../../provider/api.ts';
import { findTrack } from '../../provider/resources/catalog.ts';
import { makePlaylist, reviseRows } from '../../work/write/kinds.ts';
import { compact } from '../answer/leanShapes.ts';
import { NextOffset, Offset, PlaylistName, playlistId } from '../arguments.ts';
import { type Report, write } from '../playlists/playlistWriting.ts';
import { defineTool, type Services } from '../tool.ts';

export const listVersionsTool = defineTool({
  name: 'list_playlist_versions',
  title: 'List versions of a playlist',
  description:
    'Lists the earlier versions of a playlist, newest first: when each was seen, how many rows it had, and how many came and went since the one before. restore_playlist brings one back.',
  kind: 'read',
  input: z.object({ playlist_id: playlistId, offset: Offset }),
  output: PlaylistVersions.extend({ next_offset: NextOffset }),
  async handle({ library }, { playlist_id: { id }, offset }, call) {
    const { items, ...facts } = await library.versions(id, call);
    return { ...facts, items: items.slice(offset) };
  },
});

/** Maximum number of rows that an answer names. */
const MAX_NAMED = 100;

export const restorePlaylistTool = defineTool({
  name: 'restore_playlist',
  title: 'Restore a version of a playlist',
  description:
    'Restores an earlier version of a playlist, row for row; if the playlist is gone, pass name. By default it only says what it would do; once the user has agreed, pass dry_run=false to write. Refused (UNSUPPORTED_ITEMS) if rows cannot be written again.',
  kind: 'destructive',
  idempotent: true,
  input: z.object({
    playlist_id: playlistId,
    version: z.int().min(1).describe('From list_playlist_versions'),
    dry_run: z.boolean().default(true).describe('false: write it'),
    name: PlaylistName.optional().describe('Makes a new playlist of this name instead'),
    skip_unsupported: z.boolean().default(false).describe('true: leave out rows that cannot be written'),
  }),
  output: RestoreAnswer,
  rows: { key: 'unsupported' },
  handle: (services, args, call) => restoreVersion(services, args, call),
});

interface Restoring {
  playlist_id: { id: string };
  version: number;
  dry_run: boolean;
  name?: string | undefined;
  skip_unsupported: boolean;
}

/** Does what `restore_playlist` says. @param review gets each plan before anything is written; if it throws, nothing is */
export async function restoreVersion(
  services: Services,
  { playlist_id: { id }, version, dry_run, name, skip_unsupported }: Restoring,
  call: Call,
  review: (plan: RestorePlan) => void = () => {},
): Promise<RestoreAnswer> {
  const versions = await services.library.versions(id, call);
  const rows = await services.library.versionRows(id, version);
  if (rows === null) throw noSuchVersion(versions, version);
  const facts = { playlist_id: id, version, dry_run };
  const asked = { rows, skips: skip_unsupported, review };
  if (name !== undefined) return restoreAsNew(services, asked, name, facts, call);
  if (!versions.present) throw playlistGone(versions);
  let plan = await planFor(services, (await services.rows.read(id, call)).items, asked, call);
  if (dry_run) return answerOf(facts, plan);
  requireSupported(plan);
  const request = reviseRows(services, 'restore', id, async (items) => {
    plan = await planFor(services, items, asked, call);
    requireSupported(plan);
    return plan;
  });
  const report = await write(services, request, call);
  return {
    ...answerOf(facts, plan),
    ...(report.change_id === undefined ? { note: unchangedNote(plan) } : writtenOf(report)),
  };
}

/** What the restore is about. */
type Facts = Pick<RestoreAnswer, 'playlist_id' | 'version' | 'dry_run'>;

interface Asked {
  rows: readonly VersionRow[];
  skips: boolean;
  review: (plan: RestorePlan) => void;
}

async function restoreAsNew(services: Services, asked: Asked, name: string, facts: Facts, call: Call) {
  const plan = await planFor(services, [], asked, call);
  const answer = answerOf(facts, plan);
  if (facts.dry_run) return answer;
  requireSupported(plan);
  const request = makePlaylist(services, { name, public: false }, plan.wanted);
  const report = await write(services, request, call);
  return {
    ...answer,
    playlist_id: report.playlist_id,
    ...writtenOf(report),
  };
}

/** The change that brings a version back, and the job that continues it. */
function writtenOf({ change_id, job_id, note }: Report) {
  return compact({ change_id, job_id, note });
}

/**
 * Maximum number of simultaneous requests, and of tracks to look up. Tracks beyond that number are not checked: if one of them
 * is gone, Spotify refuses the write.
 */
const AT_ONCE = 8;
const MAX_LOOKED_UP = 500;

/** How long a track that was looked up counts as there: a dry run, its restore and the check before the write are one task. */
const RECENT_MS = 10 * 60_000;
/** Tracks that restores have looked up, by URI. */
const lookups = new WeakMap<Services['store'], Map<string, { track: Track; at: number }>>();

function recentLookups({ store, clock }: Services): Map<string, { track: Track; at: number }> {
  const recent = lookups.get(store) ?? new Map<string, { track: Track; at: number }>();
  lookups.set(store, recent);
  for (const [uri, { at }] of recent) if (clock.monotonic() - at > RECENT_MS) recent.delete(uri);
  return recent;
}

/**
 * The plan of a restore. Tracks to write that are in no list of the account are looked up first, since they may be gone. A row
 * whose track the playlist now shows under another ID stays as it is.
 */
async function planFor(
  services: Services,
  items: readonly Item[],
  { rows, skips, review }: Asked,
  call: Call,
): Promise<RestorePlan & { originals: ReadonlyMap<string, string> }> {
  const shown = items.map(uriOf);
  const missing = missingUris(shown, rows).filter((uri) => uri.startsWith('spotify:track:'));
  const known = new Set(await services.library.knownTracks(missing));
  const unknown = missing.filter((uri) => !known.has(uri)).slice(0, MAX_LOOKED_UP);
  const recordings = await services.library.recordings([...known]);
  for (const [uri, recording] of recordingsIn(items)) recordings.set(uri, recording);
  const gone = new Set<string>();
  const recent = recentLookups(services);
  await inParallel(unknown, AT_ONCE, async (uri) => {
    const track = recent.get(uri)?.track ?? (await findTrack(services.provider, uri, call));
    if (track !== null && !recent.has(uri)) recent.set(uri, { track, at: services.clock.monotonic() });
    if (track === null) gone.add(uri);
    else if (!recordings.has(uri)) recordings.set(uri, recordingOfTrack(track));
  });
  const written = rows.map(({ uri }) => uri ?? '');
  const uris = asShown(written, shown, recordings);
  const named = rows.map((row, at) => ({ ...row, uri: uris[at] || null }));
  const plan = restorePlan(shown, named, gone, skips);
  review(plan);
  return { ...plan, originals: new Map(originalsOf(written, uris)) };
}

function unchangedNote({ unsupported }: RestorePlan): string {
  const except = unsupported.length === 0 ? '' : 'apart from rows that cannot be restored, ';
  return `Nothing changed: ${except}the playlist is as it was then.`;
}

function answerOf(facts: Facts, { added, removed, moved, unsupported }: RestorePlan): RestoreAnswer {
  return { ok: true, ...facts, added_count: added, removed_count: removed, moved_count: moved, unsupported };
}

const WITHOUT_UNSUPPORTED: Remedy = {
  text: 'Pass skip_unsupported=true to bring back the others.',
  terminal: {
    text: 'Add --skip-unsupported (skip_unsupported=true in `relay call`) to bring back the others.',
    commands: [],
  },
};

const LOSS =
  'The playlist has rows that the version does not have, and Spotify would not take them back: local files, or songs that it no longer offers.';

/** `skip_unsupported` would not help here: it leaves out rows of the version, and these are rows of the present playlist. */
const WITHOUT_LOSS: Remedy = {
  text: `${LOSS} Pass name for a new playlist, or remove them in Spotify first.`,
  terminal: {
    text: `${LOSS} Add --new NAME (name=NAME in \`relay call\`) for a new playlist, or remove them in Spotify first.`,
    commands: [],
  },
  page: `${LOSS} Remove them in Spotify first.`,
};

function requireSupported({ blocking, lost }: RestorePlan): void {
  if (blocking.length === 0) return;
  const names = blocking.slice(0, 5).map(({ name, uri, position }) => name ?? uri ?? `row ${position + 1}`);
  const more = blocking.length > names.length ? ` and ${blocking.length - names.length} more` : '';
  throw new RelayError(
    'UNSUPPORTED_ITEMS',
    `${counted(blocking.length, 'row')} cannot be written again or would be lost: ${names.join('; ')}${more}. Nothing was changed.`,
    {
      remedy: lost.length > 0 ? WITHOUT_LOSS : WITHOUT_UNSUPPORTED,
      details: { unsupported: blocking.slice(0, MAX_NAMED), count: blocking.length },
    },
  );
}

function noSuchVersion({ items }: PlaylistVersions, version: number): RelayError {
  const [newest, oldest] = [items[0]?.version, items.at(-1)?.version];
  return new RelayError('NOT_FOUND', `There is no version ${version} of this playlist.`, {
    remedy: `list_playlist_versions lists those that are kept, from ${oldest} to ${newest}.`,
  });
}

function playlistGone({ name }: PlaylistVersions): RelayError {
  return new RelayError(
    'NOT_FOUND',
    `The playlist "${name}" is not in the library of the connected account.`,
    {
      remedy: {
        text: 'Pass name to bring its rows back as a new playlist.',
        terminal: {
          text: 'Add --new NAME (name=NAME in `relay call`) to bring its rows back as a new playlist.',
          commands: [],
        },
      },
    },
  );
}
