/** Merges one entry into the text of a client's file, and proves that nothing else changed. Pure. */
import { type Data, isData, mergedEntry, type Shares, sameData, withEntry } from './entry.ts';
import { FileProblem, uneditable, withinStack } from './fileText.ts';
import { editJson, parseJson, snippetJson } from './jsonEdits.ts';
import { editToml, parseToml, snippetToml } from './tomlEdits.ts';

/** The entry to add, and where it goes. */
export interface Addition {
  format: 'json' | 'toml';
  section: string;
  name: string;
  entry: Data;
  shares: Shares;
}

const FORMATS = {
  json: { parse: parseJson, edit: editJson, snippet: snippetJson },
  toml: { parse: parseToml, edit: editToml, snippet: snippetToml },
};

/** Some Windows editors start every file with one. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * The text with the addition; the same text when it is already there.
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
  const existing = entryIn(before, section, name);
  const wanted = mergedEntry(existing ?? {}, entry, shares);
  if (existing && sameData(existing, wanted)) return content;
  const edited = edit(text, section, name, wanted);
  if (!holdsExactly(edited, parse, withEntry(before, section, name, wanted))) {
    throw uneditable(section);
  }
  return mark + edited;
}

/** The entry with that name, or undefined. Throws `FileProblem` as `merge` does. */
export function findEntry(content: string, { format, section, name }: Omit<Addition, 'entry' | 'shares'>) {
  const text = content.startsWith(BYTE_ORDER_MARK) ? content.slice(1) : content;
  return withinStack(() => entryIn(FORMATS[format].parse(text), section, name));
}

/** The content of a file with only this entry. */
export function snippet({ format, section, name, entry }: Omit<Addition, 'shares'>): string {
  return FORMATS[format].snippet(section, name, entry);
}

function entryIn(document: Data, section: string, name: string): Data | undefined {
  if (!Object.hasOwn(document, section)) return undefined;
  const servers = document[section];
  if (!isData(servers)) throw new FileProblem(`has a value for ${section} that is not a group of servers`);
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
