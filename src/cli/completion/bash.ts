/**
 * The completion for bash. It keeps to bash 3.2, which macOS has, and does without the bash-completion package. Where the
 * function finds nothing, bash itself offers files, quoted as they have to be. Pure.
 */
import { shellWord } from '../../base/childProcess.ts';
import { type CommandNode, type CommandTree, type Values, valueBranches, valued } from './tree.ts';

export function bashCompletion(tree: CommandTree): string {
  const [root] = tree;
  return `# Completion of relay for bash; load it with: source <(relay completion bash)

# What can follow the commands in $1.
_relay_after() {
  _relay_commands='' _relay_options='' _relay_valued=''
  case $1 in
${tree.map(commandBranch).join('\n')}
  esac
  _relay_options="$_relay_options ${namesOf(root)}"
  _relay_valued=" $_relay_valued ${valued(root).join(' ')} "
}

# The values of the place $2, an option or the number of an argument, after the commands in $1.
_relay_values() {
  _relay_kind=none _relay_words=''
  case "$1:$2" in
${valueBranches(tree, assignment)}
  esac
}

_relay() {
  local _relay_commands _relay_options _relay_valued _relay_kind _relay_words
  local cur=\${COMP_WORDS[COMP_CWORD]} at='' option='' rest='' count=0 index word
  _relay_after ''
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    # bash takes --home=DIR for three words.
    if [[ $word == '=' ]]; then
      continue
    elif [[ -n $option ]]; then
      option=''
    elif [[ -z $rest && $word == -- ]]; then
      rest=yes
    elif [[ -z $rest && $word == -* ]]; then
      if [[ $_relay_valued == *" $word "* ]]; then option=$word; fi
    elif [[ -z $rest && $count == 0 && " $_relay_commands " == *" $word "* ]]; then
      at="\${at:+$at }$word"
      _relay_after "$at"
    else
      count=$((count + 1))
    fi
  done
  if [[ $cur == '=' ]]; then cur=''; fi

  COMPREPLY=()
  if [[ -n $option ]]; then
    _relay_values "$at" "$option"
  elif [[ -z $rest && $cur == -* ]]; then
    _relay_kind=words _relay_words=$_relay_options
  elif [[ -n $_relay_commands ]]; then
    _relay_kind=words _relay_words=$_relay_commands
    if [[ $count != 0 ]]; then _relay_words=''; fi
  else
    _relay_values "$at" "$count"
  fi

  local IFS=$' \\t\\n'
  case $_relay_kind in
    files) return ;;
    words) COMPREPLY=($(compgen -W "$_relay_words" -- "$cur")) ;;
    folders)
      IFS=$'\\n'
      COMPREPLY=($(compgen -d -- "$cur"))
      compopt -o filenames 2>/dev/null
      ;;
  esac
  # bash 3.2 cannot be kept from offering files.
  compopt +o default 2>/dev/null
  return 0
}

complete -o default -F _relay relay
`;
}

function commandBranch(node: CommandNode): string {
  const names = node.commands.map(({ name }) => name).join(' ');
  const options = node.path === '' ? '' : namesOf(node);
  const needing = node.path === '' ? '' : valued(node).join(' ');
  const parts = [
    names === '' ? [] : [`_relay_commands=${shellWord(names)}`],
    options === '' ? [] : [`_relay_options=${shellWord(options)}`],
    needing === '' ? [] : [`_relay_valued=${shellWord(needing)}`],
  ].flat();
  return `    ${shellWord(node.path)}) ${parts.join(' ') || ':'} ;;`;
}

function namesOf({ options }: CommandNode): string {
  return options.flatMap(({ names }) => names).join(' ');
}

function assignment(values: Values): string {
  return typeof values === 'string'
    ? `_relay_kind=${values}`
    : `_relay_kind=words _relay_words=${shellWord(values.join(' '))}`;
}
