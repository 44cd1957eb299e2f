/**
 * Draws that were added to those of `plan.ts` later. Each has random numbers of its own and changes only a part of the plans, so
 * that most seeds keep their plans. The seeds that the README names all do.
 */
import type { Chance } from '../changes/crash/chance.ts';
import { chanceFor } from './chance.ts';
import {
  type Act,
  basePlanOf,
  type Deed,
  type EarlyUndo,
  type Kind,
  type Plan,
  visibleInTime,
  type Wish,
} from './plan.ts';
import { EPISODES, LOCALS } from './spotify.ts';

/** The first seed whose plan has these draws. */
export const FIRST_WITH_MORE = 10_000;

/** The plan of a seed. */
export function planOf(seed: number, only?: Kind): Plan {
  const plan = basePlanOf(seed, only);
  if (plan.seed < FIRST_WITH_MORE) return plan;
  return withSoonUndo(withFinder(withRush(withEarlyUndo(withOtherRows(repeating(plan))))));
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
    if (wish.do === 'job' && (wish.type === 'save_tracks' || wish.type === 'remove_saved_tracks'))
      return wish;
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

/** Lets two or three clients change one list at the same moment, in place of one of the wishes. */
function withRush(plan: Plan): Plan {
  const chance = chanceFor(plan.seed, 'rush');
  const has = (share: number) => chance.fraction() < share;
  if (['create', 'library', 'details', 'full'].includes(plan.kind) || has(0.9)) return plan;
  const at = chance.whole(0, plan.clients.length - 1);
  const list = at;
  // A list belongs to one client, and here to those that the client stands for.
  if (list >= plan.lists.length) return plan;
  const rows = plan.lists[list]?.rows ?? [];
  let next = 3_000;
  const fresh = () => {
    const count = chance.pick([1, 2, 5, 101, 130]);
    next += count;
    return Array.from({ length: count }, (_, index) => next - count + index);
  };
  const some = () => {
    const share = chance.pick([0.1, 0.5, 1]);
    const drawn = rows.filter(() => has(share));
    return drawn.length > 0 ? drawn : fresh();
  };
  const tracks = () => [...fresh(), ...(has(0.3) ? some().slice(0, 3) : [])];
  const wish = (): Wish & { list: number } =>
    chance.pick<() => Wish & { list: number }>([
      () => ({ do: 'add', list, tracks: tracks() }),
      () => ({ do: 'remove', list, tracks: some() }),
      () => ({ do: 'replace', list, tracks: tracks() }),
      () => ({ do: 'deduplicate', list }),
      () => ({ do: 'bulk', list, tracks: tracks(), skipExisting: has(0.5) }),
      () => ({
        do: 'reorder',
        list,
        start: chance.fraction(),
        length: chance.fraction(),
        before: chance.fraction(),
      }),
      () => ({
        do: 'job',
        type: chance.pick(['add_to_playlist', 'replace_playlist']),
        list,
        name: '',
        tracks: tracks(),
        skipExisting: has(0.3),
        cancelAfter: null,
      }),
    ])();
  const calls = Array.from({ length: chance.whole(2, 3) }, () => ({
    pause: chance.pick([0, 0, 0, 5, 50, 300, 2_000]),
    wish: wish(),
  }));
  const rush: Wish = { do: 'rush', list, calls, undoes: has(0.6) };
  const clients = plan.clients.map((client, index) => {
    if (index !== at) return client;
    const nth = chance.whole(0, client.acts.length - 1);
    return {
      ...client,
      acts: client.acts.map((act, one) => (one === nth ? { ...act, leaves: null, wish: rush } : act)),
    };
  });
  return { ...plan, clients };
}

/** Lets another client write to a new playlist while it is being filled. */
function withFinder(plan: Plan): Plan {
  const chance = chanceFor(plan.seed, 'finder');
  const [first] = plan.clients[0]?.acts ?? [];
  if (first?.wish.do !== 'create' || first.wish.tracks.length === 0 || chance.fraction() > 0.3) return plan;
  // Of two that write to it at the same moment, nothing would tell which of them came last.
  if (plan.clients.some(({ acts }) => acts.some(({ wish }) => wish.do === 'find'))) return plan;
  const { name } = first.wish;
  const tracks = chance.pick([[], [3_900]]);
  const pause = first.pause + chance.pick([0, 50, 100, 200, 500, 1_000, 2_000]);
  const finder: Plan['clients'][number] = {
    name: `client ${plan.clients.length}`,
    acts: [{ pause, leaves: null, wish: { do: 'find', name, tracks } }],
  };
  return { ...plan, clients: [...plan.clients, finder] };
}

/** Deletes a playlist, and brings it back before the lost request to delete it takes effect. */
function withSoonUndo(plan: Plan): Plan {
  const chance = chanceFor(plan.seed, 'soon undo');
  const [client, ...others] = plan.clients;
  if (plan.kind !== 'details' || !client || chance.fraction() > 0.15) return plan;
  const pause = () => chance.pick([0, 0, 1_000, 4_000]);
  const acts: Act[] = [
    { pause: pause(), leaves: null, wish: { do: 'unfollow', list: 0 } },
    { pause: pause(), leaves: null, wish: { do: 'undo', back: 0, force: false } },
  ];
  const answer = chance.pick([504, 'drop'] as const);
  const late = {
    of: 'library',
    skip: 0,
    times: 1,
    action: { kind: 'late', ms: chance.whole(2_000, 8_000), answer },
  } as const;
  const soon = {
    ...plan,
    clients: [{ ...client, acts: [...acts, ...client.acts] }, ...others],
    faults: [late, ...plan.faults],
  };
  return { ...soon, lags: visibleInTime(soon) };
}

/** Undoes what a job writes while the job writes, or when it is resumed after Spotify has refused one of its requests. */
function withEarlyUndo(plan: Plan): Plan {
  const chance = chanceFor(plan.seed, 'early undo');
  const has = (share: number) => chance.fraction() < share;
  const isOf = (wish: Wish) => wish.do === 'job' && ROW_JOBS.has(wish.type);
  if (!plan.clients.some(({ acts }) => acts.some(({ wish }) => isOf(wish))) || has(0.6)) return plan;
  const isBeside = has(0.7);
  const early = (): EarlyUndo =>
    isBeside
      ? { beside: chance.pick([0, 0, -200, -3_000, 50, 200, 600, 3_000, 10_000]) }
      : { after: chance.whole(0, 20_000) };
  const clients = plan.clients.map((client) => ({
    ...client,
    acts: client.acts.map((act) => {
      const { wish } = act;
      if (wish.do !== 'job' || !isOf(wish)) return act;
      return { ...act, wish: { ...wish, early: early(), ...(isBeside ? { attempts: 1 } : {}) } };
    }),
  }));
  if (!isBeside) return { ...plan, clients };
  const action = { kind: 'status', status: chance.pick([403, 404]) } as const;
  const skip = chance.pick([0, 1, 1, 1, 2]);
  const refusal = { of: 'rows', skip, times: chance.pick([1, 1, 1, 2, 3]), action } as const;
  return { ...plan, clients, faults: [refusal, ...plan.faults] };
}

/** Jobs that write rows of a playlist that is there already. */
const ROW_JOBS: ReadonlySet<string> = new Set(['add_to_playlist', 'replace_playlist']);

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
