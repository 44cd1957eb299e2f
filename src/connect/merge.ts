/** Merges one entry into the text of a client's file, or takes it out, and proves that nothing else changed. Pure. */
import { serverName } from '../domain/project.ts';
import { FileProblem } from './clientFile.ts';
import { type Data, isData, mergedEntry, type Shares, sameData, withEntry } from './entry.ts';
import { FORMATS, type Format, type Refused, requirePlainJson } from './formats.ts';

/** The entry to add, and where it goes. */
export interface Addition {
  format: Format;
  section: string;
  name: string;
  entry: Data;
  shares: Shares;
  /** What the client refuses in its file. */
  refuses?: Refused | undefined;
}

/** Where an entry is. */
export type Where = Pick<Addition, 'format' | 'section' | 'name' | 'refuses'>;

/** The mark with which some Windows editors start every file. */
const BYTE_ORDER_MARK = '\uFEFF';

/** True if the text begins with a byte order mark that the client refuses. Every edit leaves it out. */
export function hasRefusedMark(content: string, { refuses }: Pick<Where, 'refuses'>): boolean {
  return refuses !== undefined && content.startsWith(BYTE_ORDER_MARK);
}

/**
 * Returns the text with the addition; the same text when the addition is already there.
 * @throws FileProblem when the text is malformed, cannot be edited safely, or would not be read by the client
 */
export function merge(content: string, addition: Addition): string {
  const { section, name, entry, shares } = addition;
  const { mark, text, data } = opened(content, addition);
  if (addition.refuses === 'mark and comments') requirePlainJson(text);
  const existing = entryIn(data, addition);
  const wanted = mergedEntry(existing ?? {}, entry, shares);
  if (existing && sameData(existing, wanted)) return mark + text;
  const expected = withEntry(data, section, name, wanted);
  const edit = () => FORMATS[addition.format].put(text, addition, wanted, existing);
  return mark + proven(edit, addition, (left) => sameData(left, expected));
}

/**
 * Returns the text without the entry, which exists, and without a section that then holds nothing.
 * @throws FileProblem as `merge` does
 */
export function withoutEntry(content: string, at: Where): string {
  const { mark, text, data } = opened(content, at);
  const { [at.section]: _, ...others } = data;
  const { [at.name]: __, ...rest } = entriesIn(data, at);
  const isLast = Object.keys(rest).length === 0;
  const isRight = (left: Data) =>
    sameData(left, { ...data, [at.section]: rest }) || (isLast && sameData(left, others));
  return mark + proven(() => FORMATS[at.format].take(text, at), at, isRight);
}

/**
 * Returns the edited text, if it holds what it should. A library may throw at a form that it does not know, or change the first
 * of two members of the same name while readers take the last.
 */
function proven(edit: () => string, { format, section }: Where, isRight: (data: Data) => boolean): string {
  let cause: unknown;
  try {
    const text = edit();
    if (isRight(FORMATS[format].parse(text))) return text;
  } catch (error) {
    cause = error;
  }
  const asTables = `Write each server as a table of its own, [${section}.NAME], and try again.`;
  const reason = `has ${section} in a form that relay cannot edit safely`;
  // To add a table by hand could break the file: TOML allows none below an inline table.
  throw new FileProblem(reason, { cause, remedy: format === 'toml' ? asTables : undefined });
}

/** Finds the entry with that name; undefined if there is none. Throws `FileProblem` as `merge` does. */
export function findEntry(content: string, at: Where): Data | undefined {
  return entryIn(opened(content, at).data, at);
}

/**
 * Returns the entries of the section that may lead to the server with the name in `at`. The demo and the real server usually have
 * the same address, so the demo leaves out the entry with the real server's name. Throws `FileProblem` as `merge` does.
 */
export function entriesFor(content: string, at: Where): Data {
  const entries = entriesIn(opened(content, at).data, at);
  const { [serverName(false)]: _, ...others } = entries;
  return at.name === serverName(true) ? others : entries;
}

/** Returns the content of a file with only this entry. */
export function snippet({ format, section, name, entry }: Omit<Addition, 'shares'>): string {
  return FORMATS[format].put('', { section, name }, entry, undefined);
}

/** Parses the content of a file, with or without a byte order mark. `mark` is what an edited text begins with. */
function opened(content: string, at: Where): { mark: string; text: string; data: Data } {
  const { format } = at;
  const isMarked = content.startsWith(BYTE_ORDER_MARK);
  const mark = isMarked && !hasRefusedMark(content, at) ? BYTE_ORDER_MARK : '';
  const text = isMarked ? content.slice(1) : content;
  try {
    return { mark, text, data: FORMATS[format].parse(text) };
  } catch (error) {
    // The parsers call themselves for each level.
    if (error instanceof RangeError) throw new FileProblem('is nested too deeply');
    throw error;
  }
}

function entriesIn(document: Data, { format, section }: Pick<Where, 'format' | 'section'>): Data {
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
