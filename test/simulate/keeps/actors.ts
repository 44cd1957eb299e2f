/**
 * Lets the events of a plan happen: mishaps, and acts of a person in Spotify, of somebody who keeps or restores playlists, and
 * of other clients.
 */
import type { DemoPlaylist } from '../../../src/demo/state.ts';
import { sameRows } from '../../../src/domain/rows.ts';
import { chanceFor } from '../chance.ts';
import { putCopy } from '../computer.ts';
import { urisOf } from '../spotify.ts';
import { type KeepEvent, MINUTE, type PlannedRule, type RuleText } from './plan.ts';
import { after, call, type KeepStage, keeps, playlistOf } from './stage.ts';
import { rowOf, rowUri, sqlOf } from './world.ts';

type Doing<Do extends KeepEvent['do']> = Extract<KeepEvent, { do: Do }>;

/** Lets one event happen. */
export async function happen(stage: KeepStage, event: KeepEvent): Promise<void> {
  stage.say(() => `event: ${JSON.stringify(event)}`);
  switch (event.do) {
    case 'save':
    case 'unsave':
    case 'lose saved':
    case 'edit':
    case 'grey':
    case 'relink':
      return act(stage, event);
    case 'tool':
      return ask(stage, event);
    case 'act':
    case 'rewrite':
    case 'undo run':
      return tend(stage, event);
    case 'restore':
      return restore(stage, event);
    default:
      return befall(stage, event);
  }
}

/** Lets a person act. */
async function act(
  stage: KeepStage,
  event: Doing<'save' | 'unsave' | 'lose saved' | 'edit' | 'grey' | 'relink'>,
): Promise<void> {
  const { spotify, lists } = stage;
  const { account } = spotify;
  const chance = chanceFor(stage.plan.seed, `event at ${event.at}`);
  switch (event.do) {
    case 'save':
      return spotify.edit('saves', null, () => {
        account.saved = [...event.tracks.map((track) => savedRow(rowUri(track))), ...account.saved];
      });
    case 'unsave':
      return spotify.edit('removes saved', null, () => {
        account.saved = account.saved.filter(() => chance.fraction() > event.share);
      });
    case 'lose saved': {
      const { saved } = account;
      spotify.edit('loses the saved', null, () => {
        account.saved = saved.slice(0, event.left);
      });
      if (event.backAfter === null) return;
      await after(stage, event.backAfter);
      return spotify.edit('has them again', null, () => {
        account.saved = saved.filter(({ uri }) => !spotify.vanished.has(uri));
      });
    }
    case 'edit': {
      const playlist = playlistOf(stage, event.target);
      if (playlist) edit(stage, playlist, event);
      return;
    }
    case 'grey':
    case 'relink': {
      const rows = urisOf(lists[event.list] as DemoPlaylist);
      const uri = rows[Math.floor(event.place * rows.length)];
      if (!uri?.startsWith('spotify:track:')) return;
      if (event.do === 'relink') {
        if (!spotify.vanished.has(uri)) spotify.relinked.add(uri);
        return;
      }
      // A song that reads show under another ID does not go grey: nothing would show under which ID it was added.
      if (spotify.relinked.has(uri)) return;
      spotify.edit('loses a song that is not offered any more', null, () => {
        spotify.vanished.add(uri);
        account.saved = account.saved.filter((one) => one.uri !== uri);
      });
    }
  }
}

function savedRow(uri: string) {
  return { uri, addedAt: '2026-11-20T08:00:00Z' };
}

function edit({ spotify, plan }: KeepStage, playlist: DemoPlaylist, { how, track, at }: Doing<'edit'>): void {
  const chance = chanceFor(plan.seed, `event at ${at}`);
  spotify.edit(`${how} in "${playlist.name}"`, playlist, () => {
    const { rows } = playlist;
    switch (how) {
      case 'append':
        playlist.rows = [...rows, rowOf(rowUri(track))];
        return;
      case 'drop first':
        playlist.rows = rows.slice(1);
        return;
      case 'turn':
        playlist.rows = rows.toReversed();
        return;
      case 'double':
        playlist.rows = [...rows, ...rows.slice(0, 1)];
        return;
      case 'thin':
        playlist.rows = rows.filter(() => chance.fraction() > 0.15);
    }
  });
}

/** Lets another client ask relay for a write. */
async function ask(stage: KeepStage, event: Doing<'tool'>): Promise<void> {
  const { tool, target, tracks } = event;
  const playlist = playlistOf(stage, target);
  if (!playlist) return;
  const ids = tracks.map((track) => rowUri(track));
  const present = urisOf(playlist).filter((uri) => uri.startsWith('spotify:track:'));
  const given: Record<Doing<'tool'>['tool'], [string, Record<string, unknown>]> = {
    add: ['add_tracks_to_playlist', { track_ids: ids }],
    remove: ['remove_tracks_from_playlist', { track_ids: present.slice(0, 1).concat(ids.slice(0, 1)) }],
    replace: ['replace_playlist_tracks', { track_ids: [...present.slice(0, 12), ...ids] }],
    deduplicate: ['deduplicate_playlist', {}],
  };
  const [name, args] = given[tool];
  await meddling(stage, playlist, event, () => call(stage, name, { playlist_id: playlist.id, ...args }));
}

