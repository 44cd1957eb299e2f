/** What the scripts for bash and zsh have in common: the same questions, answered by `case`. Pure. */
import { shellWord } from '../../base/shellWord.ts';
import type { ArgumentNode, CommandNode, CommandTree, Values } from './tree.ts';

/** The options that take a value, after the commands of `node`. */
export function valued(node: CommandNode): string[] {
  return node.options.flatMap(({ names, values }) => (values === null ? [] : names));
}

/**
 * One branch of a `case "$path:$place"` for each value that is known, where a place is an option or the number of an
 * argument, from 0.
 */
export function valueBranches(tree: CommandTree, body: (values: Values) => string): string {
  return tree
    .flatMap((node) => [
      ...optionPatterns(node),
      ...node.arguments.map((one, at) => argumentPattern(node, one, at)),
    ])
    .filter(([, values]) => values !== 'none')
    .map(([pattern, values]) => `    ${pattern}) ${body(values)} ;;`)
    .join('\n');
}

type Branch = readonly [pattern: string, values: Values];

/** An option of the program itself counts after every command. */
function optionPatterns({ path, options }: CommandNode): Branch[] {
  const before = path === '' ? '*' : '';
  return options.flatMap(({ names, values }) =>
    values === null ? [] : names.map((name): Branch => [`${before}${shellWord(`${path}:${name}`)}`, values]),
  );
}

function argumentPattern({ path }: CommandNode, { values, variadic }: ArgumentNode, at: number): Branch {
  return [variadic ? `${shellWord(`${path}:`)}[0-9]*` : shellWord(`${path}:${at}`), values];
}
