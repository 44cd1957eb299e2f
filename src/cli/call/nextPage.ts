/** The command for the next page of a list, as a person types it. Pure. */
import { shellWord } from '../../base/childProcess.ts';
import { widthOf } from '../terminal/textWidth.ts';
import { commandLine, type NamedHome } from '../usage/commandLine.ts';

/** A call as it was typed. */
export interface Call {
  name: string;
  words: readonly string[];
  /** The value of `--args`; undefined without that option. */
  args: string | undefined;
}

const INDENT = '  ';

/**
 * Puts the command on one line if it fits. A word longer than a line stays whole, so that it can be copied from the terminal.
 */
export function nextPage(call: Call, offset: number, view: NamedHome & { width: number }): string[] {
  const { width, platform } = view;
  const quote = (word: string) => quoted(word, platform);
  const same = call.words.filter((word) => !word.startsWith('offset='));
  const words = [...same.map(quote), `offset=${offset}`];
  if (call.args !== undefined) words.push('--args', quote(call.args));
  const line = commandLine(view, 'call', call.name, ...words);
  if (widthOf(`To continue: ${line}`) <= width) return [`To continue: ${line}`];
  // cmd.exe and PowerShell continue lines in different ways, so on Windows the command stays on one line.
  if (platform === 'win32' || widthOf(INDENT + line) <= width) return ['To continue:', INDENT + line];
  const start = commandLine(view, 'call', call.name);
  return ['To continue:', ...continued([start, ...words], width)];
}

/** Breaks the words into lines that a shell reads as one command. */
function continued(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = INDENT;
  for (const [index, word] of words.entries()) {
    const next = line === INDENT ? line + word : `${line} ${word}`;
    const end = index === words.length - 1 ? '' : ' \\';
    if (line !== INDENT && widthOf(next + end) > width) {
      lines.push(`${line} \\`);
      line = INDENT.repeat(2) + word;
    } else line = next;
  }
  return [...lines, line];
}

/** Quotes an argument as one word of a command line, on Windows for cmd.exe. */
export function quoted(word: string, platform: NodeJS.Platform): string {
  if (/^[\w=,.:/+-]+$/.test(word)) return word;
  return platform === 'win32' ? `"${word.replaceAll('"', '\\"')}"` : shellWord(word);
}