/** Notes when a change of a playlist that somebody asked relay for begins, and when it ends. */
async function meddling<T>(
  stage: KeepStage,
  { id }: DemoPlaylist,
  by: KeepEvent,
  work: () => Promise<T>,
): Promise<T> {
  const note = () => stage.meddled.push({ at: stage.time.at, playlist: id, by });
  note();
  const answer = await work();
  note();
  return answer;
}

/** Keeps a playlist by a rule. */
export async function keepRule(stage: KeepStage, rule: PlannedRule, index: number): Promise<void> {
  const { lists, said, plan } = stage;
  const { time } = stage;
  for (let attempt = 0; attempt < 20; attempt++) {
    const text = stage.texts[index] as RuleText;
    const sql = sqlOf(text, lists);
    said.set(sql, text);
    if ((await keeps(stage)).some((keep) => keep.sql === sql && keep.name === rule.name)) return;
    const target =
      lists.find(({ name }) => name === rule.name) ??
      (attempt > 0 ? stage.spotify.named(rule.name) : undefined);
    const where = target ? { playlist_id: target.id } : { name: rule.name };
    const answer = await call(stage, 'keep_playlist', { ...where, sql, every: plan.every });
    const made = (answer?.keep as { playlist_id?: string } | undefined)?.playlist_id;
    if (made) stage.kept.add(made);
    await new Promise<void>((resolve) => void time.after(2 * MINUTE, resolve));
  }
}

async function tend(stage: KeepStage, event: Doing<'act' | 'rewrite' | 'undo run'>): Promise<void> {
  const rule = stage.plan.rules[event.rule] as PlannedRule;
  const keep = (await keeps(stage)).find(({ name }) => name === rule.name);
  if (!keep) return;
  const playlist = stage.spotify.all().find(({ id }) => id === keep.playlist_id);
  switch (event.do) {
    case 'act': {
      if (event.action === 'accept') {
        if (keep.status !== 'review') return;
        stage.accepted.push({ at: stage.time.at, playlist: keep.playlist_id });
      }
      await call(stage, 'update_kept_playlist', { keep_id: keep.id, action: event.action });
      return;
    }
    case 'rewrite': {
      if (!playlist) return;
      stage.texts[event.rule] = event.text;
      // A playlist that is kept again is taken over as it is, without a review.
      stage.accepted.push({ at: stage.time.at, playlist: playlist.id });
      await call(stage, 'update_kept_playlist', { keep_id: keep.id, action: 'stop' });
      const sql = sqlOf(event.text, stage.lists);
      stage.said.set(sql, event.text);
      await call(stage, 'keep_playlist', { playlist_id: playlist.id, sql, every: stage.plan.every });
      return;
    }
    case 'undo run': {
      if (!playlist || !keep.last_change_id) return;
      await meddling(stage, playlist, event, () =>
        call(stage, 'undo_change', { change_id: keep.last_change_id }),
      );
    }
  }
}

interface Restored {
  unsupported: unknown[];
}

