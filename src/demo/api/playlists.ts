/** Playlists. Each change takes effect as a whole or not at all. */
import { base62Id } from '../catalogue/seeded.ts';
import * as http from '../http.ts';
import type { DemoPlaylist, PlaylistRow } from '../state.ts';
import * as state from '../state.ts';
import { playlistObject, rowObject, secondsOf, totalOf } from './shapes.ts';

type ApiCall = http.ApiCall;
const { needScope, ok, pageRequest, paging, refuse } = http;

const MAX_URIS = 100;
/** The page of rows that comes with a playlist itself. */
const FIRST = { limit: 50, offset: 0 };
const MAX_ROWS = 11_000;
const MAX_NAME = 200;
const MAX_DESCRIPTION = 300;

export const PLAYLIST_ROUTES: http.Routes = {
  /** Other people's collaborative playlists need a scope of their own. */
  'GET /me/playlists': http.scoped('playlist-read-private', (call) => {
    const { world, account, scopes } = call;
    const seesShared = scopes.has('playlist-read-collaborative');
    const visible = state.stateAt(world, account).playlists.filter(({ collaborative, ownerId }) => {
      return seesShared || !collaborative || ownerId === account.id;
    });
    const page = pageRequest(call, 20, 50);
    return ok(paging('/me/playlists', visible, page, (one) => playlistObject(world, one)));
  }),

  'POST /me/playlists': (call) => {
    const { world, account } = call;
    const body = http.jsonBody(call);
    const details = detailsIn(body, { name: '', description: null, public: true, collaborative: false });
    needWriteScope(call, details.public);
    if (details.collaborative) needWriteScope(call, true);
    const playlist: DemoPlaylist = {
      id: base62Id(world.random.bytes(22)),
      ...details,
      ownerId: account.id,
      ownerName: account.displayName,
      collaboratorIds: [],
      version: 1,
      rows: [],
    };
    state.remember(world, account);
    account.playlists.unshift(playlist);
    return { status: 201, json: playlistObject(world, playlist, rowsOf(call, playlist)) };
  },

  /** Only the owner and collaborators get the rows. */
  'GET /playlists/:id': (call) => {
    const playlist = playlistOf(call);
    if (!playlist.public) needScope(call, 'playlist-read-private');
    const rows = state.mayUseRows(call.account, playlist) ? rowsOf(call, playlist) : null;
    return ok(playlistObject(call.world, playlist, rows));
  },

  'PUT /playlists/:id': (call) => {
    const playlist = playlistOf(call);
    if (playlist.ownerId !== call.account.id) throw refuse(403, 'Forbidden');
    needWriteScope(call, playlist.public);
    const body = http.jsonBody(call);
    if (!DETAILS.some((field) => body[field] !== undefined))
      throw refuse(400, 'At least one field is required');
    if (body.description === '') throw refuse(400, 'Invalid description');
    const details = detailsIn(body, playlist);
    state.remember(call.world, call.account, playlist);
    Object.assign(playlist, details);
    playlist.version += 1;
    return { status: 200, text: '' };
  },

  'GET /playlists/:id/items': http.scoped('playlist-read-private', (call) => {
    const playlist = playlistOf(call);
    if (!state.mayUseRows(call.account, playlist)) throw refuse(403, 'Forbidden');
    return ok(rowsOf(call, playlist, pageRequest(call, 20, 50)));
  }),

  /** Appends, or inserts at `position`. */
  'POST /playlists/:id/items': (call) => {
    const playlist = writablePlaylist(call);
    const { uris, position } = http.jsonBody(call);
    const rows = newRows(call, uris, 1);
    const { length } = playlist.rows;
    const at = position === undefined ? length : index(position, length, 'position');
    if (length + rows.length > MAX_ROWS) throw refuse(403, 'Playlist size limit reached');
    return setRows(call, playlist, playlist.rows.toSpliced(at, 0, ...rows), 201);
  },

  /** Replaces all rows, or moves some. */
  'PUT /playlists/:id/items': (call) => {
    const playlist = writablePlaylist(call);
    const body = http.jsonBody(call);
    if (body.uris === undefined) return setRows(call, playlist, moved(playlist.rows, body));
    if (body.range_start !== undefined) throw refuse(400, 'uris and range_start cannot be combined');
    return setRows(call, playlist, newRows(call, body.uris, 0));
  },

  /** Removes every occurrence of each URI and ignores `positions`. */
  'DELETE /playlists/:id/items': (call) => {
    const playlist = writablePlaylist(call);
    const { items } = http.jsonBody(call);
    if (!Array.isArray(items)) throw refuse(400, 'Missing required field: items');
    const given = items.map((entry: { uri?: unknown } | null) => entry?.uri);
    const uris = new Set(checkUris(call, given, 1));
    const rows = playlist.rows.filter((row) => !uris.has(row.uri));
    if (rows.length < playlist.rows.length) return setRows(call, playlist, rows);
    return ok({ snapshot_id: state.snapshotOf(playlist) });
  },
};

