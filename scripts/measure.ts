/**
 * `npm run measure`: what a model pays for the tools, in tokens (o200k), and whether a search finds the tool for an
 * everyday request. Prints a table; it is no test.
 */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { INSTRUCTIONS, toolEntry } from '../src/mcp/surface.ts';
import { TOOLS } from '../src/tools/index.ts';
import { createBm25 } from './measure/bm25.ts';
import { isHeldOut, REQUESTS } from './measure/requests.ts';

const entries = TOOLS.map(toolEntry);
const tokensOf = (value: unknown) => countTokens(typeof value === 'string' ? value : JSON.stringify(value));
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

const costs = entries.map((entry) => {
  const { name, description, inputSchema, outputSchema } = entry;
  return {
    name,
    asked: tokensOf({ name, description, inputSchema }),
    output: tokensOf(outputSchema),
    whole: tokensOf(entry),
  };
});

console.log(
  'Tokens per tool (name, description and input schema; output schema; all that tools/list sends)\n',
);
for (const { name, asked, output, whole } of costs.toSorted((a, b) => b.whole - a.whole)) {
  console.log(`${name.padEnd(30)} ${pad(asked)} ${pad(output)} ${pad(whole)}`);
}

const list = JSON.stringify({ tools: entries });
const search = createBm25(
  entries.map(({ name, description }) => ({ name, text: `${name.replaceAll('_', ' ')} ${description}` })),
);
const ranks = REQUESTS.map(([request, ...tools]) => {
  const found = search(request);
  return Math.min(...tools.map((tool) => found.indexOf(tool)).map((at) => (at < 0 ? Infinity : at)));
});

console.log('\nIn all\n');
const figures: Array<[what: string, figure: string]> = [
  ['name, description and input schema', `${sum(costs.map(({ asked }) => asked))} tokens`],
  ['tools/list', `${sum(costs.map(({ whole }) => whole))} tokens, ${Buffer.byteLength(list)} bytes`],
  ['instructions', `${tokensOf(INSTRUCTIONS)} tokens, ${INSTRUCTIONS.length} characters`],
  ['recall, requests that may be looked at', recall((index) => !isHeldOut(index))],
  ['recall, held-out requests', recall(isHeldOut)],
];
for (const [what, figure] of figures) console.log(`${what.padEnd(40)} ${figure}`);

/** The share of requests whose tool is first, and among the first five. */
function recall(counts: (index: number) => boolean): string {
  const chosen = ranks.filter((_rank, index) => counts(index));
  const within = (places: number) => chosen.filter((rank) => rank < places).length / chosen.length;
  return `@1 ${percent(within(1))}, @5 ${percent(within(5))} of ${chosen.length}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function pad(number: number): string {
  return String(number).padStart(6);
}
