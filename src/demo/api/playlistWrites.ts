/** Creates and changes playlists. Each call takes effect as a whole or not at all. */
import { type Answer, type ApiCall, forbidden, jsonBody, needScope, refuse } from '../http.ts';
import { type DemoPlaylist, mayUseRows, newId, type PlaylistRow, snapshotOf } from '../state.ts';
import { wholeNumber } from './paging.ts';
import { playlistObject } from './playlistShapes.ts';
import { playlistOf } from './playlists.ts';

const MAX_URIS = 100;
const MAX_ROWS = 11_000;
const MAX_PLAYLISTS = 11_000;
const MAX_NAME = 200;
const MAX_DESCRIPTION = 300;

/** `POST /me/playlists`. */
export function createPlaylist(call: ApiCall): Answer {
  const body = jsonBody(call);
  if (typeof body.name !== 'string' || body.name === '') throw refuse(400, 'Missing required field: name');
  const isPublic = flag(body, 'public') ?? true;
  const collaborative = flag(body, 'collaborative') ?? false;
  checkDetails(body, isPublic, collaborative);
  needWriteScope(call, isPublic);
  if (collaborative) needWriteScope(call, true);
  if (call.account.playlists.length >= MAX_PLAYLISTS) throw refuse(403, 'Playlist limit reached');
  const description = typeof body.description === 'string' ? body.description : null;
  const playlist: DemoPlaylist = {
    id: newId(call.world.random),
    name: body.name,
    description,
    public: isPublic,
    collaborative,
    ownerId: call.account.id,
    ownerName: call.account.displayName,
    collaboratorIds: [],
    version: 1,
    rows: [],
  };
  call.account.playlists.unshift(playlist);
  const href = `${call.world.apiUrl}/playlists/${playlist.id}/items`;
  const rows = { href, limit: 50, next: null, offset: 0, previous: null, total: 0, items: [] };
  return { status: 201, json: playlistObject(call.world, call.account, playlist, rows) };
}

/** `PUT /playlists/{id}`: changes the details, and answers 200 with an empty body. */
export function changeDetails(call: ApiCall): Answer {
  const playlist = playlistOf(call);
  if (playlist.ownerId !== call.account.id) throw forbidden();
  needWriteScope(call, playlist.public);
  const body = jsonBody(call);
  const named = ['name', 'description', 'public', 'collaborative'].filter(
    (field) => body[field] !== undefined,
  );
  if (named.length === 0) throw refuse(400, 'At least one field is required');
  if (body.name === '') throw refuse(400, 'Invalid name');
  if (body.description === '') throw refuse(400, 'Invalid description');
  const isPublic = flag(body, 'public') ?? playlist.public;
  const collaborative = flag(body, 'collaborative') ?? playlist.collaborative;
  checkDetails(body, isPublic, collaborative);
  if (typeof body.name === 'string') playlist.name = body.name;
  if (typeof body.description === 'string') playlist.description = body.description;
  playlist.public = isPublic;
  playlist.collaborative = collaborative;
  playlist.version += 1;
  return { status: 200, text: '' };
}

/** `POST /playlists/{id}/items`: appends, or inserts at `position`. If the query has `uris`, the body is ignored. */
export function addItems(call: ApiCall): Answer {
  const playlist = writablePlaylist(call);
  const fromQuery = call.query.get('uris');
  const body = fromQuery === null ? jsonBody(call) : {};
  const uris = checkUris(call, fromQuery === null ? body.uris : fromQuery.split(','), 1);
  const position =
    fromQuery === null ? body.position : (wholeNumber(call.query.get('position')) ?? undefined);
  const at =
    position === undefined ? playlist.rows.length : index(position, playlist.rows.length, 'position');
  if (playlist.rows.length + uris.length > (call.world.maxRows ?? MAX_ROWS))
    throw refuse(403, 'Playlist size limit reached');
  playlist.rows.splice(at, 0, ...newRows(call, uris));
  return changed(playlist, 201);
}

/** `PUT /playlists/{id}/items`: replaces all rows, or moves some. */
export function replaceOrReorder(call: ApiCall): Answer {
  const playlist = writablePlaylist(call);
  const body = jsonBody(call);
  const fromQuery = call.query.get('uris');
  const given = fromQuery === null ? body.uris : fromQuery.split(',').filter((uri) => uri !== '');
  if (given === undefined) return reorder(playlist, body);
  if (body.range_start !== undefined) throw refuse(400, 'uris and range_start cannot be combined');
  playlist.rows = newRows(call, checkUris(call, given, 0));
  return changed(playlist, 200);
}

