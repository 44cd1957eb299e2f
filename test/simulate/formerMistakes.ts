/**
 * Mistakes that an earlier write engine made, found by hand in three days of use before there were histories from seeds. Each is
 * made again in today's program, as the smallest change that has the same effect.
 */
import type { Mutant } from './mutants.ts';

export const FORMER_MISTAKES: readonly Mutant[] = [
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
  },
  {
    name: "a creation whose answer was lost takes somebody's empty playlist of that name",
    file: 'src/changes/look.ts',
    from: 'const fresh = named.filter(({ id }) => !before.has(id));',
    to: 'const fresh = named.slice(0, 1);',
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
  },
  {
    name: "a person's deliberate double is removed as relay's",
    file: 'src/changes/finish.ts',
    from: 'const again = (body.notes?.sentAgain ?? []) as readonly string[];\n  const isOurs = again.length > 1 && ',
    to: "const again = plan.ops.flatMap((op) => ('uris' in op ? op.uris : []));\n  const isOurs = ",
  },
  {
    name: 'a move with a lost answer counts as not written',
    file: 'src/changes/findOut.ts',
    from: "if (verdict.kind !== 'landed') return verdict.kind;",
    to: "if (verdict.kind !== 'landed') return verdict.kind;\n  if (next?.op.op === 'move') return 'absent';",
  },
  {
    name: 'an answer says that the job writes the rest while it is rolled back',
    file: 'src/changes/drive.ts',
    from: 'if (run.control.waiter === null) return follow(run, ending, error, step);',
    to: '',
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
    to: 'const rest = (written: number, when: string) => `Write the rest (from entry ${written + 1}) ${when}.`;',
  },
  {
    name: "a version 30 s old: undo goes over a person's change of a row far behind",
    file: 'src/changes/undo.ts',
    from: 'let planned = quick && onlyAppends(quick.ops) ? quick : null;',
    to: 'let planned = quick;',
  },
  {
    name: 'a job that adds to a full playlist goes on for hours',
    file: 'src/changes/situation.ts',
    from: 'if (held + count <= MAX_ROWS) return null;',
    to: 'if (held + count <= Number.POSITIVE_INFINITY) return null;',
  },
];
