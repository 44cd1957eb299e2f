/** The command line of `relay stdio` in its plain forms, read without the parser of the whole program. Pure. */
import type { GlobalOptions } from '../context.ts';
import { type ToolOptions, toolChoice } from '../usage/toolFlags.ts';

export interface StdioArgs {
  globals: GlobalOptions;
  tools: ToolOptions;
}

/**
 * Reads the arguments. Returns null for anything that the whole program handles, such as another command, help or a mistake.
 */
export function readStdioArgs(args: readonly string[]): StdioArgs | null {
  const globals: GlobalOptions = {};
  const tools: ToolOptions = {};
  const rest = [...args];
  let isStdio = false;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === 'stdio' && !isStdio) isStdio = true;
    else if (word === '--demo') globals.demo = true;
    else if (word === '--json') globals.json = true;
    else if (word === '--read-only' && isStdio) tools.readOnly = true;
    else if (word === '--home' && isValue(rest[0])) globals.home = rest.shift();
    else if (word === '--toolsets' && isStdio && isValue(rest[0])) tools.toolsets = rest.shift();
    else return null;
  }
  return isStdio && isUsable(tools) ? { globals, tools } : null;
}

function isValue(word: string | undefined): word is string {
  return word !== undefined && word !== '' && !word.startsWith('-');
}

function isUsable(tools: ToolOptions): boolean {
  try {
    toolChoice(tools);
    return true;
  } catch {
    return false;
  }
}
