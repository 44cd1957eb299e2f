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

/** Where the answer of a failed tool call holds its remedy as a value, for clients that show commands in their own way. */
export const FIX_META = 'relay/fix';

/** A remedy that was stored or sent as JSON. Older rows and servers have plain text; null: it is no remedy. */
export function readRemedy(value: unknown): Remedy | null {
  if (typeof value === 'string') return { text: value };
  const { text, command } = (value ?? {}) as { text?: unknown; command?: unknown };
  if (typeof text !== 'string') return null;
  const isCommand = Array.isArray(command) && command.every((word) => typeof word === 'string');
  return isCommand ? { text, command } : { text };
}
