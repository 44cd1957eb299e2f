/** Describes what undoing a change does, with the names of songs, for the person who has to agree first. Pure. */
import { capital, counted } from '../../base/lists.ts';
import type { ChangeOp, DetailValues, UndoResult } from '../../domain/change.ts';
import { without } from '../../domain/rows.ts';
import { rowsAfter } from '../../work/write/states.ts';
import type { UndoPlan } from '../../work/write/undo.ts';

/** Number of songs of each list to name. */
const NAMED = 5;

interface UndoEffect {
  /** A sentence or two. */
  summary: string;
  added: UndoResult['added'];
  removed: UndoResult['taken'];
}

interface Undoing {
  plan: Pick<UndoPlan, 'former' | 'ops' | 'lost'>;
  /** Name of the playlist; null if it is not known. */
  name: string | null;
  /** Title and artist of a song; null if they are not known. */
  song(uri: string): string | null;
  /** Number of songs in a playlist that is restored to the account's list; null if not known. */
  songs: number | null;
  /** True if the undo is still to be done. */
  isAhead: boolean;
}

/** The effect of an undo, in words and as lists of songs. */
export function undoEffect({ plan, name, song, songs, isAhead }: Undoing): UndoEffect {
  const { added, removed } = differenceOf(plan);
  const place = name === null ? 'the playlist' : `"${name}"`;
  const say = (ahead: string, done: string) => (isAhead ? ahead : done);
  const named = (uris: readonly string[]): UndoResult['added'] => ({
    count: uris.length,
    first: uris.slice(0, NAMED).map((uri) => song(uri) ?? uri),
  });
  const summary = () => {
    const [first] = plan.ops;
    if (!first && plan.lost.length > 0) return say('Changes nothing.', 'Nothing changed.');
    if (!first) return 'There is nothing to write: everything is as it was before.';
    switch (first.op) {
      case 'save':
        return `${say('Saves', 'Saved')} ${entries(added)} in ${library(added)} again.`;
      case 'unsave':
        return `${say('Removes', 'Removed')} ${entries(removed)} from ${library(removed)}.`;
      case 'follow':
        if (plan.ops.length > 1) return `${say('Restores', 'Restored')} ${plan.ops.length} playlists.`;
        return `${say('Restores', 'Restored')} ${place}${songs ? ` (${counted(songs, 'song')})` : ''}.`;
      case 'unfollow':
        if (plan.ops.length > 1)
          return `${say('Takes', 'Took')} the ${plan.ops.length} playlists of the import off your list of playlists.`;
        return `${say('Takes', 'Took')} ${place} off your list of playlists.`;
      case 'details':
        return `${say('Changes', 'Changed')} ${place} back: ${detailsText(plan.ops)}.`;
      default:
        return rowsText();
    }
  };
  const rowsText = () => {
    const total = rowsAfter({ rows: plan.former.rows ?? [], ops: plan.ops }).length;
    if (plan.former.rows?.length === 0) {
      return `${say('Restores', 'Restored')} ${place} (${counted(total, 'song')}).`;
    }
    const back = `${say('Puts', 'Put')} ${counted(added.length, 'song')} back in ${place}`;
    const out = `${say('takes', 'took')} ${counted(removed.length, 'song')} out`;
    if (added.length > 0 && removed.length > 0) return `${back} and ${out}.`;
    if (added.length > 0) return `${back}.`;
    if (removed.length > 0) return `${capital(out)} of ${place}.`;
    return `${say('Puts', 'Put')} the songs of ${place} back in their order.`;
  };
  return { summary: summary(), added: named(added), removed: named(removed) };
}

const areAlbums = ([uri]: readonly string[]) => uri?.startsWith('spotify:album:') === true;
const entries = (uris: readonly string[]) => counted(uris.length, areAlbums(uris) ? 'album' : 'song');
const library = (uris: readonly string[]) => (areAlbums(uris) ? 'the library' : 'Liked Songs');

/** The songs or albums that are added and removed, repeats included. */
function differenceOf({ former, ops }: Undoing['plan']): { added: string[]; removed: string[] } {
  const [first] = ops;
  if (first?.op === 'save') return { added: [...first.uris], removed: [] };
  if (first?.op === 'unsave') return { added: [], removed: [...first.uris] };
  if (!former.rows) return { added: [], removed: [] };
  const rows = rowsAfter({ rows: former.rows, ops });
  return { added: without(rows, former.rows), removed: without(former.rows, rows) };
}

function detailsText(ops: readonly ChangeOp[]): string {
  const set: DetailValues = Object.assign({}, ...ops.map((op) => (op.op === 'details' ? op.set : {})));
  const parts = [
    ...(set.name === undefined ? [] : [`the name to "${set.name}"`]),
    ...(set.description === undefined
      ? []
      : [set.description === '' ? 'no description' : `the description to "${set.description}"`]),
    ...(set.public === undefined ? [] : [set.public ? 'to public' : 'to private']),
    ...(set.collaborative === undefined
      ? []
      : [set.collaborative ? 'to collaborative' : 'to not collaborative']),
  ];
  return parts.join(', ');
}
