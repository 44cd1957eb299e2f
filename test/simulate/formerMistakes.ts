/**
 * Mistakes that an earlier write engine made, found by hand in three days of use before there were histories from seeds. Each is
 * made again in today's program, as the smallest change that has the same effect.
 */
import { FIRST_WITH_MORE } from './more.ts';

export const FORMER_MISTAKES = [
  {
    name: 'a rollback writes over a row that a person added meanwhile',
    file: 'src/changes/finish.ts',
    from: 'const former = formerBeside(run, rows);',
    to: 'const { former } = plan;',
  },
  {
    name: 'other tools write to a new playlist while it is filled',
    file: 'src/changes/changes.ts',
    from: 'entry.giveBack = await turns.acquire(playlistId);',
    to: 'void playlistId;',
    firstSeed: FIRST_WITH_MORE,
  },
  {
    name: 'two callers are told the same new playlist',
    file: 'src/changes/findOut.ts',
    from: "if (made === 'unclear' || hasRival(context.store, change.seq, step.op.details.name)) return 'other';\n  if (isMadeByOther(context.store, made.id, change.seq)) return 'absent';",
    to: "if (made === 'unclear') return 'other';",
  },
  {
    name: "undo of an addition takes the person's older row of the same song",
    file: 'src/changes/planRows.ts',
    from: 'const isMissing = wanted.map((uri) => out.has(uri));',
    to: 'const isMissing = wanted.map((uri) => out.has(uri) && !held.has(uri));',
  },
  {
    name: 'a row that moves while pages are read is lost',
    file: 'src/provider/resources/playlistRows.ts',
    from: 'if (before.length < PLAYLIST_PAGE && !isReusable) return before;',
    to: 'return before;',
  },
  {
    name: 'relay forgets its own write of a moment ago where lists lag',
    file: 'src/provider/resources/playlistRows.ts',
    from: "if (seen.kind === 'behind') return { value, rows: seen.rows, isMixed: false };",
    to: "if (seen.kind === 'behind') return { value, rows: null, isMixed: false };",
  },
  {
    name: 'undo of the second rename restores the first name',
    file: 'src/changes/kinds.ts',
    from: 'details = { ...details, ...Object.fromEntries(Object.entries(op.set).filter(isOwn)) };',
    to: 'void isOwn;',
  },
  {
    name: 'undo of an unfollow does not wait for a late effect',
    file: 'src/changes/undo.ts',
    from: "await settleTarget(context, change.playlistId ?? '', call);\n      return plain(",
    to: 'return plain(',
    firstSeed: FIRST_WITH_MORE,
  },
  {
    name: "a person's deliberate double is removed as relay's",
    file: 'src/changes/finish.ts',
    from: 'if (!isOurs || !isDoubled(present, goal, again) || !goal.every(isWritable))',
    to: 'const isMore = goal.every((uri) => present.includes(uri)) && present.every((uri) => goal.includes(uri));\n  if ((!isOurs && !isMore) || !goal.every(isWritable))',
  },
  {
    name: 'a move with a lost answer counts as not written',
    file: 'src/changes/findOut.ts',
    from: "if (verdict.kind !== 'landed') return verdict.kind;",
    to: "if (verdict.kind !== 'landed') return verdict.kind;\n  if (next?.op.op === 'move') return 'absent';",
  },
  {
    name: 'an answer says that the job writes the rest while it is rolled back',
    file: 'src/tools/playlists/playlistWriting.ts',
    from: 'return change.goingBack\n    ?',
    to: 'return change.goingBack && jobId === null\n    ?',
  },
  {
    name: "a move soon after relay's own write cannot be undone",
    file: 'src/provider/resources/playlistRows.ts',
    from: 'return [...(rows ?? asList(value, value.total))];',
    to: 'return [...asList(value, value.total)];',
  },
  {
    name: 'undo of an addition replaces all rows and loses what arrives between',
    file: 'src/changes/undo.ts',
    from: 'const ops = inPlace && !isRisky ? inPlace : wanted.every(isWritable) ? replaceOps(wanted) : null;',
    to: 'const ops = wanted.every(isWritable) ? replaceOps(wanted) : !isRisky ? inPlace : null;',
  },
  {
    name: 'a change that was rolled back, resumed and completed cannot be undone by the ID that was given first',
    file: 'src/changes/history.ts',
    from: 'return last && isWithoutEffect ? last : change;',
    to: 'return last && !isWithoutEffect ? last : change;',
  },
  {
    name: 'a partial undo of saves names other entries than are left',
    file: 'src/tools/extras/changeTools.ts',
    from: 'const rest = (_: number, when: string) => undoAgain(change, when);',
    to: "const rest = (written: number, when: string) => 'Write the rest (from entry ' + (written + 1) + ') ' + when + '.';",
  },
  {
    name: "a version 30 s old: undo goes over a person's change of a row far behind",
    file: 'src/changes/undo.ts',
    from: "const how = isForced ? 'readShown' : 'readSettled';",
    to: "if (quick) return { former: { rows: quick.present }, ops: quick.ops, rewritten: 0, lost: [] };\n  const how = isForced ? 'readShown' : 'readSettled';",
    firstSeed: FIRST_WITH_MORE,
  },
  {
    name: 'a job that adds to a full playlist goes on for hours',
    file: 'src/changes/situation.ts',
    from: 'if (held + count <= MAX_ROWS) return null;',
    to: 'if (held + count <= Number.POSITIVE_INFINITY) return null;',
  },
];
