/** Judges what kept playlists hold, and what was written to them, by what Spotify holds. */
import type { DemoPlaylist } from '../../../src/demo/state.ts';
import { sameRows, without } from '../../../src/domain/rows.ts';
import type { Keep } from '../../keeps/keptPlaylists.ts';
import { type Effect, urisOf } from '../spotify.ts';
import { shown } from './actors.ts';
import { MINUTE, type RuleText } from './plan.ts';
import type { KeepStage } from './stage.ts';
import { wantedBy } from './world.ts';

/** Judges a kept playlist, once everything has come to rest. */
export function judgeKeep(stage: KeepStage, keep: Keep): void {
  const { spotify, found, said, lists } = stage;
  const text = said.get(keep.sql);
  const playlist = spotify.all().find(({ id }) => id === keep.playlist_id);
  if (!text || !playlist) {
    found('a kept playlist is nowhere', `${keep.name} (${keep.status}): ${keep.reason}`);
    return;
  }
  const told = `${keep.name} (${keep.status}, ${keep.reason ?? keep.last_result})`;
  const judged = (rows: readonly string[]) => rows.filter((uri) => isJudged(stage, text, uri));
  const rows = judged(urisOf(playlist));
  const wanted = judged(wantedBy(text, spotify, lists));
  const difference = `${shown(rows)} in place of ${shown(wanted)}`;
  if (
    keep.status === 'active' &&
    !isCircular(stage) &&
    !sameRows(rows, wanted) &&
    !isUnseen(stage, text, playlist)
  )
    found('a kept playlist is not what its query says', `${told}: ${difference}`);
  if (keep.status === 'waiting') found('a kept playlist waits for nothing', told);
  if (keep.status === 'review') judgeReview(stage, keep, { told, playlist, rows, wanted });
}

/**
 * True if relay may not have seen a person's edit: if a rule reads no playlist, relay looks at the rule's own playlist only to
 * write to it, or once a week.
 */
function isUnseen({ spotify, requests }: KeepStage, text: RuleText, playlist: DemoPlaylist): boolean {
  if (text.is !== 'saved' && text.is !== 'head') return false;
  const edit = spotify.effects.findLast(({ by, playlist: on }) => by === 'person' && on === playlist);
  if (!edit) return false;
  return !requests.some(({ at, path }) => path === '/me/playlists' && at - spotify.lags.versions > edit.at);
}

/** False for a song that has gone grey, or that reads show under another ID if the rule compares IDs. */
function isJudged({ spotify }: KeepStage, text: RuleText, uri: string): boolean {
  return !spotify.vanished.has(uri) && !(BY_ID.includes(text.is) && spotify.relinked.has(uri));
}

/** Rules that compare IDs. If two lists show a song under two IDs, these rules count it as two songs. */
const BY_ID: ReadonlyArray<RuleText['is']> = ['unsorted', 'union'];

/** True if two rules read each other. Then nothing says what either playlist should hold. */
function isCircular({ plan }: KeepStage): boolean {
  return plan.rules.some(({ name }) => name === 'Circle');
}

interface Judged {
  told: string;
  playlist: DemoPlaylist;
  rows: readonly string[];
  wanted: readonly string[];
}

function judgeReview(stage: KeepStage, { reason = '', preview }: Keep, judged: Judged): void {
  const { spotify, found, isRestored } = stage;
  const { told, playlist, rows, wanted } = judged;
  const [removed, added] = [without(rows, wanted).length, without(wanted, rows).length];
  if (reason.startsWith('The playlist is not in your library')) {
    if (spotify.account.playlists.includes(playlist)) found('a review is not true', told);
    return;
  }
  const isExact = spotify.vanished.size + spotify.relinked.size === 0 && !isCircular(stage);
  if (isExact && preview && (preview.removed_count !== removed || preview.added_count !== added))
    found(
      'the preview of a review is not true',
      `${told}: it would add ${added} and remove ${removed}, not ${preview.added_count} and ${preview.removed_count}`,
    );
  const isTrue =
    (reason.startsWith('Somebody changed') && (isEdited(stage, playlist) || isRestored)) ||
    (reason.startsWith('The query finds nothing') && wanted.length === 0 && rows.length > 0) ||
    (reason.startsWith('The playlist would shrink') &&
      rows.length - wanted.length > Math.max(5, 0.3 * rows.length)) ||
    /local files? would go/.test(reason) ||
    (reason.startsWith('The query reads') &&
      spotify.account.playlists.every(({ name }) => !reason.includes(`"${name}"`))) ||
    (reason.startsWith('The playlist goes back and forth') && isCircular(stage));
  if (!isTrue && !(isCircular(stage) && reason.startsWith('The'))) found('a review is not true', told);
}

/** True if somebody else has changed the playlist after relay last wrote to it for a rule, or at about that time. */
function isEdited({ spotify, meddled }: KeepStage, playlist: DemoPlaylist): boolean {
  const own = spotify.effects.filter(
    (effect) => effect.playlist === playlist && effect.by === 'relay' && !isAskedFor(meddled, effect),
  );
  const last = (own.at(-1)?.at ?? 0) - 3 * MINUTE;
  return (
    spotify.effects.some(({ by, playlist: on, at }) => by === 'person' && on === playlist && at >= last) ||
    meddled.some((one) => one.playlist === playlist.id && one.at >= last)
  );
}

