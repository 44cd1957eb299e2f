/** A file's text, with what several readers need of it made once. */

export interface Source {
  readonly text: string;
  readonly lines: readonly string[];
}

export function sourceOf(text: string): Source {
  return { text, lines: text.split('\n') };
}
