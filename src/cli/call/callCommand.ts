import type { Command } from 'commander';
import { isObject } from '../../base/parsing.ts';
import { visibleJson } from '../../base/visibleText.ts';
import { leaf, type Result, type Text } from '../command.ts';
import type { Context } from '../context.ts';
import { createProgress, note } from '../terminal/output.ts';
import { canAsk, readStdin, requireYes } from '../terminal/prompt.ts';
import type { Table } from '../terminal/table.ts';
import { connectTools, type ToolSummary } from './mcpClient.ts';
import { toolArguments, unknownTool } from './toolArguments.ts';

/** Bytes of arguments: more than a call with the longest list needs. */
const MAX_ARGS = 16 * 1024 * 1024;

interface CallOptions {
  /** A JSON object, or `-` to read one from stdin. */
  args?: string;
  yes?: boolean;
  help?: boolean;
}

const HELP = `
On a terminal the answer is a table or YAML, and elsewhere JSON.

Examples:
  $ relay call search_tracks query=carousel limit=5
  $ relay call save_tracks track_ids=ID,ID
  $ relay call play --args '{"offset": {"position": 3}}'`;

export function callCommand(context: Context): Command {
  const run = async (_: Context, tool: string | undefined, words: string[], options: CallOptions) => {
    if (options.help && tool !== undefined) return showTool(context, tool);
    if (tool !== undefined) return runCall(context, tool, words, options);
    if (options.help) command.outputHelp();
    else command.error("error: missing required argument 'tool'");
    return undefined;
  };
  const command = leaf(context, 'call', 'Call a tool through the running server', run, HELP)
    .argument('[tool]', 'Name of the tool, as `relay tools` lists it')
    .argument('[key=value...]', 'Arguments of the tool; write a list as a,b or as JSON')
    .helpOption(false)
    .option('--args <json>', 'Arguments as a JSON object; - reads it from stdin')
    .option('--yes', 'Do not ask before a tool that removes something')
    .option('-h, --help', 'Explain the tool');
  return command;
}

async function runCall(
  context: Context,
  name: string,
  words: readonly string[],
  { args: source, yes = false }: CallOptions,
): Promise<Result> {
  const { io, platform } = context;
  const piped = source === '-';
  const json = piped ? (await readStdin(context, MAX_ARGS)).toString('utf8') : source;
  const client = await connectTools(context, !context.json);
  const tools = await client.listTools();
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw unknownTool(name, tools);
  const args = toolArguments(words, json, tool.inputSchema, { platform, piped });
  if (!yes && canAsk(context)) await confirmRemoval(context, tool, args);
  const progress = createProgress(io);
  const value = await client.callTool(name, args, progress.draw).finally(progress.clear);
  if (!io.terminal.stdout) return { value, text: typeof value === 'string' ? [value] : [visibleJson(value)] };
  return { value, text: await answerText(value) };
}

/** The tool itself says what it removes. A dry run removes nothing. */
async function confirmRemoval(
  { io, signal }: Context,
  { name, description = '', annotations }: ToolSummary,
  args: Record<string, unknown>,
): Promise<void> {
  if (annotations?.destructiveHint !== true || args.dry_run === true) return;
  const given = Object.entries(args).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  note(io, `${name}: ${firstSentence(description)}`);
  for (const line of given) note(io, `  ${line}`);
  await requireYes(io, 'Continue?', signal);
}

type Fields = Record<string, unknown>;

/** Shows a person the answer of any tool, whole: rows of flat values as a table, everything else as YAML. Knows no tool by name. */
async function answerText(answer: unknown): Promise<Text> {
  const { stringify } = await import('yaml');
  const yamlLines = (value: unknown) => stringify(value, { lineWidth: 0 }).trimEnd().split('\n');
  if (!isObject(answer)) return String(answer).split('\n');
  const lists = Object.entries(answer).filter(([, value]) => Array.isArray(value) && value.length > 0);
  const [[key, rows] = []] = lists;
  if (lists.length !== 1 || key === undefined || !isFlat(rows)) return yamlLines(answer);
  const { [key]: _, ...rest } = answer;
  return [tableOf(rows), ...(Object.keys(rest).length === 0 ? [] : ['', ...yamlLines(rest)])];
}

/** True for a list of objects without lists or objects in them. */
function isFlat(rows: unknown): rows is Fields[] {
  const isValue = (value: unknown) => typeof value !== 'object' || value === null;
  return Array.isArray(rows) && rows.every((row) => isObject(row) && Object.values(row).every(isValue));
}

function tableOf(rows: readonly Fields[]): Table {
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const cell = (value: unknown) => (typeof value === 'number' ? value : String(value ?? ''));
  return {
    heads: keys.map((key) => key.toUpperCase()),
    rows: rows.map((row) => keys.map((key) => cell(row[key]))),
  };
}

export function toolsCommand(context: Context): Command {
  const help = '\nExamples:\n  $ relay tools\n  $ relay tools search_tracks';
  const description = 'List the tools that AI clients get, or explain one';
  return leaf(context, 'tools', description, showTool, help).argument(
    '[tool]',
    'Show what this tool does, its arguments and its result',
  );
}

/** The first sentence of a description, which says what the tool does. */
function firstSentence(description: string): string {
  return /^.*?[.](?=\s|$)/s.exec(description)?.[0] ?? description;
}

/** Explains a tool. Without a name, lists all; the extras come last. */
async function showTool(_: Context, name?: string): Promise<Result> {
  const { ALL_TOOLS } = await import('../../tools/index.ts');
  const { toolRecord, toolText } = await import('./toolText.ts');
  if (name === undefined) {
    const rows = ALL_TOOLS.map((tool) => [tool.name, firstSentence(tool.description)]);
    return { value: { tools: ALL_TOOLS.map(toolRecord) }, text: [{ rows }] };
  }
  const tool = ALL_TOOLS.find((candidate) => candidate.name === name);
  if (!tool) throw unknownTool(name, ALL_TOOLS);
  return { value: toolRecord(tool), text: toolText(tool) };
}
