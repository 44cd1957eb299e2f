/** Merges one entry into the text of a client's file, and proves that nothing else changed. Pure. */
import { serverName } from '../domain/project.ts';
import { type Data, isData, mergedEntry, type Shares, sameData, withEntry } from './entry.ts';
import { attempt, FileProblem, uneditable, withinStack } from './fileText.ts';
import { editJson, parseJson, removeJson, snippetJson } from './jsonEdits.ts';
import { editToml, parseToml, removeToml, snippetToml } from './tomlEdits.ts';
import { editYaml, parseYaml, removeYaml, snippetYaml } from './yamlEdits.ts';

export type Format = 'json' | 'toml' | 'yaml';

/** The entry to add, and where it goes. */
export interface Addition {
  format: Format;
  section: string;
  name: string;
  entry: Data;
  shares: Shares;
}

interface FormatRules {
  parse(text: string): Data;
  edit(text: string, section: string, name: string, entry: Data): string;
  /** @param whole true to remove the section too, which holds nothing else */
  remove(text: string, section: string, name: string, whole: boolean): string;
  snippet(section: string, name: string, entry: Data): string;
}

const FORMATS: Record<Format, FormatRules> = {
  json: { parse: parseJson, edit: editJson, remove: removeJson, snippet: snippetJson },
  toml: { parse: parseToml, edit: editToml, remove: removeToml, snippet: snippetToml },
  yaml: { parse: parseYaml, edit: editYaml, remove: removeYaml, snippet: snippetYaml },
};

/** The mark with which some Windows editors start every file. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Returns the text with the addition; the same text when the addition is already there.
 * @throws FileProblem when the text is malformed or cannot be edited safely
 */
export function merge(content: string, addition: Addition): string {
  return withinStack(() => merged(content, addition));
}

function merged(content: string, addition: Addition): string {
  const mark = content.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const text = content.slice(mark.length);
  const { format, section, name, entry, shares } = addition;
  const { parse, edit } = FORMATS[format];
  const before = parse(text);
  const existing = entryIn(before, addition);
  const wanted = mergedEntry(existing ?? {}, entry, shares);
  if (existing && sameData(existing, wanted)) return content;
  const edited = edit(text, section, name, wanted);
  if (!holdsExactly(edited, parse, withEntry(before, section, name, wanted))) {
    throw uneditable(section);
  }
  return mark + edited;
}

/** What is known about the file before our entry was added. */
export interface Past {
  /** Earlier texts of the file, newest first. */
  earlier: readonly string[];
  /** True if there was a file at all; null if not known. */
  existed: boolean | null;
}

/**
 * Returns the file as it was before `merge` added our entry; null if there was no file. If nobody has changed anything else
 * since, the result is one of the earlier texts, byte for byte. Otherwise everything else stays byte for byte, except the comma
 * or the blank line that belonged to the entry. A section that becomes empty is removed if it was not there before.
 * @throws FileProblem as `merge` does
 */
export function unmerged(content: string, at: Where, { earlier, existed }: Past): string | null {
  return withinStack(() => {
    const { [at.name]: entry, ...rest } = entriesIn(parsed(content, at.format), at);
    const left = removed(content, at, true);
    if (isData(entry)) {
      const addition = { ...at, entry, shares: {} };
      const leaves = (text: string) => attempt(() => removed(merged(text, addition), at, true)) === left;
      const found = earlier.find(leaves);
      if (found !== undefined) return found;
      if (leaves('')) return null;
    }
    const [last] = earlier;
    const isNew = last === undefined ? existed === false : attempt(() => hasSection(last, at)) === false;
    return Object.keys(rest).length === 0 && isNew ? left : removed(content, at, false);
  });
}

/** @param whole true to remove the section too, if it holds nothing else */
function removed(content: string, { format, section, name }: Where, whole: boolean): string {
  const mark = content.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const text = content.slice(mark.length);
  const { parse, remove } = FORMATS[format];
  const before = parse(text);
  const { [name]: _, ...rest } = entriesIn(before, { format, section });
  const isLast = Object.keys(rest).length === 0;
  const edited = remove(text, section, name, whole && isLast);
  const { [section]: __, ...others } = before;
  const isRight =
    holdsExactly(edited, parse, { ...before, [section]: rest }) ||
    // In TOML a section without entries does not exist.
    (isLast && (whole || format === 'toml') && holdsExactly(edited, parse, others));
  if (!isRight) throw uneditable(section);
  return mark + edited;
}

function hasSection(content: string, { format, section }: Where): boolean {
  return Object.hasOwn(parsed(content, format), section);
}

/** Where an entry is. */
export type Where = Pick<Addition, 'format' | 'section' | 'name'>;

/** Finds the entry with that name; undefined if there is none. Throws `FileProblem` as `merge` does. */
export function findEntry(content: string, at: Where): Data | undefined {
  return withinStack(() => entryIn(parsed(content, at.format), at));
}

/**
 * Returns the entries of the section that may lead to the server with the name in `at`. The demo and the real server usually have
 * the same address, so the demo leaves out the entry with the real server's name. Throws `FileProblem` as `merge` does.
 */
export function entriesFor(content: string, at: Where): Data {
  return withinStack(() => {
    const entries = entriesIn(parsed(content, at.format), at);
    const { [serverName(false)]: _, ...others } = entries;
    return at.name === serverName(true) ? others : entries;
  });
}

/** Parses the content of a file, with or without a byte order mark. */
function parsed(content: string, format: Format): Data {
  const start = content.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  return FORMATS[format].parse(content.slice(start));
}

/** Returns the content of a file with only this entry. */
export function snippet({ format, section, name, entry }: Omit<Addition, 'shares'>): string {
  return FORMATS[format].snippet(section, name, entry);
}

function entriesIn(document: Data, { format, section }: Omit<Where, 'name'>): Data {
  if (!Object.hasOwn(document, section)) return {};
  const servers = document[section];
  // In YAML, a section whose entries were deleted by hand is null.
  if (servers === null && format === 'yaml') return {};
  if (!isData(servers)) throw new FileProblem(`has a value for ${section} that is not a group of servers`);
  return servers;
}

function entryIn(document: Data, { format, section, name }: Where): Data | undefined {
  const servers = entriesIn(document, { format, section });
  if (!Object.hasOwn(servers, name)) return undefined;
  const entry = servers[name];
  if (!isData(entry))
    throw new FileProblem(`has a value for ${section}.${name} that is not a group of settings`);
  return entry;
}

function holdsExactly(text: string, parse: (text: string) => Data, expected: Data): boolean {
  try {
    return sameData(parse(text), expected);
  } catch {
    return false;
  }
}
