/** Helpers for reading and editing the text of a client's file. */

/** Why a client's file cannot be edited safely. Nothing was changed. */
export class FileProblem extends Error {
  readonly remedy: string | undefined;

  /**
   * @param reason completes "<file> …"
   * @param remedy what to do if the entry cannot just be added by hand
   */
  constructor(reason: string, remedy?: string) {
    super(reason);
    this.name = 'FileProblem';
    this.remedy = remedy;
  }
}

export function uneditable(section: string): FileProblem {
  return new FileProblem(`has ${section} in a form that relay cannot edit safely`);
}

/** Runs `work` on a file's content. Nesting that exhausts the stack becomes a `FileProblem`. */
export function withinStack<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new FileProblem('is nested too deeply');
  }
}

/** Returns the result of `work`; null if the text cannot be read or edited. */
export function attempt<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof FileProblem) return null;
    throw error;
  }
}

/** `line 3, column 5`, counted from 1. */
export function positionAt(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

/** A replacement in a text. */
export interface Edit {
  offset: number;
  length: number;
  text: string;
}

/** Returns the text with all edits applied. The edits must not overlap; edits at the same offset keep their order. */
export function applied(text: string, edits: readonly Edit[]): string {
  return [...edits]
    .reverse()
    .sort((a, b) => b.offset - a.offset)
    .reduce(
      (before, { offset, length, text: put }) =>
        before.slice(0, offset) + put + before.slice(offset + length),
      text,
    );
}

/** Returns the line end that the text uses. */
export function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Returns the start of the line that contains `offset`. */
export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Returns the start of the line after the one that contains `offset`; the end of the text if that is the last line. */
export function lineEnd(text: string, offset: number): number {
  const newline = text.indexOf('\n', offset);
  return newline < 0 ? text.length : newline + 1;
}
