/**
 * Finds files, exports and dependencies that nothing uses. Knip looks for them twice: in everything, and in the program
 * without its tests. An export that only tests use carries `@internal` in its doc comment.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from './files.ts';

const KINDS = ['files', 'dependencies', 'devDependencies', 'exports', 'types'] as const;

type Finding = { name: string; line?: number };
type Report = { issues: Array<{ file: string } & Record<(typeof KINDS)[number], Finding[] | undefined>> };

const sentences = new Set([...unused([]), ...unused(['--production'])]);
for (const sentence of sentences) console.log(sentence);
process.exitCode = sentences.size === 0 ? 0 : 1;

function unused(flags: readonly string[]): string[] {
  const knip = join(root, 'node_modules', 'knip', 'bin', 'knip.js');
  const args = [knip, '--reporter', 'json', '--no-exit-code', '--no-progress', ...flags];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`knip failed: ${stderr}`);
  const { issues }: Report = JSON.parse(stdout);
  return issues.flatMap((issue) =>
    KINDS.flatMap((kind) => (issue[kind] ?? []).map((one) => describe(issue.file, kind, one))),
  );
}

function describe(file: string, kind: (typeof KINDS)[number], { name, line }: Finding): string {
  if (kind === 'files') return `${file} is not used`;
  return kind === 'exports' || kind === 'types'
    ? `${file}:${line} exports ${name}, which nothing imports: drop the export, or mark it @internal if only tests import it`
    : `${file} names ${name}, which nothing imports`;
}
