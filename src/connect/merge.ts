/** One entry into the text of a client's file, proved to have changed nothing else. Pure. */
import { type Data, isData, mergedEntry, type Shares, sameData, withEntry } from './entry.ts';
import { FileProblem } from './fileText.ts';
import { editJson, parseJson, snippetJson } from './jsonEdits.ts';
import { editToml, parseToml, snippetToml } from './tomlEdits.ts';

/** What goes where. */
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

/** Some editors on Windows begin every file with a byte order mark. */
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * The text with the addition; the same text when it holds it already.
 * @throws FileProblem when the text is malformed, or cannot be changed with certainty
 */
export function merge(content: string, addition: Addition): string {
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
    throw new FileProblem(`has ${section} in a form that relay cannot change with certainty`);
  }
  return mark + edited;
}

/** The entry of that name; undefined: none. Throws `FileProblem` as `merge` does. */
export function findEntry(content: string, { format, section, name }: Omit<Addition, 'entry' | 'shares'>) {
  const text = content.startsWith(BYTE_ORDER_MARK) ? content.slice(1) : content;
  return entryIn(FORMATS[format].parse(text), section, name);
}

/** What a file that holds nothing else would be. */
export function snippet({ format, section, name, entry }: Omit<Addition, 'shares'>): string {
  return FORMATS[format].snippet(section, name, entry);
}

function entryIn(document: Data, section: string, name: string): Data | undefined {
  if (!Object.hasOwn(document, section)) return undefined;
  const servers = document[section];
  if (!isData(servers)) throw new FileProblem(`has a ${section} that holds no named servers`);
  if (!Object.hasOwn(servers, name)) return undefined;
  const entry = servers[name];
  if (!isData(entry)) throw new FileProblem(`has a ${section}.${name} that holds no settings`);
  return entry;
}

function holdsExactly(text: string, parse: (text: string) => Data, expected: Data): boolean {
  try {
    return sameData(parse(text), expected);
  } catch {
    return false;
  }
}
