/**
 * Mistakes that are made in the program on purpose, to see that histories find them. Each replaces one passage of a file with
 * another.
 */
import { FORMER_MISTAKES } from './formerMistakes.ts';
import { KEEP_MUTANTS } from './keeps/mutants.ts';
import { FIRST_WITH_MORE } from './more.ts';

export interface Mutant {
  name: string;
  file: string;
  from: string;
  to: string;
  /** The only kind of histories that can show the mistake. */
  only?: 'keeps';
  /** The first seed whose history can show the mistake; left out if any can. */
  firstSeed?: number;
  /** Number of seeds within which it must be found; `MUTANT_SEEDS` if left out. */
  within?: number;
}

/** Number of seeds within which a mistake must be found. */
export const MUTANT_SEEDS = 2_000;
/** The same for mistakes that were found by hand. */
const FORMER_SEEDS = 20_000;

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a lost answer counts as one without effect, and nobody looks',
    file: 'src/changes/drive.ts',
    from: 'const found = await findOut(run, step);',
    to: "const found = { kind: 'absent' } as Awaited<ReturnType<typeof findOut>>;",
  },
  {
    name: 'a lost answer counts as written',
    file: 'src/changes/drive.ts',
    from: 'const found = await findOut(run, step);',
    to: "landed(run, step.to, null); const found = { kind: 'landed' } as Awaited<ReturnType<typeof findOut>>;",
  },
  {
    name: 'the first look is trusted',
    file: 'src/changes/findOut.ts',
    from: 'if (waited < LATEST_EFFECT_MS) continue;',
    to: "if (waited < LATEST_EFFECT_MS && seen !== 'absent' && seen !== 'landed') continue;",
  },
  {
    name: 'nothing is synced before the first request',
    file: 'src/changes/changes.ts',
    from: 'return store.durable(',
    to: 'return (async (change: () => Change, _undo: () => void) => store.transaction(change))(',
  },
  {
    name: 'the token of another account is used',
    file: 'src/provider/account/tokenSource.ts',
    from: 'account === undefined || tokens.account === account',
    to: 'true',
  },
  {
    name: 'a success without a version counts as an answer',
    file: 'src/changes/sendStep.ts',
    from: "if (writesRows(op) && snapshotId === null) throw invalidResponse(request, 'no snapshot_id in it');",
    to: '',
  },
  {
    name: 'undo does not mind what others did',
    file: 'src/changes/undo.ts',
    from: 'const isAsLeft = mayBeRows(left, present) && !isTraded(left, present);',
    to: 'const isAsLeft = mayBeRows(left, present);\n  if (!isAnyRight) return left;',
  },
  {
    name: 'a rollback is told and not done',
    file: 'src/changes/decide.ts',
    from: "{ ending: 'absent', when: (s) => !isUnwatched(s) && s.isRewriting, move: 'roll_back' }",
    to: "{ ending: 'absent', when: (s) => !isUnwatched(s) && s.isRewriting, move: 'end_unchanged' }",
  },
  {
    name: 'after a crash nobody looks',
    file: 'src/changes/drive.ts',
    from: 'if (change.inTransit) {\n    // The last run',
    to: 'if (false) {\n    // The last run',
  },
  {
    name: 'a replacement forgets the first row that was there',
    file: 'src/changes/kinds.ts',
    from: 'return { former: { rows: former }, ops: replaceOps(uris) };',
    to: 'return { former: { rows: former.slice(1) }, ops: replaceOps(uris) };',
  },
  {
    name: 'an answer that is lost counts as a refusal',
    file: 'src/changes/sendStep.ts',
    from: 'if (error.details?.sent === false || isCertainlyUnsent(error.cause)) return false;',
    to: 'return false;',
  },
  {
    name: 'writes to one playlist do not take turns',
    file: 'src/changes/changes.ts',
    from: 'const turns = createMutex();',
    to: 'const turns = { ...createMutex(), acquire: async () => () => {} };',
    firstSeed: FIRST_WITH_MORE,
  },
  ...FORMER_MISTAKES.map((mistake) => ({ ...mistake, within: FORMER_SEEDS })),
  ...KEEP_MUTANTS,
];

/**
 * A file's text with the mistake in it.
 * @throws Error unless the file has the passage exactly once. Without it, the mutant would change nothing, and nobody would
 * notice
 */
export function changed(text: string, { name, file, from, to }: Mutant): string {
  const [before, after, ...more] = text.split(from);
  if (before !== undefined && after !== undefined && more.length === 0) return before + to + after;
  throw new Error(
    `The mutant "${name}" does not apply: its passage is ${more.length > 0 ? 'more than once' : 'not'} in ${file}. Make the same mistake in the program as it is now: put the new passage into test/simulate/mutants.ts, then run npm run simulate -- --mutants --mutant "${name}".`,
  );
}