/** `insert_before` is an index in the list as it was before the move. */
function reorder(playlist: DemoPlaylist, body: Record<string, unknown>): Answer {
  const total = playlist.rows.length;
  const start = index(body.range_start, total - 1, 'range_start');
  const before = index(body.insert_before, total, 'insert_before');
  const length =
    body.range_length === undefined ? 1 : index(body.range_length, total - start, 'range_length');
  if (length === 0) throw refuse(400, 'Invalid range_length');
  const moved = playlist.rows.slice(start, start + length);
  const keep = (from: number, to: number) => {
    return playlist.rows.slice(from, to).filter((row) => !moved.includes(row));
  };
  playlist.rows = [...keep(0, before), ...moved, ...keep(before, total)];
  return changed(playlist, 200);
}

/** `DELETE /playlists/{id}/items`: removes every occurrence of each URI and ignores `positions`. */
export function removeItems(call: ApiCall): Answer {
  const playlist = writablePlaylist(call);
  const { items } = jsonBody(call);
  if (!Array.isArray(items)) throw refuse(400, 'Missing required field: items');
  const uris = new Set(checkUris(call, items.map(uriOf), 1));
  const rows = playlist.rows.filter((row) => !uris.has(row.uri));
  if (rows.length === playlist.rows.length) return snapshot(playlist, 200);
  playlist.rows = rows;
  return changed(playlist, 200);
}

function uriOf(entry: unknown): unknown {
  return typeof entry === 'object' && entry !== null && 'uri' in entry ? entry.uri : undefined;
}

function writablePlaylist(call: ApiCall): DemoPlaylist {
  const playlist = playlistOf(call);
  if (!mayUseRows(call.account, playlist)) throw forbidden();
  needWriteScope(call, playlist.public);
  return playlist;
}

function needWriteScope(call: ApiCall, isPublic: boolean): void {
  needScope(call, isPublic ? 'playlist-modify-public' : 'playlist-modify-private');
}

/** Requires a list of `min` to 100 URIs of existing tracks and episodes. One bad entry fails the whole call. */
function checkUris(call: ApiCall, value: unknown, min: number): string[] {
  if (!Array.isArray(value)) throw refuse(400, 'Missing required field: uris');
  if (value.length < min) throw refuse(400, 'No uris provided');
  if (value.length > MAX_URIS) throw refuse(400, `You can add a maximum of ${MAX_URIS} tracks per request.`);
  const uris = value.map((uri) => checkUriForm(uri));
  const { trackByUri, episodeByUri } = call.world.catalogue;
  if (!uris.every((uri) => trackByUri.has(uri) || episodeByUri.has(uri))) {
    throw refuse(400, 'Payload contains a non-existing ID');
  }
  return uris;
}

function checkUriForm(uri: unknown): string {
  if (typeof uri === 'string' && /^spotify:(track|episode):[0-9A-Za-z]{22}$/.test(uri)) return uri;
  throw refuse(400, `Invalid track uri: ${String(uri)}`);
}

function newRows(call: ApiCall, uris: readonly string[]): PlaylistRow[] {
  const addedAt = `${new Date(call.now).toISOString().slice(0, 19)}Z`;
  return uris.map((uri) => ({ uri, addedAt, addedBy: call.account.id }));
}

function index(value: unknown, max: number, name: string): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw refuse(400, value === undefined ? `Missing required field: ${name}` : `Invalid ${name}`);
}

function flag(body: Record<string, unknown>, name: string): boolean | undefined {
  const value = body[name];
  if (value === undefined || typeof value === 'boolean') return value;
  throw refuse(400, `Invalid ${name}`);
}

function checkDetails(body: Record<string, unknown>, isPublic: boolean, collaborative: boolean): void {
  const { name, description } = body;
  if (name !== undefined && (typeof name !== 'string' || name.length > MAX_NAME))
    throw refuse(400, 'Invalid name');
  const isBad =
    typeof description !== 'string' || description.length > MAX_DESCRIPTION || /[\r\n]/.test(description);
  if (description !== undefined && isBad) throw refuse(400, 'Invalid description');
  if (collaborative && isPublic) throw refuse(400, 'Collaborative playlists can only be private.');
}

function changed(playlist: DemoPlaylist, status: number): Answer {
  playlist.version += 1;
  return snapshot(playlist, status);
}

function snapshot(playlist: DemoPlaylist, status: number): Answer {
  return { status, json: { snapshot_id: snapshotOf(playlist) } };
}
