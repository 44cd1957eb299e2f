/** Replacements in a text. */
export interface Edit {
  offset: number;
  length: number;
  text: string;
}

/** The text with all edits made; of two at the same offset the first stands first. They must not overlap. */
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

/** The line end that the text uses. */
export function lineEndOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
