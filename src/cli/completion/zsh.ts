/** The completion for zsh, as a file of `fpath` or loaded with `source`. Pure. */
import { shellWord } from '../../base/childProcess.ts';
import {
  type CommandNode,
  type CommandTree,
  type OptionNode,
  type Values,
  valueBranches,
  valued,
} from './tree.ts';

export function zshCompletion(tree: CommandTree): string {
  const [root] = tree;
  return `#compdef relay
# Completion of relay for zsh; load it with: source <(relay completion zsh)

# What can follow the commands in $1.
_relay_after() {
  names=() subs=() flags=() valued=()
  case $1 in
${tree.map((node) => commandBranch(node)).join('\n')}
  esac
  flags+=(${flagWords(root.options)})
  valued+=(${valued(root).map(shellWord).join(' ')})
}

# The values of the place $2, an option or the number of an argument, after the commands in $1.
_relay_values() {
  kind=none choices=()
  case "$1:$2" in
${valueBranches(tree, assignment)}
  esac
}

_relay() {
  local at='' option='' word='' kind=none
  local -i count=0 index=0 rest=0
  local -a names subs flags valued choices
  _relay_after ''
  for ((index = 2; index < CURRENT; index++)); do
    word=\${(Q)words[index]}
    if [[ -n $option ]]; then
      option=''
    elif (( ! rest )) && [[ $word == -- ]]; then
      rest=1
    elif (( ! rest )) && [[ $word == -* ]]; then
      if (( \${valued[(Ie)$word]} )); then option=$word; fi
    elif (( ! rest && ! count && \${names[(Ie)$word]} )); then
      at="\${at:+$at }$word"
      _relay_after "$at"
    else
      (( count += 1 ))
    fi
  done
  if [[ -z $option && $PREFIX == --*=* ]] && (( ! rest )); then
    option=\${PREFIX%%=*}
    compset -P 1 '*='
  fi

  if [[ -n $option ]]; then
    _relay_values "$at" "$option"
  elif (( ! rest )) && [[ $PREFIX == -* ]]; then
    _describe -o option flags
    return
  elif (( \${#subs} )); then
    (( count )) && return 1
    _describe -t commands command subs
    return
  else
    _relay_values "$at" "$count"
  fi
  case $kind in
    (words) compadd -a choices ;;
    (files) _files ;;
    (folders) _files -/ ;;
    (*) return 1 ;;
  esac
}

if [[ \${funcstack[1]} == _relay ]]; then
  _relay "$@"
else
  (( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit -i }
  compdef _relay relay
fi
`;
}

function commandBranch(node: CommandNode): string {
  const own = node.path === '' ? [] : node.options;
  const parts = [
    ['names', node.commands.map(({ name }) => shellWord(name)).join(' ')],
    ['subs', node.commands.map(({ name, description }) => described(name, description)).join(' ')],
    ['flags', flagWords(own)],
    ['valued', node.path === '' ? '' : valued(node).map(shellWord).join(' ')],
  ].flatMap(([name, words]) => (words === '' ? [] : [`${name}=(${words})`]));
  return `    (${shellWord(node.path)}) ${parts.join(' ') || ':'} ;;`;
}

function flagWords(options: readonly OptionNode[]): string {
  return options
    .flatMap(({ names, description }) => names.map((name) => described(name, description)))
    .join(' ');
}

/** `_describe` takes a name apart from its description at the first colon. */
function described(name: string, description: string): string {
  return shellWord(`${name.replaceAll(':', '\\:')}:${description}`);
}

function assignment(values: Values): string {
  return typeof values === 'string'
    ? `kind=${values}`
    : `kind=words choices=(${values.map(shellWord).join(' ')})`;
}
