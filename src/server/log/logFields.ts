/**
 * Turns the fields of an event into what the log writes: plain data of bounded size. Every text in it, field names included, is
 * one line without control characters. Pure.
 */
import type { LogFields } from '../../base/log.ts';
import { escapedText } from '../../base/visibleText.ts';

const MAX_DEPTH = 6;
const MAX_ENTRIES = 50;

/** Fields that the log writes itself, and that a field of an event cannot replace. */
const OWN = new Set(['level', 'time', 'pid', 'msg']);

export function logFields(fields: LogFields): Record<string, unknown> {
  const plain = plainObject(fields, 1);
  return Object.fromEntries(
    Object.entries(plain).map(([key, value]) => [OWN.has(key) ? `${key}_` : key, value]),
  );
}

function plainValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return escapedText(value);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (value instanceof Error) return plainObject(errorFields(value), depth);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return plainValue(toJSON.call(value), depth + 1);
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => plainValue(entry, depth + 1));
  return plainObject(value, depth);
}

function plainObject(value: object, depth: number): Record<string, unknown> {
  const entries = Object.entries(value).slice(0, MAX_ENTRIES);
  return Object.fromEntries(entries.map(([key, one]) => [escapedText(key, 100), plainValue(one, depth + 1)]));
}

/** Name, code, message, stack and cause of an error; no other fields, since those may hold anything. */
function errorFields(error: Error): Record<string, unknown> {
  const { code } = error as NodeJS.ErrnoException;
  const { cause } = error;
  return {
    type: error.name,
    ...(typeof code === 'string' ? { code } : {}),
    message: error.message,
    stack: framesOf(error),
    ...(cause === undefined
      ? {}
      : { cause: typeof cause === 'string' || cause instanceof Error ? cause : typeof cause }),
  };
}

const MAX_FRAMES = 20;

/** The stack frames, one per string. The message is taken out first, since its lines may look like frames. */
function framesOf({ message, stack = '' }: Error): string[] {
  const lines = stack.replace(message, '').split('\n').slice(1);
  return lines
    .filter((line) => /^\s+at /.test(line))
    .slice(0, MAX_FRAMES)
    .map((line) => line.trim());
}
