/** A person in Spotify's own app, and what happens to the computer. */

import type { DemoPlaylist, PlaylistRow } from '../../src/demo/state.ts';
import { countsOf, difference } from '../oracle/counts.ts';
import { chanceFor } from './chance.ts';
import { putCopy } from './computer.ts';
import type { Deed, Mishap, PersonAct } from './plan.ts';
import { type Effect, uriOf } from './spotify.ts';
import { later, type Stage } from './stage.ts';

/** Lets a person act at the moments of the plan. Call `request` when a request reaches Spotify and when it has taken effect. */
export function createPerson(stage: Stage) {
  const { plan, time, lists } = stage;
  const waiting = new Map<PersonAct, number>();
  for (const act of plan.person) {
    const { when } = act;
    if ('at' in when) time.after(when.at, () => doIt(stage, act.deed));
    else waiting.set(act, when.nth);
  }
  return {
    request(method: string, path: string, before: boolean): void {
      for (const [act, left] of waiting) {
        const { when } = act;
        if ('at' in when || when.before !== before || when.reads !== (method === 'GET')) continue;
        const list = when.list === null ? null : lists[when.list];
        if (list && !path.startsWith(`/playlists/${list.id}`)) continue;
        waiting.set(act, left - 1);
        if (left > 0) continue;
        waiting.delete(act);
        doIt(stage, act.deed);
      }
    },
  };
}

function doIt({ spotify, lists, plan, say, time }: Stage, deed: Deed): void {
  const list = 'list' in deed ? (lists[deed.list] ?? null) : null;
  const { account } = spotify;
  const edit = (what: string, on: DemoPlaylist | null, change: () => void) => {
    say(() => `a person ${what}`);
    spotify.edit(what, on, change);
  };
  const now = `${new Date(spotify.world.clock.now()).toISOString().slice(0, 19)}Z`;
  const rowOf = (uri: string): PlaylistRow => ({ uri, addedAt: now, addedBy: account.id });
  const placeIn = (part: number, rows: readonly unknown[], more = 0) =>
    Math.min(rows.length - 1 + more, Math.floor(part * (rows.length + more)));
  if (list && deed.do !== 'rename' && deed.do !== 'unfollow') {
    const { rows } = list;
    if (deed.do === 'add') {
      const at = placeIn(deed.place, rows, 1);
      edit(`adds ${deed.track} to "${list.name}" at ${at}`, list, () => {
        list.rows = rows.toSpliced(at, 0, rowOf(uriOf(deed.track)));
      });
    } else if (rows.length === 0) return;
    else if (deed.do === 'double') {
      const at = placeIn(deed.place, rows);
      edit(`doubles row ${at} of "${list.name}"`, list, () => {
        list.rows = rows.toSpliced(at, 0, rowOf((rows[at] as PlaylistRow).uri));
      });
    } else if (deed.do === 'remove') {
      const at = placeIn(deed.place, rows);
      edit(`removes row ${at} of "${list.name}"`, list, () => {
        list.rows = rows.toSpliced(at, 1);
      });
    } else if (deed.do === 'swap') {
      const at = placeIn(deed.place, rows);
      edit(`swaps row ${at} of "${list.name}" for ${deed.track}`, list, () => {
        list.rows = rows.toSpliced(at, 1, rowOf(uriOf(deed.track)));
      });
    } else if (deed.do === 'move') {
      const from = placeIn(deed.place, rows);
      const to = placeIn(deed.to, rows);
      edit(`moves row ${from} of "${list.name}" to ${to}`, list, () => {
        list.rows = rows.toSpliced(from, 1).toSpliced(to, 0, rows[from] as PlaylistRow);
      });
    }
    return;
  }
  switch (deed.do) {
    case 'rename':
      if (list)
        edit(`renames "${list.name}" to "${deed.name}"`, list, () => {
          list.name = deed.name;
        });
      return;
    case 'unfollow':
      if (!list || !account.playlists.includes(list)) return;
      spotify.leftAfter.set(list, spotify.effects.length);
      edit(`removes "${list.name}" from the account`, null, () => {
        account.playlists = account.playlists.filter((one) => one !== list);
        spotify.world.unlisted.push(list);
      });
      return;
    case 'make':
      edit(`makes an empty playlist "${deed.name}"`, null, () => {
        const id = `H${chanceFor(plan.seed, `${time.at} ${spotify.persons.size}`).whole(0, 1e9)}`.padEnd(
          22,
          '0',
        );
        const made = {
          ...{
            id,
            name: deed.name,
            description: null,
            public: false,
            collaborative: false,
            version: 1,
            rows: [],
          },
          ...{ ownerId: account.id, ownerName: account.displayName, collaboratorIds: [] },
        };
        account.playlists = [made, ...account.playlists];
        spotify.persons.add(made);
        spotify.madeAt.set(made, time.at);
      });
      return;
    case 'save':
      if (account.saved.some(({ uri }) => uri === uriOf(deed.track))) return;
      edit(`saves ${deed.track}`, null, () => {
        account.saved = [{ uri: uriOf(deed.track), addedAt: now }, ...account.saved];
      });
      return;
    case 'unsave':
      if (!account.saved.some(({ uri }) => uri === uriOf(deed.track))) return;
      edit(`removes ${deed.track} from the saved songs`, null, () => {
        account.saved = account.saved.filter(({ uri }) => uri !== uriOf(deed.track));
      });
  }
}

