/**
 * Where the statements of a TOML file begin and end: table headers and key/value pairs, with the full path of each
 * (https://toml.io/en/v1.0.0). Nothing is validated here, so a parser must have accepted the text before.
 */
import { parse } from 'smol-toml';
import { lineEnd } from './fileText.ts';

export interface Statement {
  kind: 'table' | 'array' | 'pair';
  /** The keys from the root of the document to this statement. */
  path: string[];
  /** Number of parts of the path that are in the statement itself; the others come from its table header. */
  ownParts: number;
  /** Offsets of its first line's start, and of the start of the line after its last one. */
  start: number;
  end: number;
  /** Range of the value of a pair; null for a table header. */
  value: { start: number; end: number } | null;
}

export function statementsOf(text: string): Statement[] {
  const statements: Statement[] = [];
  let table: string[] = [];
  let at = 0;
  while (at < text.length) {
    const start = at;
    at = skip(text, at, /[ \t]*/y);
    if (text[at] === '[') {
      const kind = text[at + 1] === '[' ? 'array' : 'table';
      const key = readKey(text, skip(text, at, /\[+/y));
      table = key.parts;
      at = lineEnd(text, key.end);
      statements.push({ kind, path: table, ownParts: table.length, start, end: at, value: null });
    } else if (/[^\s#]/.test(text[at] ?? '\n')) {
      const key = readKey(text, at);
      const from = skip(text, key.end + 1, /[ \t]*/y);
      const value = { start: from, end: valueEnd(text, from) };
      at = lineEnd(text, value.end);
      const path = [...table, ...key.parts];
      statements.push({ kind: 'pair', path, ownParts: key.parts.length, start, end: at, value });
    } else at = lineEnd(text, at);
  }
  return statements;
}

const STRINGS = [
  /"""(?:[^"\\]|\\[\s\S]|"(?!""))*"{3,5}/y,
  /'''(?:[^']|'(?!''))*'{3,5}/y,
  /"(?:[^"\\\n]|\\.)*"/y,
  /'[^'\n]*'/y,
];

/** Reads a dotted key, up to the `=` or `]` that follows. */
function readKey(text: string, from: number): { parts: string[]; end: number } {
  const parts: string[] = [];
  let at = from;
  for (;;) {
    at = skip(text, at, /[ \t]*/y);
    const end = stringEnd(text, at) ?? skip(text, at, /[A-Za-z0-9_-]+/y);
    if (end === at) return { parts, end };
    parts.push(unquoted(text.slice(at, end)));
    at = skip(text, end, /[ \t]*/y);
    if (text[at] !== '.') return { parts, end: at };
    at += 1;
  }
}

function unquoted(part: string): string {
  return /^["']/.test(part) ? String(parse(`key = ${part}`).key) : part;
}

/** Returns the end of a value. Strings, arrays and inline tables may contain anything, including line breaks. */
function valueEnd(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const string = stringEnd(text, at);
    const char = text[at] ?? '';
    if (string !== null) at = string;
    else if (char === '#' && depth > 0) at = skip(text, at, /[^\n]*/y);
    else if (depth === 0 && /[#\n]/.test(char)) break;
    else {
      if ('[{'.includes(char)) depth += 1;
      if (']}'.includes(char)) depth -= 1;
      at += 1;
    }
  }
  return from + text.slice(from, at).trimEnd().length;
}

function stringEnd(text: string, at: number): number | null {
  for (const string of STRINGS) {
    const end = skip(text, at, string);
    if (end > at) return end;
  }
  return null;
}

/** Returns the end of what the sticky pattern matches at `at`, or `at` if it does not match. */
function skip(text: string, at: number, pattern: RegExp): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}
