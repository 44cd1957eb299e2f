/** The completion for fish, which knows by itself what an option takes. Pure. */
import {
  type ArgumentNode,
  type CommandNode,
  type CommandTree,
  type OptionNode,
  type Values,
  valued,
} from './tree.ts';

export function fishCompletion(tree: CommandTree): string {
  const [root, ...others] = tree;
  const needing = others.flatMap((node) => valued(node).map((name) => `${node.path} ${name}`));
  return `# Completion of relay for fish; load it with: relay completion fish | source

# Whether the commands so far are $argv[1] and, if given, $argv[2] arguments follow them; 0+ is any number.
function __relay_after
    set -l words (commandline -opc)
    set -e words[1]
    set -l at ''
    set -l count 0
    set -l skip 0
    set -l rest 0
    for word in $words
        if test $skip = 1
            set skip 0
        else if test $rest = 0; and test "$word" = --
            set rest 1
        else if test $rest = 0; and string match -q -- '-*' "$word"
            if contains -- "$word" ${valued(root).map(fishWord).join(' ')}
                set skip 1
            else if contains -- "$at $word" ${needing.map(fishWord).join(' ')}
                set skip 1
            end
        else if test $rest = 0; and test $count = 0; and contains -- (string trim -- "$at $word") ${others.map(({ path }) => fishWord(path)).join(' ')}
            set at (string trim -- "$at $word")
        else
            set count (math $count + 1)
        end
    end
    test "$at" = "$argv[1]"; or return 1
    test (count $argv) = 1; and return 0
    string match -q -- '*+' $argv[2]; and return 0
    test $count = $argv[2]
end

complete -c relay -e
complete -c relay -f
${tree.flatMap(linesOf).join('\n')}
`;
}

function linesOf(node: CommandNode): string[] {
  return [
    ...node.commands.map(({ name, description }) => line(condition(node, '0'), `-a ${name}`, description)),
    ...node.options.map((option) => optionLine(node, option)),
    ...node.arguments.flatMap((argument, index) => argumentLine(node, argument, index)),
  ];
}

/** An option of the program itself counts after every command. */
function optionLine(node: CommandNode, { names, description, values }: OptionNode): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const taken = values === null ? [] : [optionValues(values)];
  return line(node.path === '' ? '' : condition(node), [...flags, ...taken].join(' '), description);
}

function argumentLine(node: CommandNode, { values, variadic }: ArgumentNode, index: number): string[] {
  if (values === 'none') return [];
  const place = condition(node, variadic ? `${index}+` : String(index));
  return [line(place, values === 'files' ? '-F' : `-a ${candidates(values)}`, '')];
}

function optionValues(values: Values): string {
  if (values === 'none') return '-x';
  return values === 'files' ? '-r -F' : `-x -a ${candidates(values)}`;
}

function candidates(values: Values): string {
  return typeof values === 'string' ? "'(__fish_complete_directories)'" : fishWord(values.join(' '));
}

function condition({ path }: CommandNode, place?: string): string {
  return fishWord(['__relay_after', fishWord(path), ...(place === undefined ? [] : [place])].join(' '));
}

function line(when: string, what: string, description: string): string {
  const parts = ['complete -c relay'];
  if (when !== '') parts.push(`-n ${when}`);
  parts.push(what);
  if (description !== '') parts.push(`-d ${fishWord(description)}`);
  return parts.join(' ');
}

/** Between single quotes fish knows two escapes. */
function fishWord(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
