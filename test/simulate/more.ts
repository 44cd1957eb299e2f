/**
 * Draws that were added to those of `plan.ts` later. Each has random numbers of its own and changes only a part of the plans, so
 * that most seeds keep their plans. The seeds that the README names all do.
 */
import type { Chance } from '../changes/crash/chance.ts';
import { chanceFor } from './chance.ts';
import type { Deed, Plan, Wish } from './plan.ts';
import { EPISODES, LOCALS } from './spotify.ts';

/** The first seed whose plan has these draws. */
export const FIRST_WITH_MORE = 10_000;

export function withMore(plan: Plan): Plan {
  if (plan.seed < FIRST_WITH_MORE) return plan;
  return withOtherRows(repeating(plan));
}

/** Puts episodes and local files into lists, into what clients ask for, and into what a person adds. */
function withOtherRows(plan: Plan): Plan {
  const chance = chanceFor(plan.seed, 'episodes and local files');
  if (chance.fraction() > 0.12) return plan;
  const has = (share: number) => chance.fraction() < share;
  const drawn = chance.pick([[EPISODES], [LOCALS], [EPISODES, LOCALS], [EPISODES, LOCALS]]);
  const other = () => chance.pick(drawn) + chance.whole(0, 4);
  const lists = plan.lists.map((list) => {
    const rows = [...list.rows];
    for (let count = chance.pick([0, 1, 1, 2, 4]); count > 0; count--)
      rows.splice(chance.whole(0, rows.length), 0, other());
    return { ...list, rows };
  });
  const wished = (wish: Wish): Wish => {
    if (!('tracks' in wish) || IN_LIBRARY.has(wish.do) || !has(0.35)) return wish;
    if (wish.do === 'job' && (wish.type === 'save_tracks' || wish.type === 'remove_saved_tracks')) return wish;
    const tracks = [...wish.tracks];
    for (let count = chance.pick([1, 1, 2]); count > 0; count--)
      tracks.splice(chance.whole(0, tracks.length), 0, has(0.1) ? other() : EPISODES + chance.whole(0, 4));
    return { ...wish, tracks };
  };
  const done = (deed: Deed): Deed =>
    (deed.do === 'add' || deed.do === 'swap') && has(0.4) ? { ...deed, track: other() } : deed;
  const clients = plan.clients.map((client) => ({
    ...client,
    acts: client.acts.map((act) => ({ ...act, wish: wished(act.wish) })),
  }));
  const person = plan.person.map(({ when, deed }) => ({ when, deed: done(deed) }));
  return { ...plan, lists, clients, person };
}

const IN_LIBRARY: ReadonlySet<Wish['do']> = new Set(['save', 'unsave']);

function repeating(plan: Plan): Plan {
  const clients = plan.clients.map((client, index) => {
    const repeats = chanceFor(plan.seed, `repeats ${index}`);
    const acts = client.acts.map((act) => ({ ...act, wish: withRepeats(repeats, asJob(repeats, act.wish)) }));
    return { ...client, acts };
  });
  return { ...plan, clients };
}

/** Lets a job remove saved songs. */
function asJob(chance: Chance, wish: Wish): Wish {
  if (wish.do !== 'unsave' || chance.fraction() > 0.4) return wish;
  const cancelAfter = chance.fraction() < 0.2 ? chance.whole(0, 20_000) : null;
  const more = { list: -1, name: '', skipExisting: false, cancelAfter };
  return { do: 'job', type: 'remove_saved_tracks', tracks: wish.tracks, ...more };
}

/** Names some tracks twice. The tools that can leave out such repeats are mostly told to. */
function withRepeats(chance: Chance, wish: Wish): Wish {
  if (!('tracks' in wish) || wish.do === 'find' || wish.tracks.length === 0 || chance.fraction() > 0.12)
    return wish;
  const tracks = [...wish.tracks];
  for (let count = chance.pick([1, 1, 2, 5]); count > 0; count--)
    tracks.splice(chance.whole(0, tracks.length), 0, chance.pick(tracks));
  const canSkip = wish.do === 'create' || wish.do === 'job';
  return canSkip ? { ...wish, tracks, skipDuplicates: chance.fraction() < 0.7 } : { ...wish, tracks };
}
