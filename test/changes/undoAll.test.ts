import assert from 'node:assert/strict';
import type { DemoPlaylist } from '../../src/demo/state.ts';
import { createJob, reach } from '../jobs/jobCalls.ts';
import { owner } from '../support/entries.ts';
import { fill, savedUris, urisOf } from '../support/playlists.ts';
import { longTest, trials } from '../support/scale.ts';
import type { Relay } from '../support/world.ts';
import { type Chance, chanceOf } from './crash/chance.ts';
import { withExtras } from './extras.ts';
import { assertDone, change, ended } from './settled.ts';
import { withUnkind } from './unkind.ts';

const EDITS = trials(500, 10);
/** How many edits to make and undo at a time. relay keeps 200 changes, and an undo is a change too. */
const BLOCK = 100;
const PLAYLISTS = 5;

/** One edit: what is asked for, by which tool or as which kind of job. */
type Edit =
  | { tool: string; args: Record<string, unknown> }
  | { type: string; payload: Record<string, unknown>; items: string[] };

longTest(`${EDITS} edits by tools and jobs, undone in reverse, leave everything as it was`, async (t) => {
  const seed = Number(process.env.UNDO_SEED ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`UNDO_SEED=${seed}`);
  const chance = chanceOf(seed);
  await withUnkind({}, async (relay) => {
    const playlists = targets(relay, chance);
    for (let done = 0; done < EDITS; done += BLOCK)
      await makeAndUndo(relay, playlists, chance, Math.min(BLOCK, EDITS - done));
  });
});

async function makeAndUndo(
  relay: Relay,
  playlists: readonly DemoPlaylist[],
  chance: Chance,
  edits: number,
): Promise<void> {
  const now = () => present(relay, playlists);
  // Notes what was there before each edit, so that the first wrong undo is found.
  const made: Array<{ edit: Edit; id: string; before: ReturnType<typeof now> }> = [];
  for (let count = 0; count < edits; count++) {
    const before = now();
    const edit = draw(relay, playlists, chance);
    const id = await make(relay, edit);
    if (id !== null) made.push({ edit, id, before });
    else assert.deepEqual(now(), before, `${nameOf(edit)} changed something and names no change`);
  }
  await withExtras(relay, async ({ undo }) => {
    for (const { edit, id, before } of made.toReversed()) {
      assertDone(await undo(id));
      assert.deepEqual(now(), before, `after undoing ${nameOf(edit)}`);
    }
  });
}

const nameOf = (edit: Edit) => ('tool' in edit ? edit.tool : `a job of type ${edit.type}`);

function targets(relay: Relay, chance: Chance): DemoPlaylist[] {
  const own = owner(relay.provider).playlists.filter(
    ({ ownerId, collaborative }) => ownerId === owner(relay.provider).id && !collaborative,
  );
  const playlists = own.slice(0, PLAYLISTS);
  for (const playlist of playlists) fill(playlist, some(relay, chance, chance.whole(0, 240)));
  return playlists;
}

/**
 * What the account holds. Saved tracks are sorted here, since Spotify orders them by the time of saving, and no undo can bring
 * back that time.
 */
function present({ provider }: Relay, playlists: readonly DemoPlaylist[]) {
  return {
    playlists: playlists.map((playlist) => {
      const { name, description, public: isPublic, collaborative } = playlist;
      return { name, description, isPublic, collaborative, uris: urisOf(playlist) };
    }),
    saved: savedUris({ provider }).toSorted(),
  };
}

function draw(relay: Relay, playlists: readonly DemoPlaylist[], chance: Chance): Edit {
  const playlist = chance.pick(playlists);
  const playlist_id = playlist.id;
  const rows = urisOf(playlist);
  const saved = savedUris(relay);
  const track_ids = some(relay, chance, chance.whole(1, 230));
  const kept = () =>
    (rows.length === 0 ? track_ids : rows).filter((_, index) => index < 1 || chance.fraction() < 0.3);
  const mixed = [...new Set([...saved.filter(() => chance.fraction() < 0.05), ...track_ids.slice(0, 60)])];
  const payload = { playlist_id, skip_duplicates: false };
  const edits: Array<() => Edit> = [
    () => ({ tool: 'add_tracks_to_playlist', args: { playlist_id, track_ids } }),
    () => ({ tool: 'remove_tracks_from_playlist', args: { playlist_id, track_ids: kept() } }),
    () => ({ tool: 'replace_playlist_tracks', args: { playlist_id, track_ids } }),
    () => ({ tool: 'deduplicate_playlist', args: { playlist_id } }),
    () => ({ tool: 'bulk_add_tracks', args: { playlist_id, tracks: track_ids } }),
    () => ({ tool: 'update_playlist_details', args: { playlist_id, name: `Name ${chance.whole(1, 99)}` } }),
    () => ({ tool: 'save_tracks', args: { track_ids: mixed } }),
    () => ({ tool: 'remove_saved_tracks', args: { track_ids: mixed } }),
    () => ({ type: 'add_to_playlist', payload, items: track_ids }),
    () => ({ type: 'replace_playlist', payload, items: track_ids }),
    () => ({ type: 'save_tracks', payload: {}, items: mixed }),
    () => ({ type: 'remove_saved_tracks', payload: {}, items: mixed }),
  ];
  if (rows.length > 20)
    edits.push(() => {
      const move = { range_start: chance.whole(0, 5), range_length: chance.whole(1, 5) };
      return {
        tool: 'reorder_playlist_tracks',
        args: { playlist_id, ...move, insert_before: chance.whole(12, rows.length) },
      };
    });
  return chance.pick(edits)();
}

/** Makes the edit, waits until it is complete, and returns the ID of its change; null if the answer has none. */
async function make(relay: Relay, edit: Edit): Promise<string | null> {
  if ('tool' in edit) {
    const settled = await change(relay, edit.tool, edit.args);
    assertDone(settled);
    return changeIdIn(settled.answer);
  }
  const id = await createJob(relay, edit.type, edit.items, edit.payload);
  await reach(relay, id, 'ready');
  await relay.call('commit_job', { job_id: id });
  const job = await ended(relay, id);
  assert.equal(job.status, 'completed', JSON.stringify(job.error));
  return changeIdIn({ ...job, ...job.result });
}

function changeIdIn({ change_id }: Record<string, unknown>): string | null {
  return typeof change_id === 'string' ? change_id : null;
}

/** Tracks; a few may be repeated. */
function some({ provider }: Relay, chance: Chance, count: number): string[] {
  const pool = provider.catalogue.tracks.slice(0, 3_000);
  return Array.from({ length: count }, () => chance.pick(pool).uri);
}
