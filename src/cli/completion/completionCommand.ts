import { Argument, Command } from 'commander';
import { answering } from '../command.ts';
import type { Context } from '../context.ts';
import { printBlock } from '../terminal/output.ts';

const EXAMPLES = `
To load it in every new shell:

  bash  echo 'source <(relay completion bash)' >> ~/.bashrc
        (on macOS: echo 'eval "$(relay completion bash)"' >> ~/.bash_profile)
  zsh   echo 'source <(relay completion zsh)' >> ~/.zshrc
  fish  relay completion fish > ~/.config/fish/completions/relay.fish

Examples:
  $ relay completion bash`;

export function completionCommand(context: Context): Command {
  return new Command('completion')
    .description('Print a completion script for your shell')
    .addArgument(new Argument('<shell>', 'Which shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', EXAMPLES)
    .action(
      answering(context, async (shell: string) => {
        const script = SCRIPTS[shell] ?? '';
        if (context.json) return { value: { shell, script } };
        printBlock(context.io, script);
        return undefined;
      }),
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
