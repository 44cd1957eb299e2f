/**
 * The three formats of clients' files: how each is parsed, and how one entry is put into its text or taken out. Comments and
 * order of the rest stay as far as the library of the format keeps them. `merge.ts` proves that no value of the rest changes.
 */
import {
  applyEdits,
  createScanner,
  type FormattingOptions,
  findNodeAtLocation,
  format,
  modify,
  type Node,
  type ParseError,
  parse as parseJsonc,
  parseTree,
} from 'jsonc-parser';
import { parse as parseToml, stringify, TomlError } from 'smol-toml';
import { type Document, isMap, LineCounter, parseDocument, type Node as YamlNode } from 'yaml';
import { FileProblem } from './clientFile.ts';
import { type Data, isData, sameData } from './entry.ts';

export type Format = 'json' | 'toml' | 'yaml';

/** What a client refuses in its file: a byte order mark at its start, or also all that `JSON.parse` does not take. */
export type Refused = 'mark' | 'mark and comments';

interface FormatRules {
  /** An empty text is an empty object. Throws `FileProblem` with the place of the mistake. */
  parse(text: string): Data;
  /**
   * Returns the text with `entry` as the member `name` of `section`.
   * @param existing the present entry; undefined if there is none
   */
  put(text: string, at: EntryPlace, entry: Data, existing: Data | undefined): string;
  /** Returns the text without the member `name` of `section`, and without a section that then holds nothing, not even a comment. */
  take(text: string, at: EntryPlace): string;
}

/** Where an entry is in a document. */
interface EntryPlace {
  section: string;
  name: string;
}

const OPTIONS = { allowTrailingComma: true, allowEmptyContent: true };

const json: FormatRules = {
  parse(text) {
    const errors: ParseError[] = [];
    const value: unknown = parseJsonc(text, errors, OPTIONS);
    const [first] = errors;
    if (first) throw new FileProblem(`is not valid JSON (${positionAt(text, first.offset)})`);
    if (value === undefined) return {};
    if (!isData(value)) throw new FileProblem('does not contain a JSON object');
    return value;
  },
  put(text, { section, name }, entry, existing) {
    if (/^\s*(?:\{\s*\}\s*)?$/.test(text)) {
      return withLineEnds(`${JSON.stringify({ [section]: { [name]: entry } }, null, 2)}\n`, text);
    }
    if (existing === undefined) return withMember(text, [section, name], entry);
    return differences(existing, entry).reduce(
      (edited, [key, value]) =>
        value === undefined
          ? withoutMember(edited, [section, name, key])
          : withMember(edited, [section, name, key], value),
      text,
    );
  },
  take(text, { section, name }) {
    const left = withoutMember(text, [section, name]);
    const servers = nodeAt(left, [section]);
    const isEmpty = /^\{\s*\}$/.test(left.slice(servers.offset, endOf(servers)));
    return isEmpty ? withoutMember(left, [section]) : left;
  },
};

/** Lays out only the new member: to format a whole minified file takes jsonc-parser minutes. */
function withMember(text: string, path: string[], value: unknown): string {
  const edits = modify(text, path, value, {});
  const edited = applyEdits(text, edits);
  const [edit] = edits;
  // What is on one line stays on one line.
  if (!edit || !text.trim().includes('\n')) return edited;
  // One character more on each side: the brackets around the member may need lines of their own.
  const range = { offset: edit.offset - 1, length: edit.content.length + 2 };
  return applyEdits(edited, format(edited, range, layoutOf(text)));
}

/** Cuts out a member and one comma. jsonc-parser would also cut out the comments between the member and the one before it. */
function withoutMember(text: string, path: string[]): string {
  const member = nodeAt(text, path).parent as Node;
  const members = member.parent?.children ?? [];
  const previous = members[members.indexOf(member) - 1];
  const end = endOf(member);
  // The space before the member goes too, with the line break if the member begins a line.
  const start = text.slice(0, member.offset).replace(/(?:\r?\n)?[ \t]*$/, '').length;
  const comma = commaAt(text, end) ?? (previous && commaAt(text, endOf(previous)));
  const cuts = [{ offset: start, length: end - start, content: '' }];
  if (comma !== undefined) cuts.push({ offset: comma, length: 1, content: '' });
  return applyEdits(text, cuts);
}

/** Returns the offset of the next token if it is a comma. */
function commaAt(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  const next = scanner.getTokenOffset();
  return text[next] === ',' ? next : undefined;
}

function nodeAt(text: string, path: string[]): Node {
  const root = parseTree(text, [], OPTIONS);
  const node = root && findNodeAtLocation(root, path);
  if (!node) throw new Error(`There is no ${path.join('.')}.`);
  return node;
}

