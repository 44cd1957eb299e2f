/** The cost of `tools/list` and the instructions, and how often a search among the tools finds the right one for a request. */
import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { LEVELS } from '../../src/domain/access.ts';
import { instructionsFor, toolEntry } from '../../src/mcp/offers.ts';
import type { ToolEntry } from '../../src/mcp/toolEntries.ts';
import { ALL_TOOLS, TOOLS } from '../../src/tools/index.ts';
import { createBm25 } from './bm25.ts';

interface ToolCost {
  name: string;
  /** Tokens of name, description and input schema. */
  asked: number;
  /** Tokens of the whole entry. */
  whole: number;
}

/** The share of the requests, from 0 to 1, whose tool a search finds first, and among the first five. */
export interface Recall {
  first: number;
  firstFive: number;
}

const entries = TOOLS.map(toolEntry);

/** Counts the tokens of a value as JSON, in the o200k vocabulary. Other vocabularies differ by some percent. */
export function tokensOf(value: unknown): number {
  return countTokens(JSON.stringify(value));
}

function askedOf({ name, description, inputSchema }: ToolEntry): number {
  return tokensOf({ name, description, inputSchema });
}

export function toolCosts(): ToolCost[] {
  return entries.map((entry) => {
    return { name: entry.name, asked: askedOf(entry), whole: tokensOf(entry) };
  });
}

export function toolListSizes() {
  const costs = toolCosts();
  return {
    asked: costs.reduce((sum, { asked }) => sum + asked, 0),
    tokens: costs.reduce((sum, { whole }) => sum + whole, 0),
    bytes: Buffer.byteLength(JSON.stringify({ tools: entries })),
    instructions: Math.max(...LEVELS.map((level) => instructionsFor(level).length)),
    everything: ALL_TOOLS.map(toolEntry).reduce((sum, entry) => sum + askedOf(entry), 0),
  };
}

/** Returns how often a plain search finds a fitting tool. @param asked a part of `requests.txt` */
export function recall(asked: 'keywords' | 'requests'): Recall {
  // A tool's name, title and description, without its arguments. Names of other tools are left out, since nobody types them.
  const search = createBm25(
    entries.map(({ name, title, description }) => ({
      name,
      text: `${name.replaceAll('_', ' ')} ${title} ${description.replaceAll(/\b\w+_\w+\b/g, '')}`,
    })),
  );
  const ranks = requestsOf(asked).map(({ request, tools }) => {
    const found = search(request);
    return Math.min(...tools.map((tool) => found.indexOf(tool)).map((at) => (at < 0 ? Infinity : at)));
  });
  const within = (places: number) => ranks.filter((rank) => rank < places).length / ranks.length;
  return { first: within(1), firstFive: within(5) };
}

function requestsOf(part: string): Array<{ request: string; tools: string[] }> {
  const text = readFileSync(new URL('./requests.txt', import.meta.url), 'utf8');
  const [lines = ''] = text.split(`# ${part}\n`)[1]?.split('\n# ') ?? [];
  return lines.split('\n').flatMap((line) => {
    const [tools = '', requests = ''] = line.split(': ');
    return line === '' ? [] : requests.split(' | ').map((request) => ({ request, tools: tools.split(' ') }));
  });
}
