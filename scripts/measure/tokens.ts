/** Tokens as the o200k vocabulary counts them; those of other vocabularies differ by some percent. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** Of a text, or of the JSON of anything else. */
export function tokensOf(value: unknown): number {
  return countTokens(typeof value === 'string' ? value : JSON.stringify(value));
}
