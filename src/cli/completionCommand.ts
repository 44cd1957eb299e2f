import { Argument, type Command, type Option } from 'commander';
import { leaf } from './command.ts';
import type { Context } from './context.ts';
import { printBlock } from './terminal/output.ts';

const EXAMPLES = `
To load it in every new shell:

  bash  echo 'source <(relay completion bash)' >> ~/.bashrc
        (on macOS: echo 'eval "$(relay completion bash)"' >> ~/.bash_profile)
  zsh   echo 'source <(relay completion zsh)' >> ~/.zshrc
  fish  relay completion fish > ~/.config/fish/completions/relay.fish

Examples:
  $ relay completion bash`;

export function completionCommand(context: Context): Command {
  const run = async (_: Context, shell: string) => {
    const script = SCRIPTS[shell] ?? '';
    if (context.json) return { value: { shell, script } };
    printBlock(context.io, script);
    return undefined;
  };
  return leaf(context, 'completion', 'Print a completion script for your shell', run, EXAMPLES).addArgument(
    new Argument('<shell>', 'Which shell').choices(Object.keys(SCRIPTS)),
  );
}

/** The scripts know none of the commands. At each press of Tab they run `relay __complete`, and read the lines of `complete.ts`. */
const SCRIPTS: Readonly<Record<string, string>> = {
  // Works in bash 3.2, which macOS has, and without the bash-completion package.
  bash: `# Completion of relay for bash; load it with: source <(relay completion bash)

_relay() {
  local cur=\${COMP_WORDS[COMP_CWORD]} found IFS=$'\\n'
  found=$(relay __complete "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$cur" 2>/dev/null | cut -d ' ' -f 1)
  COMPREPLY=()
  # If this function finds nothing, bash itself offers files and quotes their names.
  if [[ $found == ':files' ]]; then return; fi
  COMPREPLY=($(compgen -W "$found" -- "$cur"))
  # bash 3.2 has no compopt, so it offers files if nothing else fits.
  compopt +o default 2>/dev/null
  return 0
}

complete -o default -F _relay relay
`,

  // Works as a file in a directory of \`fpath\`, and when loaded with \`source\`.
  zsh: `#compdef relay
# Completion of relay for zsh; load it with: source <(relay completion zsh)

_relay() {
  local -a found
  found=("\${(@f)$(relay __complete "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  case $found[1] in
    ('') return 1 ;;
    (:files) _files ;;
    (*)
      # _describe splits a name from its description at the first colon.
      found=("\${(@)found/ /:}")
      _describe value found
      ;;
  esac
}

if [[ \${funcstack[1]} == _relay ]]; then
  _relay "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit -i }
  compdef _relay relay
fi
`,

  fish: `# Completion of relay for fish; load it with: relay completion fish | source

function __relay_complete
    set -l words (commandline -opc)
    set -l cur (commandline -ct)
    set -e words[1]
    set -l found (relay __complete $words "$cur" 2>/dev/null | string replace ' ' \\t)
    if test "$found" = :files
        __fish_complete_path "$cur"
    else
        string join \\n -- $found
    end
end

complete -c relay -e
complete -c relay -f -a '(__relay_complete)'
`,
};

/** The first word of the hidden command that completion scripts call, as `relay __complete WORD…`. */
export const COMPLETE = '__complete';

/**
 * Returns the lines that a completion script reads. Each is a suggestion, followed by a space and its description if there is
 * one. If a file comes next, the only line is `:files`.
 * @param words all words after the program's name. The last word is to be completed: shells drop suggestions that do not begin
 * with it
 */
export async function completionLines(program: Command, words: readonly string[]): Promise<string[]> {
  let command = program;
  let option: Option | undefined;
  let count = 0;
  for (const word of words.slice(0, -1)) {
    const child = count === 0 ? visibleCommands(command).find((one) => one.name() === word) : undefined;
    if (option) option = undefined;
    else if (word.startsWith('-')) option = optionsOf(program, command).find((one) => takesValue(one, word));
    else if (child) command = child;
    else count += 1;
  }
  if (option) return valuesOf(option);
  if (words.at(-1)?.startsWith('-')) {
    return optionsOf(program, command).flatMap(({ short, long, description }) =>
      [short, long].flatMap((name) => (name ? [`${name} ${description}`] : [])),
    );
  }
  const nested = visibleCommands(command);
  if (nested.length > 0) return count > 0 ? [] : nested.map((one) => `${one.name()} ${one.description()}`);
  const argument = command.registeredArguments[count];
  return argument ? ((await KNOWN[`${command.name()} ${argument.name()}`]?.()) ?? valuesOf(argument)) : [];
}

function visibleCommands(command: Command): Command[] {
  return command.createHelp().visibleCommands(command);
}

function optionsOf(program: Command, command: Command): Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command === program ? own : [...own, ...program.options];
}

function takesValue({ short, long, required }: Option, name: string): boolean {
  return required && (name === short || name === long);
}

function valuesOf(place: Option | Argument): string[] {
  const placeholder = 'flags' in place ? place.flags : place.name();
  return /\b(?:file|dir)\b/.test(placeholder) ? [':files'] : [...(place.argChoices ?? [])];
}

/** Suggestions for arguments that declare no choices. Each function loads its list only when it is called. */
const KNOWN: Readonly<Record<string, () => Promise<string[]>>> = {
  'connect client': async () => (await import('../connect/clientTable.ts')).CLIENTS.map(({ id }) => id),
  'call tool': toolNames,
  'tools tool': toolNames,
  'set key': settingKeys,
  'unset key': settingKeys,
};

async function toolNames(): Promise<string[]> {
  return (await import('../tools/index.ts')).ALL_TOOLS.map(({ name }) => name);
}

async function settingKeys(): Promise<string[]> {
  const { SETTING_KEYS, SETTINGS } = await import('../config/table.ts');
  return SETTING_KEYS.filter((key) => SETTINGS[key].inFile);
}
