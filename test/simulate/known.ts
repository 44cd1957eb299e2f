/** Mistakes that are known and not fixed yet. A finding that fits none of them is a new one. */
import { readFileSync } from 'node:fs';

/** One mistake: its name, the rules of its findings, and the shortest history that shows it. */
export interface Known {
  name: string;
  /** Regular expressions. A finding belongs to this mistake if one of them matches the rule of the finding. */
  rules: string[];
  /** Seed of the history that shows it. Null if it was found by hand, or before plans were drawn as they are now. */
  seed: number | null;
  /** That history, made as short as it gets. */
  story: string[];
}

const KNOWN: readonly Known[] = JSON.parse(readFileSync(new URL('known.json', import.meta.url), 'utf8'));

const PATTERNS = KNOWN.map((known) => ({ known, patterns: known.rules.map((rule) => new RegExp(rule)) }));

/** The known mistake that a finding belongs to; null if the finding is new. */
export function knownAs(rule: string): Known | null {
  return PATTERNS.find(({ patterns }) => patterns.some((pattern) => pattern.test(rule)))?.known ?? null;
}
