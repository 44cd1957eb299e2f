/**
 * `npm run measure`: what the tools cost a model, in tokens (o200k), and how often a search finds the tool for a request. It is not
 * a test; `test/measure.test.ts` has the limits.
 */
import { rowCosts } from './measure/rows.ts';
import { taskCosts } from './measure/tasks.ts';
import { recall, toolCosts, toolListSizes } from './measure/toolList.ts';

console.log('Tokens: name, description and input schema; with the output schema');
for (const { name, asked, whole } of toolCosts().sort((one, other) => other.whole - one.whole))
  console.log(`${name.padEnd(30)}${String(asked).padStart(6)}${String(whole).padStart(6)}`);

const { asked, tokens, bytes, instructions, everything } = toolListSizes();
const [keywords, requests] = [recall('keywords'), recall('requests')];
const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const figures = {
  'Name, description and input schema of the 49 tools': `${asked} tokens`,
  'The same with the extras': `${everything} tokens`,
  '`tools/list`, with output schemas': `${tokens} tokens, ${bytes} bytes`,
  'Instructions of the MCP server': `${instructions} characters`,
  ...Object.fromEntries(
    Object.entries(await rowCosts()).map(([kind, cost]) => [`A row: ${kind}`, `${cost.toFixed(1)} tokens`]),
  ),
  'Keyword searches that find the tool first': percent(keywords.first),
  'The same, among the first five': percent(keywords.firstFive),
  'Requests as people say them, whose tool is among the first five': percent(requests.firstFive),
};
for (const [what, figure] of Object.entries(figures)) console.log(`${what.padEnd(66)}${figure}`);

console.log('\nEveryday tasks: calls, tokens of arguments and answers');
const tasks = await taskCosts();
for (const { asked: what, calls, tokens: cost, done } of tasks)
  console.log(
    `${done ? '  ' : 'NO'} ${what.padEnd(56)}${String(calls).padStart(3)}${String(cost).padStart(7)}`,
  );
const sum = (of: (task: (typeof tasks)[number]) => number) =>
  tasks.reduce((total, task) => total + of(task), 0);
const cannot = tasks.filter(({ done }) => !done).length;
console.log(
  `${tasks.length} tasks, ${sum(({ calls }) => calls)} calls, ${sum(({ tokens: cost }) => cost)} tokens, ${cannot} cannot be done`,
);
