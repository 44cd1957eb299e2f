/** The log for a person at a terminal: a line for each event, and the stack of an error indented below it. Pure. */

const COLORS: Readonly<Record<string, number>> = { debug: 34, info: 32, warn: 33, error: 31, fatal: 31 };

interface LoggedError {
  type?: string;
  code?: string;
  message?: string;
  stack?: string[];
  cause?: LoggedError | string;
}

/** From a line of the JSON log, in which every text is visible already: `[14:05:09] INFO: job moves {"job":"1f0c"}`. */
export function prettyLine(json: string, colors: boolean): string {
  const { time, level, msg, pid: _pid, err, ...fields } = JSON.parse(json) as Record<string, unknown>;
  const error = typeof err === 'object' && err !== null ? (err as LoggedError) : null;
  const rest = error === null && err !== undefined ? { ...fields, err } : fields;
  const about = Object.keys(rest).length === 0 ? '' : ` ${JSON.stringify(rest)}`;
  const head = `[${clockTime(String(time))}] ${levelWord(String(level), colors)}: ${msg}${about}`;
  return `${[head, ...(error === null ? [] : errorLines(error))].join('\n')}\n`;
}

/** Of this machine's time zone. */
function clockTime(iso: string): string {
  return new Date(iso).toTimeString().slice(0, 8);
}

function levelWord(level: string, colors: boolean): string {
  const word = level.toUpperCase();
  const color = COLORS[level];
  return colors && color !== undefined ? `\u001b[${color}m${word}\u001b[39m` : word;
}

function errorLines({ type, code, message, stack, cause }: LoggedError): string[] {
  const words = `    ${type}${code === undefined ? '' : ` ${code}`}: ${message}`;
  const frames = Array.isArray(stack) ? stack.map((frame) => `        ${frame}`) : [];
  if (typeof cause === 'string') return [words, ...frames, `    cause: ${cause}`];
  return [words, ...frames, ...(cause === undefined ? [] : errorLines(cause))];
}
