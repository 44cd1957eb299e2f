/** What the reader of an error does next, as a value, so that each surface shows commands in its own way. Pure. */

export interface Remedy {
  /** A sentence or two. `{command}` in it stands for the command. */
  text: string;
  /** Words of a relay command without `relay` itself: `['login', '--switch-account']`. */
  command?: readonly string[];
}

/** How a surface writes a command, quotation marks included. */
export type CommandStyle = (words: readonly string[]) => string;

/** For readers who know no home but the usual one: a log, a model, another program. */
export const plainCommand: CommandStyle = (words) => `\`${['relay', ...words].join(' ')}\``;

export function remedyText({ text, command }: Remedy, style: CommandStyle = plainCommand): string {
  return command === undefined ? text : text.replaceAll('{command}', () => style(command));
}