/**
 * The playlist in the path.
 * @throws Refusal 400 for a malformed ID, 404 for an unknown one and for Spotify's own playlists
 */
function playlistOf(call: ApiCall): DemoPlaylist {
  const playlist = state.findPlaylist(call.world, http.idInPath(call));
  if (!playlist || playlist.ownerId === state.PROVIDER_USER_ID) throw http.notFound();
  return playlist;
}

function rowsOf(call: ApiCall, playlist: DemoPlaylist, page = FIRST) {
  const { world } = call;
  const { id, rows } = state.stateAt(world, playlist);
  const shape = (row: PlaylistRow) => rowObject(world, row, http.wantsEpisodes(call));
  return { ...paging(`/playlists/${id}/items`, rows, page, shape), total: totalOf(world, playlist) };
}

function writablePlaylist(call: ApiCall): DemoPlaylist {
  const playlist = playlistOf(call);
  if (!state.mayUseRows(call.account, playlist)) throw refuse(403, 'Forbidden');
  needWriteScope(call, playlist.public);
  return playlist;
}

function needWriteScope(call: ApiCall, isPublic: boolean): void {
  needScope(call, isPublic ? 'playlist-modify-public' : 'playlist-modify-private');
}

function setRows(call: ApiCall, playlist: DemoPlaylist, rows: PlaylistRow[], status = 200): http.Answer {
  state.remember(call.world, call.account, playlist);
  playlist.rows = rows;
  playlist.version += 1;
  return { status, json: { snapshot_id: state.snapshotOf(playlist) } };
}

/** `insert_before` is an index in the list as it was before the move. */
function moved(rows: readonly PlaylistRow[], body: Record<string, unknown>): PlaylistRow[] {
  const start = index(body.range_start, rows.length - 1, 'range_start');
  const before = index(body.insert_before, rows.length, 'insert_before');
  const length = index(body.range_length ?? 1, rows.length - start, 'range_length');
  if (length === 0) throw refuse(400, 'Invalid range_length');
  const range = rows.slice(start, start + length);
  const keep = (from: number, to?: number) => rows.slice(from, to).filter((row) => !range.includes(row));
  return [...keep(0, before), ...range, ...keep(before)];
}

function newRows(call: ApiCall, value: unknown, min: number): PlaylistRow[] {
  const added = { addedAt: secondsOf(call.now), addedBy: call.account.id };
  return checkUris(call, value, min).map((uri) => ({ uri, ...added }));
}

/** Requires a list of `min` to 100 URIs of existing tracks and episodes. One bad entry fails the whole call. */
function checkUris(call: ApiCall, value: unknown, min: number): string[] {
  if (!Array.isArray(value)) throw refuse(400, 'Missing required field: uris');
  if (value.length < min) throw refuse(400, 'No uris provided');
  if (value.length > MAX_URIS) throw refuse(400, `You can add a maximum of ${MAX_URIS} tracks per request.`);
  for (const uri of value) {
    if (!/^spotify:(track|episode):[0-9A-Za-z]{22}$/.test(String(uri)))
      throw refuse(400, `Invalid track uri: ${uri}`);
  }
  const { trackByUri, episodeByUri } = call.world.catalogue;
  if (!value.every((uri) => trackByUri.has(uri) || episodeByUri.has(uri))) {
    throw refuse(400, 'Payload contains a non-existing ID');
  }
  return value;
}

function index(value: unknown, max: number, name: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw refuse(400, value === undefined ? `Missing required field: ${name}` : `Invalid ${name}`);
}

const DETAILS = ['name', 'description', 'public', 'collaborative'] as const;
type Details = Pick<DemoPlaylist, (typeof DETAILS)[number]>;

/** The details in a body, which has to be valid as a whole. Those that it leaves out are as `former` says. */
function detailsIn(body: Record<string, unknown>, former: Details): Details {
  const details = { ...former };
  for (const field of DETAILS)
    if (body[field] !== undefined) Object.assign(details, { [field]: body[field] });
  const { name, description, public: isPublic, collaborative } = details;
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME) throw refuse(400, 'Invalid name');
  const isText = typeof description === 'string' && description.length <= MAX_DESCRIPTION;
  if (body.description !== undefined && !(isText && !/[\r\n]/.test(description)))
    throw refuse(400, 'Invalid description');
  if (typeof isPublic !== 'boolean') throw refuse(400, 'Invalid public');
  if (typeof collaborative !== 'boolean') throw refuse(400, 'Invalid collaborative');
  if (collaborative && isPublic) throw refuse(400, 'Collaborative playlists can only be private.');
  return details as Details;
}
