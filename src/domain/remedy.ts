/** What the reader of an error does next, as a value, so that each surface shows commands in its own way. Pure. */

export interface Remedy {
  /**
   * A sentence or two. `{command}` in it stands for the command. `{one|other}` has words for a model, which calls tools, and for a
   * person, who types commands; a third part is for the owner's page alone. A part such as `relay jobs` is a command.
   */
  text: string;
  /** Words of a relay command without `relay` itself: `['login', '--switch-account']`. */
  command?: readonly string[];
}

/** Who reads a remedy. */
type Reader = 'model' | 'terminal' | 'page';
const PARTS = /\{([^{}|]*)\|([^{}|]*)(?:\|([^{}|]*))?\}/g;

/** How a surface writes a command, quotation marks included. */
export type CommandStyle = (words: readonly string[]) => string;

/** Writes a command without `--home`, for a log, a model or another program. */
export const plainCommand: CommandStyle = (words) => `\`${['relay', ...words].join(' ')}\``;

/** `plainCommand` for the demo. Without `--demo`, the command would use the person's own account. */
const demoCommand: CommandStyle = (words) => plainCommand(['--demo', ...words]);

/** How a command for a server begins outside a sentence that a style writes. */
export function programFor({ demo }: { demo: boolean }): string {
  return demo ? 'relay --demo' : 'relay';
}

/** Returns the style in which readers outside the terminal see the commands of a server. */
export function commandStyleOf({ demo }: { demo: boolean }): CommandStyle {
  return demo ? demoCommand : plainCommand;
}

export function remedyText(
  { text, command }: Remedy,
  style: CommandStyle = plainCommand,
  reader: Reader = 'model',
): string {
  const chosen = text.replace(PARTS, (_, model: string, person: string, page = person) => {
    const words = { model, terminal: person, page }[reader];
    return words.startsWith('relay ') ? style(words.split(' ').slice(1)) : words;
  });
  return command === undefined ? chosen : chosen.replaceAll('{command}', () => style(command));
}

/** Writes the remedy for a terminal. */
export const terminalText = (remedy: Remedy, style: CommandStyle) => remedyText(remedy, style, 'terminal');

/** Writes the remedy for the owner's page. A person there can run a command, but cannot call a tool. */
export const pageText = (remedy: Remedy, style: CommandStyle) => remedyText(remedy, style, 'page');

/** Returns the command of a remedy that begins with a command, and the text after it (`, to write`); null for other remedies. */
export function asCommandLine({
  text,
  command,
}: Remedy): { command: readonly string[]; rest: string } | null {
  const place = '{command}';
  return command && text.startsWith(place) ? { command, rest: text.slice(place.length) } : null;
}

/** True if surfaces write the remedy in different ways. */
export function hasOwnWords({ text, command }: Remedy): boolean {
  return command !== undefined || text.search(PARTS) >= 0;
}

/** Key in `_meta` of a failed tool call for its remedy as a value, for clients that show commands in their own way. */
export const FIX_META = 'relay/fix';

/** Reads a remedy that was stored or sent as JSON, or as plain text by older versions; null for anything else. */
export function readRemedy(value: unknown): Remedy | null {
  if (typeof value === 'string') return { text: value };
  const { text, command } = (value ?? {}) as Record<string, unknown>;
  return typeof text === 'string' ? { text, ...(isCommand(command) && { command }) } : null;
}

function isCommand(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}