/** Refuses comments and trailing commas, for a client that would refuse the whole file. @throws FileProblem */
export function requirePlainJson(text: string): void {
  const errors: ParseError[] = [];
  parseJsonc(text, errors, { disallowComments: true, allowEmptyContent: true });
  const [first] = errors;
  if (!first) return;
  const isComment = text.startsWith('/', first.offset);
  // After a trailing comma, the parser stops at the bracket.
  const offset = isComment ? first.offset : text.slice(0, first.offset).trimEnd().length - 1;
  const what = isComment ? 'a comment' : 'a trailing comma';
  throw new FileProblem(`has ${what} (${positionAt(text, offset)}), which the client does not accept`, {
    remedy: 'Take comments and trailing commas out of the file, then try again.',
  });
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function layoutOf(text: string): FormattingOptions {
  const unit = /\n([ \t]+)"/.exec(text)?.[1] ?? '  ';
  return { insertSpaces: !unit.includes('\t'), tabSize: unit.length, eol: lineEndOf(text) };
}

/** No TOML library keeps comments, so the tables of the entry are cut out of the text as lines, and written anew. */
const toml: FormatRules = {
  parse(text) {
    try {
      return parseToml(text, { integersAsBigInt: true });
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
      throw new FileProblem(`is not valid TOML (line ${error.line}, column ${error.column})`);
    }
  },
  put(text, { section, name }, entry, existing) {
    // The parser returns integers as bigint, so any other number was written as a float.
    const written = stringify({ [section]: { [name]: entry } }, { numbersAsFloat: true });
    const table = withLineEnds(`${written.trim()}\n`, text);
    if (existing === undefined) {
      const rest = text.trimEnd();
      return rest === '' ? table : rest + withLineEnds('\n\n', text) + table;
    }
    const blocks = blocksOf(text, section, name);
    const first = blocks.findIndex(({ isOurs }) => isOurs);
    return blocks.map(({ left }, index) => (index === first ? table + left : left)).join('');
  },
  take: (text, { section, name }) =>
    blocksOf(text, section, name)
      .map(({ left }) => left)
      .join(''),
};

/**
 * Cuts a text before each table header.
 * @returns the blocks, each with what is left of it without the entry: of its own tables only the comments at the end, which
 *   are about the table that follows
 */
function blocksOf(text: string, section: string, name: string): Array<{ isOurs: boolean; left: string }> {
  return text.split(/^(?=[ \t]*\[)/m).map((block) => {
    const lines = block.split(/(?<=\n)/);
    if (!isHeaderOf(lines[0] ?? '', section, name)) return { isOurs: false, left: block };
    const last = lines.findLastIndex((line) => /^\s*[^\s#]/.test(line));
    return { isOurs: true, left: lines.slice(last + 1).join('') };
  });
}

/** True if a line is the header of the entry's table, or of a table in it. */
function isHeaderOf(line: string, section: string, name: string): boolean {
  try {
    const servers = parseToml(line)[section];
    return /^\s*\[/.test(line) && isData(servers) && Object.hasOwn(servers, name);
  } catch {
    // The line only looks like a header: it is a part of an array or of a text.
    return false;
  }
}

const yaml: FormatRules = {
  parse(text) {
    const document = documentOf(text);
    let value: unknown;
    try {
      value = document.toJS();
    } catch (error) {
      // An alias may refer to nothing, or expand to far too much (`maxAliasCount`).
      if (error instanceof ReferenceError) throw new FileProblem('has aliases that relay cannot follow');
      throw error;
    }
    if (value === null || value === undefined) return {};
    if (!isData(value)) throw new FileProblem('does not contain a YAML mapping');
    return value;
  },
  put: (text, { section, name }, entry, existing) =>
    rewritten(text, (document) => {
      const servers = document.get(section, true) as YamlNode | undefined;
      // An empty section may be null, or `{}`, in which the entry would be on one line.
      if (!isMap(servers) || servers.items.length === 0) {
        const commentBefore = servers?.comment;
        document.set(section, Object.assign(document.createNode({}), { commentBefore }));
      }
      if (existing === undefined) return document.setIn([section, name], document.createNode(entry));
      for (const [key, value] of differences(existing, entry)) {
        if (value === undefined) document.deleteIn([section, name, key]);
        else document.setIn([section, name, key], value);
      }
    }),
  take(text, { section, name }) {
    const left = rewritten(text, (document) => document.deleteIn([section, name]));
    return left.replace(new RegExp(`^${section}: \\{\\s*\\}\\r?\\n`, 'm'), '');
  },
};

function rewritten(text: string, change: (document: Document) => void): string {
  const document = documentOf(text);
  change(document);
  return withLineEnds(document.toString({ lineWidth: 0 }), text);
}

function documentOf(text: string): Document {
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, logLevel: 'error' });
  const [first] = document.errors;
  if (!first) return document;
  const { line, col } = counter.linePos(first.pos[0]);
  throw new FileProblem(`is not valid YAML (line ${line}, column ${col})`);
}

export const FORMATS: Record<Format, FormatRules> = { json, toml, yaml };

/** Returns what makes one entry another: each key with its new value, undefined for a key to remove. */
function differences(before: Data, after: Data): Array<[key: string, value: unknown]> {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...keys].filter((key) => !sameData(before[key], after[key]));
  return changed.map((key) => [key, after[key]]);
}

function withLineEnds(written: string, text: string): string {
  return written.replaceAll(/\r?\n/g, lineEndOf(text));
}

function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function positionAt(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}
