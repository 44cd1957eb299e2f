/** Why a client's file cannot be changed with certainty; nothing was changed then. */
export class FileProblem extends Error {
  /** @param reason completes "<file> …" */
  constructor(reason: string) {
    super(reason);
    this.name = 'FileProblem';
  }
}

/** `line 3, column 5`, counted from 1. */
export function positionAt(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}
