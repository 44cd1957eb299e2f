/**
 * Plain BM25 (k1 1.2, b 0.75) over short texts, as in search libraries. Words are reduced to English stems, stop words are left
 * out, and synonyms are unknown. Some MCP hosts load a tool only when a search finds it, and their searches rank in this way.
 */
import { stemmer } from 'stemmer';

const K1 = 1.2;
const B = 0.75;
const STOP_WORDS = new Set(
  `a an and are as at be but by did do does for from had has have how i if in into is it its me my no not of on or so
  such than that the their then there these they this to was we what which who will with you`.split(/\s+/),
);

export interface Document {
  name: string;
  text: string;
}

/**
 * Returns a function that ranks the documents for a query and returns their names, best first. Documents that share no word with
 * the query are left out.
 */
export function createBm25(documents: readonly Document[]): (query: string) => string[] {
  const indexed = documents.map(({ name, text }) => ({ name, counts: countsOf(wordsOf(text)) }));
  const lengthOf = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((a, b) => a + b, 0);
  const average = indexed.reduce((sum, { counts }) => sum + lengthOf(counts), 0) / indexed.length;

  const rarity = (word: string): number => {
    const holding = indexed.filter(({ counts }) => counts.has(word)).length;
    return Math.log(1 + (indexed.length - holding + 0.5) / (holding + 0.5));
  };

  return (query) => {
    const words = [...new Set(wordsOf(query))];
    return indexed
      .map(({ name, counts }) => {
        const norm = K1 * (1 - B + (B * lengthOf(counts)) / average);
        const score = words.reduce((sum, word) => {
          const count = counts.get(word) ?? 0;
          return sum + (rarity(word) * count * (K1 + 1)) / (count + norm);
        }, 0);
        return { name, score };
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || a.name.localeCompare(b.name))
      .map(({ name }) => name);
  };
}

function wordsOf(text: string): string[] {
  const words: string[] = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word)).map(stemmer);
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
