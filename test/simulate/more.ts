/**
 * What came to be drawn after the other draws of `plan.ts`. Each is drawn from random numbers of its own, and changes only a
 * part of the plans, so that the other seeds keep their plans.
 */
import type { Chance } from '../changes/crash/chance.ts';
import { chanceFor } from './chance.ts';
import type { Plan, Wish } from './plan.ts';

export function withMore(plan: Plan): Plan {
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
