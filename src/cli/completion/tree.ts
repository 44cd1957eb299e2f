/**
 * The command line as data: every command with its options, arguments and the values that they take. Read from
 * commander, so that a new command completes without a line more. Pure.
 */
import type { Command, Option } from 'commander';
import { shellWord } from '../../base/childProcess.ts';

/** `none`: nothing that could be known before. */
export type Values = readonly string[] | 'files' | 'folders' | 'none';

export interface OptionNode {
  /** With their dashes. */
  names: readonly string[];
  description: string;
  /** null: it takes no value. */
  values: Values | null;
}

export interface ArgumentNode {
  values: Values;
  /** Whether it continues until the end of the line. */
  variadic: boolean;
}

export interface CommandNode {
  /** The names that lead to it, without the program's own, with spaces between. */
  path: string;
  /** Without those that the whole program has, which the first node names. */
  options: readonly OptionNode[];
  arguments: readonly ArgumentNode[];
  commands: ReadonlyArray<{ name: string; description: string }>;
}

/** The program itself first. */
export type CommandTree = readonly [CommandNode, ...CommandNode[]];

/** Values that commander does not know, by path and placeholder: `config get <key>`. */
export type KnownValues = Readonly<Record<string, readonly string[]>>;

export function commandTree(program: Command, known: KnownValues): CommandTree {
  const root = nodeOf(program, '', known, []);
  const common = root.options.flatMap(({ names }) => names);
  const others = nodesBelow(program, '', known).map((node) => ({
    ...node,
    options: node.options.filter(({ names }) => !names.some((name) => common.includes(name))),
  }));
  return [root, ...others];
}

function nodesBelow(command: Command, path: string, known: KnownValues): CommandNode[] {
  const nested = command.createHelp().visibleCommands(command);
  return nested.flatMap((child) => {
    const below = `${path} ${child.name()}`.trim();
    const beside = nested.map((other) => other.name()).filter((name) => name !== child.name());
    return [nodeOf(child, below, known, beside), ...nodesBelow(child, below, known)];
  });
}

function nodeOf(command: Command, path: string, known: KnownValues, beside: readonly string[]): CommandNode {
  const help = command.createHelp();
  const commands = help.visibleCommands(command).map((child) => ({
    name: child.name(),
    description: child.description(),
  }));
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  return {
    path,
    options: options.map((option) => optionNode(option, path, known)),
    // A command with others below it takes their names, whatever else it declares.
    arguments: commands.length > 0 ? [] : argumentNodes(command, path, known, beside),
    commands,
  };
}

function optionNode(option: Option, path: string, known: KnownValues): OptionNode {
  const names = [option.short, option.long].filter((name) => typeof name === 'string');
  const placeholder = /[<[]([\w-]+)/.exec(option.flags)?.[1];
  const values = placeholder === undefined ? null : (option.argChoices ?? valuesOf(path, placeholder, known));
  return { names, description: option.description, values };
}

/** The help command, which commander adds, takes the names of the commands beside it. */
function argumentNodes(
  command: Command,
  path: string,
  known: KnownValues,
  beside: readonly string[],
): ArgumentNode[] {
  const names = command.name() === 'help' ? beside : undefined;
  return command.registeredArguments.map((argument) => ({
    values: names ?? argument.argChoices ?? valuesOf(path, argument.name(), known),
    variadic: argument.variadic,
  }));
}

const PLACES: Readonly<Record<string, Values>> = { file: 'files', dir: 'folders' };

function valuesOf(path: string, placeholder: string, known: KnownValues): Values {
  return known[`${path} <${placeholder}>`] ?? PLACES[placeholder] ?? 'none';
}

/** The options that take a value, after the commands of `node`. */
export function valued(node: CommandNode): string[] {
  return node.options.flatMap(({ names, values }) => (values === null ? [] : names));
}

/**
 * For bash and zsh, one branch of a `case "$path:$place"` for each value that is known, where a place is an option or the number of an
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
