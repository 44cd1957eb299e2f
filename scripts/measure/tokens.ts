/** Counts tokens of the o200k vocabulary. Other vocabularies differ by some percent. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Counts the tokens of a text, or of any other value as JSON. */
export function tokensOf(value: unknown): number {
  return countTokens(typeof value === 'string' ? value : JSON.stringify(value));
}
