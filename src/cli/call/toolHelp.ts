/** `relay call TOOL --help` asks about the tool: what it takes is what a person needs there. */

/** Options that take a value in a word of its own. */
const VALUED = ['--home', '--args'];

/** The command line for `relay tools TOOL` where that is what was asked for, else as it is. Pure. */
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
