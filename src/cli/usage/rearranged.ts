/** Command lines that are rearranged before they are read. Pure. */

/** Options whose value is the next word. */
const VALUED = ['--home', '--args'];

/** Turns `relay call TOOL --help` into `relay tools TOOL`, which shows the tool's arguments. */
export function withToolHelp(args: readonly string[]): readonly string[] {
  const kept: string[] = [];
  const names: string[] = [];
  let asks = false;
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (word === '--') break;
    if (word === '--help' || word === '-h') asks = true;
    else if (word === '--json' || word.startsWith('--home=')) kept.push(word);
    else if (!word.startsWith('-')) names.push(word);
    else if (VALUED.includes(word)) {
      at += 1;
      if (word === '--home') kept.push(word, args[at] ?? '');
    }
  }
  const [command, tool] = names;
  const isMeant = asks && command === 'call' && tool !== undefined && !tool.includes('=');
  return isMeant ? [...kept, 'tools', tool] : args;
}

/** True for text that begins with a dash. No option has white space before `=`. */
export function isDashedText(word: string): boolean {
  return /^-(?:-[^=\s]*)?\s/.test(word);
}

/**
 * Puts a space before a query that begins with a comment, so that it is not read as an option. Commands with a query ignore
 * white space around it.
 */
export function withComment(args: readonly string[]): readonly string[] {
  const hasQuery =
    (args.includes('library') && args.includes('ask')) || (args.includes('keep') && args.includes('add'));
  return hasQuery ? args.map((word) => (isDashedText(word) ? ` ${word}` : word)) : args;
}

/**
 * Puts `--` before the ID of `relay clients revoke ID`, so that the ID is not read as an option. Older IDs can begin with a
 * dash, and an ID that begins with `-V` would print the version.
 */
export function withDashedId(args: readonly string[]): readonly string[] {
  const isRevoke = args.some((word, at) => word === 'clients' && args[at + 1] === 'revoke');
  if (!isRevoke || args.includes('--')) return args;
  const id = args.find((word) => /^-[\w-]{21}$/.test(word));
  return id === undefined ? args : [...args.filter((word) => word !== id), '--', id];
}
