/** An edit by a query: one run of a kept playlist that is not kept. It shares its questions, its guards and its writes. */
import { counted } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import type { KeepPreview } from '../../domain/keep.ts';
import { MAX_ROWS, sameRows, uriOf } from '../../domain/rows.ts';
import type { Item } from '../../domain/shapes.ts';
import type { Library } from '../../library/library.ts';
import type { Call, ProviderApi } from '../../provider/api.ts';
import type { Store } from '../../store/store.ts';
import type { WorkContext } from '../moves.ts';
import {
  addRows,
  makePlaylist,
  removeRows,
  restorableUris,
  reviseRows,
  saveTracks,
  unsaveTracks,
} from '../write/kinds.ts';
import { planRows } from '../write/plan.ts';
import type { WriteRequest } from '../write/writes.ts';
import { isMuch, requireKeepable, wantedOf } from './decide.ts';
import { createLookups, previewOf } from './lookups.ts';
import { notReadNow, notReadWhole } from './run.ts';

type EditContext = Pick<WorkContext, 'rows' | 'clock'> & {
  provider: ProviderApi;
  store: Store;
  library: Library;
};

export type EditTarget = { kind: 'playlist'; id: string } | { kind: 'new'; name: string } | { kind: 'saved' };

export interface EditRequest {
  /** One SELECT; its first column is the URI, its order the order of the rows. */
  sql: string;
  target: EditTarget;
  mode: 'append' | 'replace' | 'remove';
}

export interface PlannedEdit {
  preview: KeepPreview;
  request: Omit<WriteRequest, 'askedBy'> | null;
  /** What a person has to agree to first; null if nothing. */
  toConfirm: string | null;
  /** What is said besides, such as that dates are lost; null if nothing. */
  note: string | null;
}

/**
 * Plans an edit, after the copy of the library was brought up to date. Writes nothing.
 * @throws RelayError `INVALID_ARGUMENT` for a query that gives no URIs; `PROVIDER_UNAVAILABLE` if a list cannot be read whole now;
 *   `UNSUPPORTED_ITEMS` if rows could not be put back; otherwise as `Library.follow`, and of reading
 */
export async function planEdit(
  context: EditContext,
  { sql, target, mode }: EditRequest,
  call: Call,
): Promise<PlannedEdit> {
  const { library } = context;
  const answer = await library.follow(sql, 0, call);
  const wanted = wantedOf(answer.rows, []);
  requireKeepable(answer, wanted);
  const unread = notReadNow(answer) ?? notReadWhole(answer);
  if (unread !== null) {
    const what = `Nothing was written, since the query may lack rows: ${unread}`;
    throw new RelayError('PROVIDER_UNAVAILABLE', what, { remedy: 'Try again in a few minutes.' });
  }
  const { uris, leftOut } = wanted;
  const preview = (present: readonly string[], after: readonly string[]) =>
    previewOf(library, present, after, leftOut);
  const nothing = async (present: readonly string[], note: string): Promise<PlannedEdit> => {
    return { preview: await preview(present, present), request: null, toConfirm: null, note };
  };

  if (target.kind === 'new') {
    if (uris.length === 0) return nothing([], 'The query finds nothing, so no playlist was made.');
    const request = makePlaylist(context, { name: target.name, public: false }, uris);
    return { preview: await preview([], uris), request, toConfirm: null, note: null };
  }

  if (target.kind === 'saved') {
    const { rows = [] } = (await library.view({ kind: 'saved' }, SAVED, call)) ?? {};
    const present = rows.map(([uri]) => String(uri ?? ''));
    const tracks = uris.filter((uri) => uri.startsWith('spotify:track:'));
    const asked = new Set(tracks);
    const held = new Set(present);
    const fresh = [...asked].filter((uri) => !held.has(uri));
    const after = mode === 'remove' ? present.filter((uri) => !asked.has(uri)) : [...fresh, ...present];
    if (sameRows(present, after))
      return nothing(present, mode === 'remove' ? 'None of these is saved.' : 'All of these are saved.');
    const request = mode === 'remove' ? unsaveTracks(context, tracks) : saveTracks(context, fresh);
    return { preview: await preview(present, after), request, toConfirm: lossOf(present, after), note: null };
  }

  const { id } = target;
  const present = (await context.rows.readSettled(id, call)).map(uriOf);
  if (mode === 'append') {
    if (uris.length === 0) return nothing(present, 'The query finds nothing.');
    const after = [...present, ...uris];
    if (after.length > MAX_ROWS) throw tooMany(after.length);
    return {
      preview: await preview(present, after),
      request: addRows(context, id, uris),
      toConfirm: null,
      note: null,
    };
  }
  if (mode === 'remove') {
    const asked = new Set(uris);
    const after = present.filter((uri) => !asked.has(uri));
    if (sameRows(present, after)) return nothing(present, 'None of these is in the playlist.');
    const request = removeRows(context, id, [...asked]);
    return { preview: await preview(present, after), request, toConfirm: lossOf(present, after), note: null };
  }
  const lookups = createLookups(library, context.provider, context.store, call.signal);
  const known = (await library.playlistRows(id)) ?? [];
  const listed = (shown: readonly string[], items: readonly Item[] | null) =>
    lookups.asListed({ shown, left: null, wanted: uris, accepted: null }, known, items);
  const { wanted: after } = await listed(present, null);
  if (sameRows(present, after)) return nothing(present, 'The playlist has exactly these rows.');
  const request = reviseRows(context, 'edit', id, async (items) => {
    const now = restorableUris(items);
    const facts = await listed(now, items);
    if (!sameRows(now, present) && lossOf(now, facts.wanted) !== lossOf(present, after)) throw changed();
    return { ...facts, present: now };
  });
  const isRewritten = planRows(present, after)?.some(({ op }) => op === 'put') === true;
  return {
    preview: await preview(present, after),
    request,
    toConfirm: lossOf(present, after),
    note: isRewritten ? DATES_LOST : null,
  };
}

const SAVED = 'select uri from saved order by position';
const DATES_LOST =
  'So many rows move that the whole list is written again: Spotify then shows today as the date of every row.';

/** Why a person has to agree to a loss first; null if it is a small one. */
function lossOf(present: readonly string[], after: readonly string[]): string | null {
  const [had, have] = [present.length, after.length];
  if (had === 0) return null;
  if (have === 0) return `This takes out all ${counted(had, 'row')}.`;
  return isMuch(had - have, had) ? `This leaves ${have} of ${had} rows.` : null;
}

function tooMany(rows: number): RelayError {
  return new RelayError('INVALID_ARGUMENT', `The playlist would have ${rows} rows; at most 10,000 fit.`, {
    remedy: 'Make the query narrower, or make a new playlist.',
  });
}

function changed(): RelayError {
  return new RelayError('CONFLICT', 'Somebody changed the playlist meanwhile, so nothing was written.', {
    remedy: 'Send the call again.',
  });
}
