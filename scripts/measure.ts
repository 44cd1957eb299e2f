/**
 * `npm run measure`: the cost of the tools for a model, in tokens (o200k), per tool, list, row and task. Also how often a
 * search finds the tool for an everyday request. It is not a test. `--write` records the figures, which the documents show.
 * `test/measure.test.ts` has the limits.
 */
import {
  baseline,
  baselineTokens,
  FIGURES,
  type FigureName,
  type Figures,
  inUnit,
  recordFigures,
} from './measure/figures.ts';
import { ownLists, providerLists, rowCosts } from './measure/lists.ts';
import { createModel } from './measure/model.ts';
import { askQuestions } from './measure/questions.ts';
import { withDemo } from './measure/relay.ts';
import { idleTokens, playSkillTasks } from './measure/skill.ts';
import { playTasks } from './measure/tasks.ts';
import { recall, toolCosts, toolListSizes } from './measure/toolList.ts';

const demo = await withDemo(async (relay) => {
  const model = createModel(relay.client);
  const rows = await rowCosts(model, relay);
  const lists = await providerLists(model, relay);
  const tasks = await playTasks(model, relay);
  return { rows, lists: { ...lists, ...(await ownLists(model, relay)) }, tasks };
});
const questions = await withDemo((relay) => askQuestions(createModel(relay.client), relay));
const ways = await playSkillTasks((work) => withDemo(work));
const figures = figuresOf();

printAll();
if (process.argv.includes('--write')) {
  recordFigures(figures);
  console.log('\nrecorded the figures; put them into the README by hand');
}

function figuresOf(): Figures {
  const { rows, lists, tasks } = demo;
  const { asked, tokens, bytes, instructions } = toolListSizes();
  const keywords = recall('keywords');
  const exact = {
    track_row: rows.track,
    playlist_row: rows.playlist,
    library_row: rows.library,
    item_row: rows.item,
    largest_page: Math.max(...Object.values(lists)),
    tasks: Object.values(tasks).reduce((total, cost) => total + cost.tokens, 0),
    questions: Object.values(questions).reduce((total, tokens) => total + tokens, 0),
    skill_idle: idleTokens(),
    skill_tasks: totalOf('skill'),
    mcp_tasks: totalOf('mcp'),
    instructions,
    asked,
    list_tokens: tokens,
    list_bytes: bytes,
    keywords_first: keywords.first * 100,
    keywords_five: keywords.firstFive * 100,
    requests_five: recall('requests').firstFive * 100,
  };
  const rounded = Object.entries(exact).map(([name, value = 0]) => [name, Math.round(value * 10) / 10]);
  return Object.fromEntries(rounded) as Figures;
}

function totalOf(way: 'mcp' | 'skill'): number {
  return Object.values(ways).reduce((total, costs) => total + costs[way], 0);
}

function printAll(): void {
  table(
    'Tokens per tool. Columns: name, description and input schema; output schema; all that tools/list sends',
    toolCosts()
      .toSorted((a, b) => b.whole - a.whole)
      .map(({ name, asked, output, whole }) => [name, asked, output, whole]),
  );
  table('Tokens per list: a default page', sorted(demo.lists));
  table('Tokens per row, on average over the demo account', sorted(demo.rows));
  const first = baseline().tasks;
  table(
    `Per task. Columns: tokens now, calls now, tokens at first, calls at first. ${baseline().what}`,
    Object.entries(demo.tasks).map(([task, { tokens, calls }]) => {
      return [task, tokens, calls, first[task]?.tokens ?? 0, first[task]?.calls ?? 0];
    }),
  );
  const share = ((figures.tasks / baselineTokens()) * 100).toFixed(1);
  console.log(
    `all tasks: ${figures.tasks} tokens now, ${baselineTokens()} at first; now is ${share} % of that`,
  );
  table('Tokens per question to the library: the call and its answer', Object.entries(questions));
  table(
    'Tokens per everyday task, in a conversation of its own. Columns: through MCP; through the skill',
    Object.entries(ways).map(([request, { mcp, skill }]) => [request, mcp, skill]),
  );
  console.log('\nIn all\n');
  for (const name of Object.keys(FIGURES) as FigureName[]) {
    const { what, unit } = FIGURES[name];
    console.log(`${what.padEnd(101)} ${inUnit(figures[name], unit)}`);
  }
}

function sorted(costs: Record<string, number>): Array<[string, number]> {
  return Object.entries(costs).toSorted(([, a], [, b]) => b - a);
}

function table(title: string, rows: ReadonlyArray<readonly [string, ...number[]]>): void {
  console.log(`\n${title}\n`);
  for (const [name, ...numbers] of rows) {
    const cells = numbers.map((number) => String(Math.round(number)).padStart(7)).join('');
    console.log(`${name.padEnd(44)}${cells}`);
  }
}
