/** Mistakes that are made in the program on purpose, to see that histories find them. */

/** One mistake: a passage of a file, and what takes its place. */
export interface Mutant {
  name: string;
  file: string;
  from: string;
  to: string;
  /** The subject whose histories can show the mistake; undefined if the usual ones can. */
  only: 'keeps' | undefined;
}

/** Number of seeds within which a mistake must be found. */
export const MUTANT_SEEDS = 2_000;

/** The file, then the name of each mistake, what goes (`-`) and what comes (`+`). Lines are compared without their indent. */
const TEXT = `
src/work/write/drive.ts
  a lost answer counts as written
    -return afterDoubt(run, await findOut(run, next), whyFull(run, op) ?? error);
    +landed(run, next); return null;
  a lost answer counts as one without effect, and nobody looks
    -return afterDoubt(run, await findOut(run, next), whyFull(run, op) ?? error);
    +return afterDoubt(run, 'absent', whyFull(run, op) ?? error);
  after a crash nobody looks
    -else if (work.sending || work.replan) {
    +else if (work.sending && control.before.count < 0) {
  a rollback is told and not done
    -const facts = { step: 0, goingBack: true };
    +const facts = { step: ops.length, goingBack: true };
src/work/write/send.ts
  a lost answer counts as a refusal
    -if (error.details?.sent === false || isCertainlyUnsent(error.cause)) return false;
    +return false;
  a success without a version counts as an answer
    -if (writesRows(op) && snapshotId === null) throw invalidResponse(request, 'no snapshot_id in it');
    +
src/work/write/look.ts
  the first look is trusted
    -if (waited < LATEST_EFFECT_MS) continue;
    -if (seen.kind === 'state') {
    +if (seen.kind !== 'state' && waited < LATEST_EFFECT_MS) continue;
    +if (seen.kind === 'state') {
src/work/write/writes.ts
  nothing is synced before the first request
    -return store.durable(
    +return (async (change: () => Work, _undo: () => void) => store.transaction(change))(
src/work/write/kinds.ts
  a replacement forgets the first row that was there
    -return { former: { rows: former }, ops: isBegin
    +return { former: { rows: former.slice(1) }, ops: isBegin
src/work/write/undo.ts
  undo does not mind what others did
    -return { present: shown, left, isAsLeft: false, goal };
    +return { present: shown, left, isAsLeft: true, goal };
src/provider/resources/playlistRows.ts
  what relay has just written is not waited for
    -if (last.ageMs > (states.some(shows) ? LONG_LAG_MS : LAG_MS)) return value;
    +return value;
src/work/keeps/decide.ts
  a run does not mind what others did
    -if (left !== null && !mayBeRows(left, present)) {
    +if (left?.length === -1) {
  a kept playlist may be emptied
    -if (had > 0 && have === 0)
    +if (had < 0)
src/library/versions/restorePlan.ts
  a restore leaves out the last row of that day
    -const all = version.map(({ uri }) => uri ?? '');
    +const all = version.slice(0, -1).map(({ uri }) => uri ?? '');
`;

export const MUTANTS: readonly Mutant[] = TEXT.split(/\n(?=src)/).flatMap((part) => {
  const [file = '', ...mistakes] = part.trim().split(/\n {2}(?=\S)/);
  return mistakes.map((mistake): Mutant => {
    const lines = mistake.split('\n').map((line) => line.trim());
    const of = (sign: string) => lines.flatMap((line) => (line.startsWith(sign) ? [line.slice(1)] : []));
    const only = file.startsWith('src/work/write/') || file.includes('provider') ? undefined : 'keeps';
    return { name: lines[0] ?? '', file, from: of('-').join('\n'), to: of('+').join('\n'), only };
  });
});

/**
 * A file's text with the mistake in it.
 * @throws Error unless the file has the passage exactly once. Without it, the mutant would change nothing, and nobody would
 * notice
 */
export function changed(text: string, { name, file, from, to }: Mutant): string {
  const [before, after, ...more] = text.replace(/\n +/g, '\n').split(from);
  if (before !== undefined && after !== undefined && more.length === 0) return before + to + after;
  throw new Error(
    `The mutant "${name}" does not apply: its passage is ${more.length > 0 ? 'more than once' : 'not'} in ${file}. Make the same mistake in the program as it is now: put the new passage into test/simulate/mutants.ts, then run npm run simulate -- --mutants --mutant "${name}".`,
  );
}