/** Lets each mishap happen at its time. */
export function scheduleMishaps(stage: Stage): void {
  for (const mishap of stage.plan.mishaps)
    stage.time.after(
      mishap.at,
      () => {
        stage.say(() => `mishap: ${JSON.stringify(mishap)}`);
        void befall(stage, mishap);
      },
      'computer',
    );
}

async function befall(stage: Stage, mishap: Mishap): Promise<void> {
  const { computer, time, disk, network, spotify } = stage;
  switch (mishap.do) {
    case 'kill':
    case 'power':
      if (!computer.isUp) return;
      computer.kill();
      if (mishap.do === 'power') disk.losePower();
      await later(stage, mishap.down);
      await start(stage);
      return checkRecords(stage);
    case 'stop':
      if (!computer.isUp) return;
      await computer.stop();
      await later(stage, mishap.down);
      return start(stage);
    case 'sleep':
      return time.sleepComputer(mishap.ms);
    case 'clock':
      time.shifted += mishap.ms;
      return;
    case 'disk':
      disk.trouble = { code: mishap.code, until: time.at + mishap.ms };
      return;
    case 'offline':
      network.isOffline = true;
      await later(stage, mishap.ms);
      network.isOffline = false;
      return;
    case 'expire':
      return spotify.rules.grants.expireAccess();
    case 'logout':
      stage.isSwitched = true;
      await computer.logout();
      await later(stage, mishap.ms);
      return loginAgain(stage, false);
    case 'switch':
      stage.isSwitched = true;
      await computer.login(1, true);
      await later(stage, mishap.ms);
      return loginAgain(stage, true);
    case 'restore':
      return restore(stage, mishap.ms);
  }
}

/**
 * After a crash, relay must have a record of each change of which it has sent a request: records are synced before the first
 * request.
 */
function checkRecords({ spotify, computer, isRestored, found }: Stage): void {
  const { services } = computer;
  if (!services || isRestored) return;
  const written = spotify.effects.filter(
    (effect) => effect.by === 'relay' && effect.method !== 'EDIT' && !movesOthers(effect, spotify.effects),
  );
  for (const playlist of new Set(written.map(({ playlist }) => playlist))) {
    const id = playlist?.id;
    if (id === undefined) continue;
    // If the answer to making a playlist was lost, or not saved yet, its record has only the name. Nothing then connects the
    // record with the playlist.
    const isBare = written.filter((effect) => effect.playlist === playlist).length === 1;
    const known = services.store.get(
      "select 1 from changes where playlist_id = ? or (kind = 'create' and (playlist_id is null or ?))",
      [id, isBare ? 1 : 0],
    );
    if (!known) found('after a crash nothing is known of a write', id);
  }
}

/** How often to try a login: enough for a network that is gone for two minutes. */
const LOGINS = 30;

/** Connects the first account again. If that fails, a person would see it and try again. */
async function loginAgain(stage: Stage, switchAccount: boolean): Promise<void> {
  for (let login = 1; login <= LOGINS; login++) {
    if (await stage.computer.login(0, switchAccount)) return;
    await later(stage, 5_000);
  }
}

/**
 * True for a move that takes effect late, after a person has edited the list. Such a move moves other rows than relay has asked
 * for. If its answer is lost, relay cannot see that the move had an effect.
 */
function movesOthers(move: Effect, effects: readonly Effect[]): boolean {
  const isMove = difference(countsOf(move.before), countsOf(move.after)).size === 0;
  return (
    isMove &&
    effects.some(
      ({ by, playlist, at }) =>
        by === 'person' && playlist === move.playlist && at >= move.sentAt && at <= move.at,
    )
  );
}

/** Makes a copy of the state, and restores it some time later. */
async function restore(stage: Stage, ms: number): Promise<void> {
  const { computer, disk, spotify } = stage;
  const copy = disk.content;
  const known = spotify.effects.length;
  await later(stage, ms);
  if (!copy || !computer.isUp) return;
  stage.isRestored = true;
  for (const effect of spotify.effects.slice(known)) spotify.forgotten.add(effect);
  await computer.stop();
  await putCopy(stage, copy);
  return start(stage);
}

async function start({ computer, found }: Stage): Promise<void> {
  try {
    await computer.start();
  } catch (error) {
    found('the program does not start', String(error));
  }
}
