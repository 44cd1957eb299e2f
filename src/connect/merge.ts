/** Merges one entry into the text of a client's file, or takes entries out, and proves that nothing else changed. Pure. */
import { FileProblem } from './clientFile.ts';
import { type Data, isData, mergedEntry, type Shares, sameData } from './entry.ts';
import { FORMATS, type Format } from './formats.ts';

export interface Where {
  format: Format;
  /** True if the client takes no comments and no trailing commas in its JSON. */
  strict?: boolean | undefined;
  section: string;
}

/** The entry to add, and where it goes. */
export interface Addition extends Where {
  name: string;
  entry: Data;
  shares: Shares;
  keepsAccess?: boolean;
}

/**
 * Returns the entries by name; what is not a group of settings is none.
 * @throws FileProblem when the text is malformed, or if the client would refuse it
 */
export function entriesIn(content: string, at: Where): Map<string, Data> {
  const servers = Object.entries(serversOf(parsed(withoutMark(content), at), at));
  return new Map(servers.filter((server): server is [string, Data] => isData(server[1])));
}

/**
 * Returns the text with the addition; the same text when the addition is already there.
 * @throws FileProblem as `entriesIn` does, and when the text cannot be edited safely
 */
export function merge(content: string, addition: Addition): string {
  const { format, section, name, entry, shares, keepsAccess } = addition;
  const text = withoutMark(content);
  const data = parsed(text, addition);
  const servers = serversOf(data, addition);
  const { [name]: existing = {} } = servers;
  if (!isData(existing))
    throw new FileProblem(`has a value for ${section}.${name} that is not a group of settings`);
  const wanted = mergedEntry(existing, entry, shares, keepsAccess);
  if (sameData(existing, wanted)) return text;
  const expected = { ...data, [section]: { ...servers, [name]: wanted } };
  return proven(() => FORMATS[format].put(text, section, name, wanted), addition, expected);
}

/**
 * Returns the text without the entries, which exist, and without a section that then holds nothing.
 * @throws FileProblem as `merge` does
 */
export function withoutEntries(content: string, at: Where, names: readonly string[]): string {
  let text = withoutMark(content);
  for (const name of names) {
    const data = parsed(text, at);
    const { [name]: _, ...rest } = serversOf(data, at);
    const before = text;
    text = proven(() => FORMATS[at.format].take(before, at.section, name), at, {
      ...data,
      [at.section]: rest,
    });
  }
  return text;
}

export function snippet({ format, section, name, entry }: Omit<Addition, 'shares'>): string {
  return FORMATS[format].put('', section, name, entry);
}

/**
 * Returns the edited text, if it holds what it should. A library may throw at a form that it does not know, or change the first
 * of two members of the same name while readers take the last.
 */
function proven(edit: () => string, at: Where, expected: Data): string {
  const { format, section } = at;
  let cause: unknown;
  try {
    const text = edit();
    if (sameData(parsed(text, at), expected)) return text;
    // Nothing is left of a section without entries, or its braces.
    const { [section]: servers, ...others } = expected;
    if (sameData(servers, {}) && sameData(parsed(text, at), others)) return text;
  } catch (error) {
    cause = error;
  }
  const asTables = `Write each server as a table of its own, [${section}.NAME], and try again.`;
  const reason = `has ${section} in a form that relay cannot edit safely`;
  // To add a table by hand could break the file: TOML allows none below an inline table.
  throw new FileProblem(reason, { cause, remedy: format === 'toml' ? asTables : undefined });
}

/** Leaves out the mark with which some Windows editors start every file: some clients refuse it, and none needs it. */
function withoutMark(content: string): string {
  return content.replace(/^\uFEFF/, '');
}

function parsed(text: string, { format, strict }: Where): Data {
  try {
    return FORMATS[format].parse(text, strict);
  } catch (error) {
    // The parsers call themselves for each level.
    if (error instanceof RangeError) throw new FileProblem('is nested too deeply');
    throw error;
  }
}

function serversOf(document: Data, { format, section }: Where): Data {
  const servers = Object.hasOwn(document, section) ? document[section] : {};
  // In YAML, a section whose entries were deleted by hand is null.
  if (servers === null && format === 'yaml') return {};
  if (!isData(servers)) throw new FileProblem(`has a value for ${section} that is not a group of servers`);
  return servers;
}
