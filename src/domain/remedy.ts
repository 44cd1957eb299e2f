/** What the reader of an error does next, as a value, so that each surface shows commands in its own way. Pure. */

export interface Remedy {
  /** A sentence or two. `{command}` in it stands for the command. */
  text: string;
  /** Words of a relay command without `relay` itself: `['login', '--switch-account']`. */
  command?: readonly string[];
  /** What a person does at a terminal, if `text` names tools. */
  terminal?: { text: string; commands: readonly (readonly string[])[] };
  /** What the owner does on their page, if `text` names something that the page does not have. */
  page?: string;
}

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

export function remedyText({ text, command }: Remedy, style: CommandStyle = plainCommand): string {
  return command === undefined ? text : text.replaceAll('{command}', () => style(command));
}

/** Returns the command of a remedy that begins with a command, and the text after it (`, to write`); null for other remedies. */
export function asCommandLine({
  text,
  command,
}: Remedy): { command: readonly string[]; rest: string } | null {
  const place = '{command}';
  return command && text.startsWith(place) ? { command, rest: text.slice(place.length) } : null;
}

/** Writes the remedy for a terminal. In `terminal.text`, `{1}` stands for the first command. */
export function terminalText(remedy: Remedy, style: CommandStyle): string {
  const { terminal } = remedy;
  if (!terminal) return remedyText(remedy, style);
  return terminal.text.replace(/\{(\d)\}/g, (whole, number) => {
    const words = terminal.commands[Number(number) - 1];
    return words ? style(words) : whole;
  });
}

/** Writes the remedy for the owner's page. A person there can run a command, but cannot call a tool. */
export function pageText(remedy: Remedy, style: CommandStyle): string {
  if (remedy.page !== undefined) return remedyText({ ...remedy, text: remedy.page }, style);
  return terminalText(remedy, style);
}

/** True if surfaces write the remedy in different ways. */
export function hasOwnWords({ command, terminal }: Remedy): boolean {
  return command !== undefined || terminal !== undefined;
}

/** Key in `_meta` of a failed tool call for its remedy as a value, for clients that show commands in their own way. */
export const FIX_META = 'relay/fix';

/** Reads a remedy that was stored or sent as JSON, or as plain text by older versions; null for anything else. */
export function readRemedy(value: unknown): Remedy | null {
  if (typeof value === 'string') return { text: value };
  const { text, command, terminal, page } = (value ?? {}) as Record<string, unknown>;
  if (typeof text !== 'string') return null;
  const { text: words, commands } = (terminal ?? {}) as Record<string, unknown>;
  const isTerminal = typeof words === 'string' && Array.isArray(commands) && commands.every(isCommand);
  return {
    text,
    ...(isCommand(command) ? { command } : {}),
    ...(isTerminal ? { terminal: { text: words, commands } } : {}),
    ...(typeof page === 'string' ? { page } : {}),
  };
}

function isCommand(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}
