/**
 * Measures the cost of `tools/list` and the instructions, and how often a search among the tools finds the right one for an
 * everyday request.
 */
import { groupsOf } from '../../src/domain/toolsets.ts';
import { instructionsFor, toolEntry } from '../../src/mcp/surface.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { createBm25 } from './bm25.ts';
import { type EverydayRequest, KEYWORDS, REQUESTS } from './requests.ts';
import { tokensOf } from './tokens.ts';

interface ToolCost {
  name: string;
  /** Tokens of name, description and input schema. */
  asked: number;
  output: number;
  /** Tokens of the whole entry. */
  whole: number;
}

export interface Recall {
  /** Share of the requests, from 0 to 1, whose tool a search finds first. */
  first: number;
  /** Share of the requests, from 0 to 1, whose tool is among the first five. */
  firstFive: number;
}

const entries = TOOLS.map(toolEntry);
const STANDARD = { toolsets: groupsOf(['standard']), readOnly: false };

export function toolCosts(): ToolCost[] {
  return entries.map((entry) => {
    const { name, description, inputSchema, outputSchema } = entry;
    return {
      name,
      asked: tokensOf({ name, description, inputSchema }),
      output: tokensOf(outputSchema),
      whole: tokensOf(entry),
    };
  });
}

export function toolListSizes() {
  const costs = toolCosts();
  return {
    asked: sum(costs.map(({ asked }) => asked)),
    tokens: sum(costs.map(({ whole }) => whole)),
    bytes: Buffer.byteLength(JSON.stringify({ tools: entries })),
    instructions: instructionsFor(new Set(costs.map(({ name }) => name)), STANDARD).length,
  };
}

/**
 * The text that is searched here: a tool's name, title and description, without its arguments. Names of other tools in a
 * description are left out, since nobody types them.
 */
const searchable = entries.map(({ name, title, description }) => ({
  name,
  text: `${name.replaceAll('_', ' ')} ${title} ${description.replaceAll(/\b\w+_\w+\b/g, '')}`,
}));

/** Returns how often a plain search finds a fitting tool. */
export function recall(asked: 'keywords' | 'requests'): Recall {
  const search = createBm25(searchable);
  const chosen = asked === 'keywords' ? KEYWORDS : REQUESTS;
  const ranks = chosen.map((request) => rankOf(search, request));
  const within = (places: number) => ranks.filter((rank) => rank < places).length / chosen.length;
  return { first: within(1), firstFive: within(5) };
}

function rankOf(search: (query: string) => string[], [request, ...tools]: EverydayRequest): number {
  const found = search(request);
  return Math.min(...tools.map((tool) => found.indexOf(tool)).map((at) => (at < 0 ? Infinity : at)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
