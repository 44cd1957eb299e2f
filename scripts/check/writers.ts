/** Checks that only the files listed here write to the terminal. `npm run check` and a test run this check. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathsInSrc, src } from './files.ts';

/** Files that may use the streams of the process. All others print through `cli/terminal/output.ts`, which cleans the text. */
const STREAMS: Readonly<Record<string, string>> = {
  'cli/terminal/processWorld.ts': 'gives the streams to the command line, where `cli/context.ts` wraps them',
  'cli/stdio/pipe.ts': 'stdout carries MCP messages there, which are JSON and must arrive unchanged',
  'cli/terminal/runProcess.ts': 'reports that output cannot be written, when nothing else can print',
  'server/log/log.ts': 'the log writes to stderr, after cleaning',
  'generated/queryWorker.ts': 'a thread whose streams nobody reads',
  'secrets/keychainHelper.ts': 'a child process answers its parent through a pipe',
};

/** Files of the command line that may write to the cleaned streams directly. */
const PIECES: Readonly<Record<string, string>> = {
  'cli/terminal/output.ts': 'the printing functions',
  'cli/program.ts': 'hands the streams to the parser for its help texts',
  'cli/terminal/prompt.ts': 'a prompt has no line end',
};

const STREAM =
  /\bprocess\s*\.\s*(?:stdout|stderr)\b|\{[^}]*\b(?:stdout|stderr)\b[^}]*\}\s*=\s*process\b|\bconsole\s*\.|\bwriteSync\(\s*[12]\b/;
const PIECE = /\bio\s*\.\s*(?:out|err)\b|\{[^}]*\b(?:out|err)\b[^}]*\} = (?:context\.)?io\b/;

/** Returns a sentence for each file that writes directly, and for each file that is listed here but does not. */
export function strayWriters(): string[] {
  const files = pathsInSrc().filter((file) => file.endsWith('.ts'));
  return [
    ...problemsOf(files, STREAM, STREAMS, 'writes to a stream of the process: print through'),
    ...problemsOf(
      files.filter((file) => file.startsWith('cli/')),
      PIECE,
      PIECES,
      'uses io.out or io.err: print with the functions of',
    ),
  ];
}

function problemsOf(
  files: readonly string[],
  form: RegExp,
  allowed: Readonly<Record<string, string>>,
  problem: string,
): string[] {
  const writers = files.filter((file) => form.test(readFileSync(join(src, file), 'utf8')));
  return [
    ...writers
      .filter((file) => !Object.hasOwn(allowed, file))
      .map((file) => `src/${file} ${problem} cli/terminal/output.ts`),
    ...Object.keys(allowed)
      .filter((file) => !writers.includes(file))
      .map((file) => `src/${file} no longer writes directly: remove it from scripts/check/writers.ts`),
  ];
}