/** True if somebody may have asked for a write, so that the write need not come from a rule. */
function isAskedFor(meddled: KeepStage['meddled'], { at, playlist }: Effect): boolean {
  return meddled.some(
    (one) => one.playlist === playlist?.id && at >= one.at - MINUTE && at - one.at < 100 * MINUTE,
  );
}

/** A run of a rule as Spotify saw it: writes to one playlist that follow each other. */
interface Written {
  playlist: DemoPlaylist;
  effects: Effect[];
}

function runsOf({ spotify }: KeepStage): Written[] {
  const runs: Written[] = [];
  for (const effect of spotify.effects) {
    if (effect.by !== 'relay' || effect.playlist === null) continue;
    const run = runs.findLast(({ playlist }) => playlist === effect.playlist);
    const last = run?.effects.at(-1);
    if (run && last && effect.at - last.at < 5 * MINUTE) run.effects.push(effect);
    else runs.push({ playlist: effect.playlist, effects: [effect] });
  }
  return runs;
}

/** Judges everything that was written for rules. */
export function judgeWrites(stage: KeepStage): void {
  const { found, kept, meddled, lists, isRestored } = stage;
  const runs = runsOf(stage);
  for (const [index, { playlist, effects }] of runs.entries()) {
    const [first, last] = [effects[0] as Effect, effects.at(-1) as Effect];
    const told = `${playlist.name} at ${first.at}: ${shown(first.before)} became ${shown(last.after)}`;
    const isAsked = meddled.some(
      (one) => one.playlist === playlist.id && one.at <= last.at + MINUTE && first.at - one.at < 100 * MINUTE,
    );
    if (isAsked) continue;
    if (lists.includes(playlist) && !kept.has(playlist.id)) {
      found('a playlist that nobody asked for was written', told);
      continue;
    }
    const before = runs
      .slice(0, index)
      .findLast((run) => run.playlist === playlist)
      ?.effects.at(-1);
    const from = before?.at ?? 0;
    const isAccepted = stage.accepted.some(
      (one) => one.playlist === playlist.id && one.at >= from - 5 * MINUTE && one.at <= last.at,
    );
    if (isAccepted) continue;
    const isMixed = stage.spotify.effects.some(
      ({ by, playlist: on, at }) =>
        by === 'person' && on === playlist && at >= first.at - MINUTE && at <= last.at,
    );
    const [had, have] = [first.before.length, last.after.length];
    if (!isMixed && had > 0 && have === 0) found('a kept playlist was emptied without a review', told);
    else if (!isMixed && had - have > 5 && had - have > 0.3 * had)
      found('a kept playlist shrank without a review', told);
    // If two rules read each other, each follows what a person did to the other rule's playlist.
    if (
      !isMixed &&
      before &&
      !isRestored &&
      !isCircular(stage) &&
      isEditOverwritten(stage, playlist, before, first)
    )
      found("a person's edit was written over without a review", told);
  }
}

/** True if relay could see a person's edit before this run, and the edit changed what the last run had left. */
function isEditOverwritten(
  { spotify }: KeepStage,
  playlist: DemoPlaylist,
  before: Effect,
  first: Effect,
): boolean {
  const edits = spotify.effects.filter(
    ({ by, playlist: on, at }) => by === 'person' && on === playlist && at > before.at && at < first.at,
  );
  const last = edits.at(-1);
  if (!last || sameRows(before.after, first.before)) return false;
  // If the library has changed since the edit, the query may at times have given the edited rows. A run then saw no difference.
  const wasSeenRight = spotify.effects.some(
    ({ playlist: on, at }) => on === null && at > last.at && at < first.at,
  );
  return !wasSeenRight && first.at - last.at > 3 * MINUTE;
}

/** Judges a time in which nobody did anything. It lasts as long as the interval of the rules. */
export function judgeIdle(stage: KeepStage, from: number, until: number, items: readonly Keep[]): void {
  const sent = stage.requests.filter(
    ({ at, path }) => at >= from && at < until && path !== '/api/token' && path !== '/me',
  );
  const writes = sent.filter(({ method }) => method !== 'GET');
  // Two rules that read each other may write in some runs before they come to rest in a review.
  if (writes.length > 0 && !isCircular(stage))
    stage.found(
      'an idle time: something is written',
      writes.map(({ method, path }) => `${method} ${path}`).join(', '),
    );
  // For a review, relay reads the playlist again, since the copy of the library may be old.
  const looked = items.filter(({ status }) => status === 'review').length;
  const texts = items.flatMap(({ sql }) => stage.said.get(sql) ?? []);
  const reads = (lists: ReadonlyArray<RuleText['is']>) => Number(texts.some(({ is }) => lists.includes(is)));
  const lists = reads(['saved', 'head', 'unsorted']) + reads(['union', 'turned', 'unsorted']);
  const most = Math.max(lists, items.length) + looked * 8;
  if (sent.length > most)
    stage.found(
      'an idle time: more than a request for each rule',
      `${sent.length} for ${items.length}: ${sent.map(({ path }) => path).join(', ')}`,
    );
}
