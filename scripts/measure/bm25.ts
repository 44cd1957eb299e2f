/**
 * Plain BM25 (k1 1.2, b 0.75) over short texts, as in search libraries. Endings of words and stop words are left out, and synonyms
 * are unknown. Some MCP hosts load a tool only when a search finds it, and their searches rank in this way.
 */

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
  const indexed = documents.map(({ name, text }) => ({ name, words: wordsOf(text) }));
  const average = indexed.reduce((sum, { words }) => sum + words.length, 0) / indexed.length;

  const rarity = (word: string): number => {
    const holding = indexed.filter(({ words }) => words.includes(word)).length;
    return Math.log(1 + (indexed.length - holding + 0.5) / (holding + 0.5));
  };

  return (query) => {
    const asked = [...new Set(wordsOf(query))];
    return indexed
      .map(({ name, words }) => {
        const norm = K1 * (1 - B + (B * words.length) / average);
        const score = asked.reduce((sum, word) => {
          const count = words.filter((one) => one === word).length;
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
  return words.filter((word) => !STOP_WORDS.has(word)).map(stemOf);
}

/** `plays`, `played` and `playing` are one word, and so are `remove` and `removing`. */
function stemOf(word: string): string {
  const stem = word.replace(/(?<=..[^s])s$/, '').replace(/(?<=[a-z]{3})(ing|ed|e)$/, '');
  return stem.replace(/y$/, 'i').replace(/([bdgmnpt])\1$/, '$1');
}
