/** Earlier versions of playlists: listing and restoring them. */
import * as z from 'zod';
import { counted, inParallel } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import { asShown, originalsOf, recordingOfTrack, recordingsIn } from '../../domain/recordings.ts';
import { uriOf } from '../../domain/rows.ts';
import type { Item, Track } from '../../domain/shapes.ts';
import { PlaylistVersions, RestoreAnswer, type VersionRow } from '../../domain/versions.ts';
import { missingUris, type RestorePlan, restorePlan } from '../../library/versions/restorePlan.ts';
import type { Call } from '../../provider/api.ts';
import { findTrack } from '../../provider/resources/catalog.ts';
import { makePlaylist, reviseRows } from '../../work/write/kinds.ts';
import { compact } from '../answer/lean.ts';
import { NextOffset, Offset, PlaylistName, playlistId } from '../arguments.ts';
import { write } from '../playlists/playlistWriting.ts';
import { defineTool, type Services } from '../tool.ts';

export const listVersionsTool = defineTool({
  name: 'list_playlist_versions',
  title: 'List versions of a playlist',
  description:
    'Lists the earlier versions of a playlist, newest first, with their times and what came and went. restore_playlist brings one back.',
  kind: 'read',
  input: z.object({ playlist_id: playlistId, offset: Offset }),
  output: PlaylistVersions.extend({ next_offset: NextOffset }),
  async handle({ library }, { playlist_id: { id }, offset }, call) {
    const { items, ...facts } = await library.versions(id, call);
    return { ...facts, items: items.slice(offset) };
  },
});

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
  if (name === undefined && !versions.present) throw playlistGone(versions);
  const looked = new Map<string, Track | null>();
  const planFor = async (items: readonly Item[]) => {
    const found = await planOf(services, items, { rows, skips: skip_unsupported, looked }, call);
    review(found);
    if (!dry_run) requireSupported(found);
    return found;
  };
  let plan = await planFor(name === undefined ? (await services.rows.read(id, call)).items : []);
  const answer = () => ({
    ...{ ok: true, playlist_id: id, version, dry_run },
    ...{ added_count: plan.added, removed_count: plan.removed, moved_count: plan.moved },
    unsupported: plan.unsupported,
  });
  if (dry_run) return answer();
  const request =
    name === undefined
      ? reviseRows(services, 'restore', id, async (items) => {
          plan = await planFor(items);
          return plan;
        })
      : makePlaylist(services, { name, public: false }, plan.wanted);
  const { playlist_id, change_id, job_id, note } = await write(services, request, call);
  if (change_id === undefined) return { ...answer(), note: unchangedNote(plan) };
  return { ...answer(), playlist_id, ...compact({ change_id, job_id, note }) };
}

/**
 * Maximum number of simultaneous requests, and of tracks to look up. Tracks beyond that number are not checked: if one of them
 * is gone, Spotify refuses the write.
 */
const AT_ONCE = 8;
const MAX_LOOKED_UP = 500;

interface Asked {
  rows: readonly VersionRow[];
  skips: boolean;
  /** The tracks that this call has looked up; null for those that are gone. */
  looked: Map<string, Track | null>;
}

/**
 * The plan of a restore. Tracks to write that are in no list of the account are looked up first, since they may be gone. A row
 * whose track the playlist now shows under another ID stays as it is.
 */
async function planOf(
  { library, provider }: Services,
  items: readonly Item[],
  { rows, skips, looked }: Asked,
  call: Call,
): Promise<RestorePlan & { originals: ReadonlyMap<string, string> }> {
  const shown = items.map(uriOf);
  const missing = missingUris(shown, rows).filter((uri) => uri.startsWith('spotify:track:'));
  const known = new Set(await library.knownTracks(missing));
  const unknown = missing.filter((uri) => !known.has(uri) && !looked.has(uri));
  unknown.length = Math.min(unknown.length, MAX_LOOKED_UP - looked.size);
  await inParallel(unknown, AT_ONCE, async (uri) => looked.set(uri, await findTrack(provider, uri, call)));
  const recordings = await library.recordings([...known]);
  for (const [uri, recording] of recordingsIn(items)) recordings.set(uri, recording);
  for (const [uri, track] of looked) if (track) recordings.set(uri, recordingOfTrack(track));
  const gone = new Set([...looked].flatMap(([uri, track]) => (track ? [] : [uri])));
  const written = rows.map(({ uri }) => uri ?? '');
  const uris = asShown(written, shown, recordings);
  const named = rows.map((row, at) => ({ ...row, uri: uris[at] || null }));
  return { ...restorePlan(shown, named, gone, skips), originals: new Map(originalsOf(written, uris)) };
}

function unchangedNote({ unsupported }: RestorePlan): string {
  const except = unsupported.length === 0 ? '' : 'apart from rows that cannot be restored, ';
  return `Nothing changed: ${except}the playlist is as it was then.`;
}

const WITHOUT_UNSUPPORTED = 'To bring back the others, {pass skip_unsupported=true|add --skip-unsupported}.';

/** `skip_unsupported` would not help here: it leaves out rows of the version, and these are rows of the present playlist. */
const WITHOUT_LOSS =
  'The playlist has rows that the version does not have, and Spotify would not take them back: local files, or songs that it no longer offers. Remove them in Spotify first, or {pass name|add --new NAME} for a new playlist.';

function requireSupported({ blocking, lost }: RestorePlan): void {
  if (blocking.length === 0) return;
  const names = blocking.slice(0, 5).map(({ name, uri, position }) => name ?? uri ?? `row ${position + 1}`);
  const more = blocking.length > names.length ? ` and ${blocking.length - names.length} more` : '';
  const what = `${counted(blocking.length, 'row')} cannot be written again or would be lost`;
  throw new RelayError('UNSUPPORTED_ITEMS', `${what}: ${names.join('; ')}${more}. Nothing was changed.`, {
    remedy: lost.length > 0 ? WITHOUT_LOSS : WITHOUT_UNSUPPORTED,
    details: { unsupported: blocking.slice(0, MAX_NAMED), count: blocking.length },
  });
}

function noSuchVersion({ items }: PlaylistVersions, version: number): RelayError {
  const [newest, oldest] = [items[0]?.version, items.at(-1)?.version];
  return new RelayError('NOT_FOUND', `There is no version ${version} of this playlist.`, {
    remedy: `list_playlist_versions lists those that are kept, from ${oldest} to ${newest}.`,
  });
}

function playlistGone({ name }: PlaylistVersions): RelayError {
  const what = `The playlist "${name}" is not in the library of the connected account.`;
  const remedy = 'To bring its rows back as a new playlist, {pass name|add --new NAME}.';
  return new RelayError('NOT_FOUND', what, { remedy });
}
