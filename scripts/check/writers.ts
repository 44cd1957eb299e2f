/** Checks that only the files listed here write to the terminal. `npm run check` and a test run this check. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathsInSrc, src } from './files.ts';

/** Files that may use the streams of the process. All others print through `cli/terminal/output.ts`, which cleans the text. */
const STREAMS: Readonly<Record<string, string>> = {
  'cli/terminal/processWorld.ts': 'hands the streams to the command line, which wraps them',
  'cli/stdio/pipe.ts': 'stdout carries MCP messages there, which are JSON and must arrive unchanged',
  'cli/terminal/runProcess.ts': 'reports that output cannot be written, when nothing else can print',
  'server/log/log.ts': 'the log writes to stderr, after cleaning',
  'generated/importWorker.ts': 'a thread whose streams nobody reads',
  'generated/queryWorker.ts': 'a thread whose streams nobody reads',
  'secrets/keychainHelper.ts': 'a child process answers its parent through a pipe',
};

/** Files of the command line that may write to the cleaned streams directly. */
const PIECES: Readonly<Record<string, string>> = {
  'cli/terminal/output.ts': 'the printing functions',
  'cli/context.ts': 'wraps the streams',
  'cli/program.ts': 'hands the streams to the parser for its help texts',
  'cli/terminal/prompt.ts': 'a prompt has no line end',
  'cli/terminal/processWorld.ts': 'creates the streams',
};

const STREAM = /\bprocess\s*\.\s*(?:stdout|stderr)\b|\bconsole\s*\.|\bwriteSync\(\s*[12]\b/;
const PIECE = /\bio\s*\.\s*(?:out|err)\b|\{[^}]*\b(?:out|err)\b[^}]*\} = (?:context\.)?io\b/;

/** Returns one sentence per file that writes past the sanitiser. */
export function strayWriters(): string[] {
  return pathsInSrc()
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => {
      const text = readFileSync(join(src, file), 'utf8');
      const isStray = STREAM.test(text) && !Object.hasOwn(STREAMS, file);
      const isPiece = file.startsWith('cli/') && PIECE.test(text) && !Object.hasOwn(PIECES, file);
      return [
        ...(isStray
          ? [`src/${file} writes to a stream of the process: print through cli/terminal/output.ts`]
          : []),
        ...(isPiece
          ? [`src/${file} calls io.out or io.err: use the functions of cli/terminal/output.ts`]
          : []),
      ];
    });
}
