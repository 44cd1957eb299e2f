/**
 * The completion scripts. They know none of the commands. At each press of Tab they run `relay __complete`, and read the lines
 * that `complete.ts` describes. Pure.
 */

export const SCRIPTS: Readonly<Record<string, string>> = {
  // Works in bash 3.2, which macOS has, and without the bash-completion package.
  bash: `# Completion of relay for bash; load it with: source <(relay completion bash)

_relay() {
  local cur=\${COMP_WORDS[COMP_CWORD]} words=(__complete) word found IFS=$'\\n'
  # bash splits --home=DIR into three words.
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    if [[ $word != '=' ]]; then words+=("$word"); fi
  done
  if [[ $cur == '=' ]]; then cur=''; fi
  found=$(relay "\${words[@]}" "$cur" 2>/dev/null | cut -d ' ' -f 1)
  COMPREPLY=()
  case $found in
    # If this function finds nothing, bash itself offers files and quotes their names.
    :files) return ;;
    :folders)
      COMPREPLY=($(compgen -d -- "$cur"))
      compopt -o filenames 2>/dev/null
      ;;
    *) COMPREPLY=($(compgen -W "$found" -- "$cur")) ;;
  esac
  # bash 3.2 has no compopt, so it offers files if nothing else fits.
  compopt +o default 2>/dev/null
  return 0
}

complete -o default -F _relay relay
`,

  // Works as a file in a directory of `fpath`, and when loaded with `source`.
  zsh: `#compdef relay
# Completion of relay for zsh; load it with: source <(relay completion zsh)

_relay() {
  local -a found
  found=("\${(@f)$(relay __complete "\${(@Q)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)}")
  if [[ $PREFIX == --*=* ]]; then compset -P 1 '*='; fi
  case $found[1] in
    ('') return 1 ;;
    (:files) _files ;;
    (:folders) _files -/ ;;
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
    # fish replaces the whole word --home=DIR, so each line repeats the option.
    set -l option (string match -r -- '^--[^=]*=' "$cur")
    set -l value (string replace -r -- '^--[^=]*=' '' "$cur")
    switch "$found"
        case :files
            set found (__fish_complete_path "$value")
        case :folders
            set found (__fish_complete_directories "$value")
    end
    for line in $found
        echo "$option$line"
    end
end

complete -c relay -e
complete -c relay -f -a '(__relay_complete)'
`,
};
