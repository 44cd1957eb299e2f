/**
 * Checks that only the files listed here write to the terminal. `npm run check` runs this check, and so does
 * `test/structure.test.ts`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathsInSrc, src } from './files.ts';

/** Files that may use the streams of the process. All others print through `cli/terminal/output.ts`, which cleans the text. */
const STREAM_FILES: Readonly<Record<string, string>> = {
  'cli/terminal/processWorld.ts': 'gives the streams to the command line, where `cli/context.ts` wraps them',
  'cli/stdio/pipe.ts': 'stdout carries MCP messages there, which are JSON and must arrive unchanged',
  'cli/terminal/runProcess.ts':
    'reports on stderr that stdout cannot be written; it has no context whose functions could print this',
  'server/log/log.ts': 'the log writes to stderr, after cleaning',
  'generated/queryWorker.ts': 'a thread whose streams nobody reads',
  'secrets/keychainHelper.ts': 'a child process answers its parent through a pipe',
};

/** Files of the command line that may write to the cleaned streams directly. */
const CLEANED_STREAM_FILES: Readonly<Record<string, string>> = {
  'cli/terminal/output.ts': 'the printing functions',
  'cli/program.ts': 'hands the streams to the parser for its help texts',
  'cli/terminal/prompt.ts': 'a prompt has no line end',
};

const STREAM_USE =
  /\bprocess\s*\.\s*(?:stdout|stderr)\b|\{[^}]*\b(?:stdout|stderr)\b[^}]*\}\s*=\s*process\b|\bconsole\s*\.|\bwriteSync\(\s*[12]\b/;
const CLEANED_STREAM_USE = /\bio\s*\.\s*(?:out|err)\b|\{[^}]*\b(?:out|err)\b[^}]*\} = (?:context\.)?io\b/;

/** Returns a sentence for each unlisted file that writes directly, and one for each listed file that does not. */
export function strayWriters(): string[] {
  const files = pathsInSrc().filter((file) => file.endsWith('.ts'));
  return [
    ...problemsOf(files, STREAM_USE, STREAM_FILES, 'writes to a stream of the process: print through'),
    ...problemsOf(
      files.filter((file) => file.startsWith('cli/')),
      CLEANED_STREAM_USE,
      CLEANED_STREAM_FILES,
      'uses io.out or io.err: print with the functions of',
    ),
  ];
}

function problemsOf(
  files: readonly string[],
  pattern: RegExp,
  allowed: Readonly<Record<string, string>>,
  problem: string,
): string[] {
  const writers = files.filter((file) => pattern.test(readFileSync(join(src, file), 'utf8')));
  return [
    ...writers
      .filter((file) => !Object.hasOwn(allowed, file))
      .map((file) => `src/${file} ${problem} cli/terminal/output.ts`),
    ...Object.keys(allowed)
      .filter((file) => !writers.includes(file))
      .map((file) => `src/${file} no longer writes directly: remove it from scripts/check/writers.ts`),
  ];
}