/** Restores a version, and compares the result with what the playlist held at the time of that version. */
async function restore(stage: KeepStage, event: Doing<'restore'>): Promise<void> {
  const { spotify, time, found } = stage;
  const playlist = playlistOf(stage, event.target);
  if (!playlist) return;
  const { items } = ((await call(stage, 'list_playlist_versions', { playlist_id: playlist.id })) ?? {}) as {
    items?: Array<{ version: number; seen_at: string; total: number }>;
  };
  const version = items?.[Math.min(event.back, items.length - 1)];
  if (!version) return;
  const args = { playlist_id: playlist.id, version: version.version, skip_unsupported: event.skips };
  const seenAt = Date.parse(version.seen_at) - (time.wall() - time.at);
  const states = spotify.statesOf(playlist, seenAt, READING_MS + spotify.lags.lists);
  const began = spotify.effects.length;
  const isElsewhere = () => isMixed(stage, playlist, event, began, time.at);
  const preview = (await call(stage, 'restore_playlist', args)) as (Restored & { error?: unknown }) | null;
  if (!isElsewhere() && relayWrote(stage, playlist, began))
    found('a preview of a restore wrote', playlist.name);
  const from = spotify.effects.length;
  const at = time.at;
  const before = urisOf(playlist);
  const mixed = () => isMixed(stage, playlist, event, from, at);
  const answer = await meddling(stage, playlist, event, () =>
    call(stage, 'restore_playlist', { ...args, dry_run: false }),
  );
  const told = `${playlist.name}, version ${version.version} of ${version.seen_at}`;
  const isThere = () => {
    const rows = urisOf(playlist);
    return states.some((state) => isRestored(stage, state, rows, event.skips));
  };
  if (answer && !answer.error) {
    if (preview && !preview.error && preview.unsupported.length > 0 && !event.skips && !mixed())
      found('a restore: what cannot be had was named, and it wrote all the same', told);
    if (!isThere() && !mixed())
      found(
        'a restore, done: the rows are not those of that day',
        `${told}: ${shown(urisOf(playlist))} in place of ${states.map(shown).join(' or ')}`,
      );
    return;
  }
  if (answer?.error?.code === 'UNSUPPORTED_ITEMS') {
    const unwritable = [...before, ...states.flat()].some(
      (uri) => uri.startsWith('spotify:local:') || spotify.vanished.has(uri),
    );
    if (!unwritable) found('a restore: nothing is there that cannot be had', told);
  }
  if (answer?.error && CLEAN.has(answer.error.code) && relayWrote(stage, playlist, from) && !mixed())
    found(`a restore, refused with ${answer.error.code}: it wrote`, told);
  stage.atEnd.push(() => {
    if (mixed() || isThere() || sameRows(urisOf(playlist), before)) return;
    found(
      'a restore, unheard: the rows are neither those of that day nor those before',
      `${told}: ${shown(urisOf(playlist))} in place of ${states.map(shown).join(' or ')}; ${answer?.error?.code ?? 'no answer'}`,
    );
  });
}

/** How long before the date of a version its reading may have begun, in milliseconds. */
const READING_MS = 40_000;
/** Error codes that say that nothing has been written. */
const CLEAN: ReadonlySet<string> = new Set([
  'UNSUPPORTED_ITEMS',
  'NOT_FOUND',
  'CONFLICT',
  'INVALID_ARGUMENT',
]);

function isRestored(
  { spotify }: KeepStage,
  state: readonly string[],
  rows: readonly string[],
  skips: boolean,
): boolean {
  const isWritable = (uri: string) => !uri.startsWith('spotify:local:') && !spotify.vanished.has(uri);
  return skips ? sameRows(state.filter(isWritable), rows.filter(isWritable)) : sameRows(state, rows);
}

/** True if a rule or others may have changed the playlist at about the same time, so that its rows are a mixture. */
function isMixed(
  { spotify, kept, meddled }: KeepStage,
  playlist: DemoPlaylist,
  event: KeepEvent,
  from: number,
  at: number,
): boolean {
  if (kept.has(playlist.id)) return true;
  const others = spotify.effects.some(
    (effect, index) =>
      effect.playlist === playlist && effect.by === 'person' && (index >= from || at - effect.at < MINUTE),
  );
  // A change that a kill has cut off continues after the next start, so earlier calls count too.
  const isAsked = meddled.some(
    (one) => one.playlist === playlist.id && one.by !== event && one.at >= at - 100 * MINUTE,
  );
  return others || isAsked;
}

function relayWrote({ spotify }: KeepStage, playlist: DemoPlaylist, from: number): boolean {
  return spotify.effects.slice(from).some((effect) => effect.by === 'relay' && effect.playlist === playlist);
}

export function shown(rows: readonly string[]): string {
  return `[${rows.map((uri) => uri.replace(/^spotify:(\w)\w*:\w?0*/, '$1')).join(' ')}]`;
}

/** Lets something happen to the computer, the network or the home. */
async function befall(
  stage: KeepStage,
  event: Doing<'kill' | 'power' | 'stop' | 'offline' | 'sleep' | 'fault' | 'copy'>,
): Promise<void> {
  const { computer, disk, network, time } = stage;
  switch (event.do) {
    case 'kill':
    case 'power':
    case 'stop':
      if (!computer.isUp) return;
      if (event.do === 'stop') await computer.stop();
      else computer.kill();
      if (event.do === 'power') disk.losePower();
      await after(stage, event.down);
      if (!computer.isUp) await computer.start();
      return;
    case 'offline':
      network.isOffline = true;
      await after(stage, event.ms);
      network.isOffline = false;
      return;
    case 'sleep':
      return time.sleepComputer(event.ms);
    case 'fault':
      return void network.faults.add(event.rule);
    case 'copy':
      return restoreHome(stage, event.ms);
  }
}

/** Makes a copy of the state, and restores it some time later. */
async function restoreHome(stage: KeepStage, ms: number): Promise<void> {
  const { computer, disk, files } = stage;
  const copy = disk.content;
  const memory = files.copyOf('memory.db');
  await after(stage, ms);
  if (!copy || !computer.isUp) return;
  stage.isRestored = true;
  await computer.stop();
  await putCopy(stage, copy);
  files.put('memory.db', memory);
  await computer.start();
}
