/**
 * Finds sentences in comments and documents that have too many words. A few old ones may stay for now, but their number can
 * only go down. `node --import tsx scripts/check/sentences.ts` lists them.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './files.ts';
import { proseFiles } from './prose.ts';

const MAX_WORDS = 25;
/** How many longer sentences are allowed. Lower it when there are fewer; never raise it. */
const CEILING = 2;

interface Sentence {
  path: string;
  line: number;
  words: number;
  text: string;
}

/** Returns one message if too many sentences are too long, or if the ceiling can be lowered. */
export function longSentences(): string[] {
  const found = tooLong();
  const advice = 'node --import tsx scripts/check/sentences.ts lists them';
  if (found.length > CEILING) {
    return [`${found.length} sentences have more than ${MAX_WORDS} words; at most ${CEILING} may: ${advice}`];
  }
  if (found.length === CEILING) return [];
  return [
    `Only ${found.length} sentences have more than ${MAX_WORDS} words: set CEILING in scripts/check/sentences.ts to that number`,
  ];
}

function tooLong(): Sentence[] {
  return proseFiles().flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    const blocks = path.endsWith('.md') ? paragraphsOf(text) : commentsOf(text);
    return blocks.flatMap((block) => sentencesOf(path, block)).filter(({ words }) => words > MAX_WORDS);
  });
}

/** A paragraph of text, and where it begins. */
interface Block {
  line: number;
  text: string;
}

/** Returns each run of comment lines as one block. A tag such as `@param` begins a new block. */
function commentsOf(text: string): Block[] {
  const lines = text
    .split('\n')
    .map((line) => /^\s*(?:\/\*\*?|\*\/|\*(?!\/)|\/\/)(.*?)(?:\*\/)?$/.exec(line)?.[1] ?? null);
  return blocksOf(lines, (line) => /^\s*(?:@|- )/.test(line));
}

/** Paragraphs and list items, without tables, headings and code. */
function paragraphsOf(text: string): Block[] {
  let isCode = false;
  const lines = text.split('\n').map((line) => {
    const isFence = line.trimStart().startsWith('```');
    if (isFence) isCode = !isCode;
    return isCode || isFence || /^\s*(?:\||#|<!--)/.test(line) ? null : line;
  });
  return blocksOf(lines, (line) => /^\s*(?:[-*]|\d+\.) /.test(line));
}

/** @param lines null for lines to leave out */
function blocksOf(lines: readonly (string | null)[], begins: (line: string) => boolean): Block[] {
  const blocks: Block[] = [];
  let open: Block | null = null;
  for (const [index, line] of lines.entries()) {
    if (line === null || line.trim() === '') open = null;
    else if (open === null || begins(line)) {
      open = { line: index + 1, text: line.trim() };
      blocks.push(open);
    } else open.text += ` ${line.trim()}`;
  }
  return blocks;
}

/**
 * Code in backquotes, an address, or a link counts as one word. A colon or a semicolon ends a sentence too, since readers can
 * pause there.
 */
function sentencesOf(path: string, { line, text }: Block): Sentence[] {
  return text
    .replace(/`[^`]*`/g, 'code')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .split(/(?<=[.!?:;]["')*]*)\s+/)
    .map((sentence) => ({
      path,
      line,
      text: sentence,
      words: sentence.match(/[\p{L}\p{N}][\S]*/gu)?.length ?? 0,
    }));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const { path, line, words, text } of tooLong()) console.log(`${path}:${line} (${words}) ${text}`);
}
