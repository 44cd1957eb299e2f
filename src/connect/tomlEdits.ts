/**
 * Edits TOML files line by line, because no TOML writer keeps comments and order. Only statements of our own table are
 * touched; what cannot be edited safely is a `FileProblem`.
 */
import { parse, TomlError } from 'smol-toml';
import { type Data, isData, sameData } from './entry.ts';
import { applied, type Edit, FileProblem, lineEndOf } from './fileText.ts';
import { type Statement, statementsOf } from './tomlStatements.ts';

/** Parses the text. Throws `FileProblem` with line and column. */
export function parseToml(text: string): Data {
  try {
    return parse(text, { integersAsBigInt: true });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new FileProblem(`is not valid TOML (line ${error.line}, column ${error.column})`);
  }
}

/** `text` with `entry` as the table `section.name`, which may exist already in any of TOML's forms. */
export function editToml(text: string, section: string, name: string, entry: Data): string {
  const before = (parseToml(text)[section] as Data | undefined)?.[name];
  const statements = statementsOf(text);
  if (statements.some(({ kind, path }) => kind === 'pair' && path.length === 1 && path[0] === section))
    throw inlineTable(section);
  if (!isData(before)) return appended(text, snippetToml(section, name, entry));
  const ours = statements.filter(({ path }) => path[0] === section && path[1] === name);
  const header = ours.filter(({ kind, path }) => kind === 'table' && path.length === 2);
  if (header.length === 1) return editTable(text, ours, header[0] as Statement, before, entry);
  return appended(applied(text, ours.map(deletion)), snippetToml(section, name, entry));
}

/** TOML allows no table header below an inline table, so adding the entry by hand would break the file. */
function inlineTable(section: string): FileProblem {
  return new FileProblem(
    `has ${section} as an inline table, which cannot be extended`,
    `Write each server as a table of its own, [${section}.NAME], and try again.`,
  );
}

/** `text` without the table `section.name`, and without one of the blank lines around it. */
export function removeToml(text: string, section: string, name: string): string {
  const ours = statementsOf(text).filter(({ path }) => path[0] === section && path[1] === name);
  const left = applied(text, ours.map(deletion));
  const first = ours[0]?.start ?? 0;
  const before = left.slice(0, first);
  const after = left.slice(first);
  const isDouble = after === '' || /^[ \t]*\r?\n/.test(after);
  return isDouble ? before.replace(/(\n)\r?\n$/, '$1') + after : left;
}

/** Returns the table alone. */
export function snippetToml(section: string, name: string, entry: Data): string {
  const lines = Object.entries(entry).map(([key, value]) => pair(key, value));
  return `${[`[${keyText(section)}.${keyText(name)}]`, ...lines].join('\n')}\n`;
}

function editTable(text: string, ours: Statement[], header: Statement, before: Data, entry: Data): string {
  const keys = new Set([...Object.keys(before), ...Object.keys(entry)]);
  const edits: Edit[] = [];
  const stale: Statement[] = [];
  const lines: string[] = [];
  for (const key of [...keys].filter((one) => !sameData(before[one], entry[one]))) {
    const statements = ours.filter(({ path }) => path[2] === key);
    const [only] = statements;
    if (Object.hasOwn(entry, key) && statements.length === 1 && only?.ownParts === 1 && only.value) {
      const { start, end } = only.value;
      edits.push({ offset: start, length: end - start, text: valueText(entry[key]) });
      continue;
    }
    stale.push(...statements);
    if (Object.hasOwn(entry, key)) lines.push(pair(key, entry[key]));
  }
  const body = ours.filter((one) => one.kind === 'pair' && one.path.length - one.ownParts === 2);
  const last = body.filter((one) => !stale.includes(one)).at(-1) ?? header;
  return applied(text, [...edits, ...inserted(text, last.end, lines), ...stale.map(deletion)]);
}

function inserted(text: string, offset: number, lines: readonly string[]): Edit[] {
  if (lines.length === 0) return [];
  const eol = lineEndOf(text);
  const start = text.slice(0, offset).endsWith('\n') ? '' : eol;
  return [{ offset, length: 0, text: `${start}${lines.map((line) => `${line}${eol}`).join('')}` }];
}

function deletion({ start, end }: Statement): Edit {
  return { offset: start, length: end - start, text: '' };
}

/** Returns the text with our table at its end, so that no other statement can end up in the table. */
function appended(text: string, table: string): string {
  if (text.trim() === '') return table;
  const eol = lineEndOf(text);
  const gap = text.endsWith('\n') ? eol : `${eol}${eol}`;
  return `${text}${gap}${table.replaceAll('\n', eol)}`;
}

function pair(key: string, value: unknown): string {
  return `${keyText(key)} = ${valueText(value)}`;
}

function keyText(key: string): string {
  return /^[\w-]+$/.test(key) ? key : stringText(key);
}

function valueText(value: unknown): string {
  if (typeof value === 'string') return stringText(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  // The parser returns integers as bigint, so this was written as a float.
  if (Number.isInteger(value)) return `${value}.0`;
  if (Number.isFinite(value)) return String(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (!isData(value)) throw new FileProblem('has a value of a type that relay cannot write');
  const pairs = Object.entries(value).map(([key, item]) => pair(key, item));
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

/** TOML escapes as JSON does, but also requires DEL to be escaped. */
function stringText(text: string): string {
  return JSON.stringify(text).replaceAll('\x7f', String.raw`\u007f`);
}
