import { Command } from 'commander';
import { isObject } from '../../base/parsing.ts';
import type { RelayError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode, exitCodeOf, type Finish } from '../exit.ts';
import { blockOf, note, printBlock, printError, printJson } from '../terminal/output.ts';
import { createProgress } from '../terminal/progress.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';
import type { McpConnection, ToolOutcome, ToolSummary } from './mcpClient.ts';
import type { Call } from './nextPage.ts';

interface CallOptions {
  /** A JSON object, or `-` to read one from stdin. */
  args?: string;
  yes?: boolean;
}

export function callCommand(context: Context, finish: Finish): Command {
  return new Command('call')
    .helpGroup(HELP_GROUPS.tools)
    .description('Call a tool through the running server and print its result')
    .argument('<tool>', 'Name of the tool, as `relay tools` lists it')
    .argument('[key=value...]', 'Arguments of the tool; write a list as a,b or as JSON')
    .option('--args <json>', 'Arguments as a JSON object; - reads it from stdin')
    .option('--yes', 'Do not ask before removing anything')
    .addHelpText(
      'after',
      '\n`relay call TOOL --help` explains the tool.\n\nThe result is a table on a terminal, and JSON elsewhere or with --json.\n\nOn a terminal, a tool that removes rows, tracks or a playlist says how many\nand asks first.\n\nExamples:\n  $ relay call search_tracks query=carousel limit=5\n  $ relay call save_tracks track_ids=ID,ID\n  $ relay call play --args \'{"offset": {"position": 3}}\'',
    )
    .action(async (tool: string, words: string[], options: CallOptions) =>
      finish(await runCall(context, tool, words, options)),
    );
}

async function runCall(
  context: Context,
  name: string,
  words: readonly string[],
  options: CallOptions,
): Promise<ExitCode> {
  const { readAll } = await import('../terminal/prompt.ts');
  const json = options.args === '-' ? await readAll(context.io, context.signal) : options.args;
  const { connectTools } = await import('./mcpClient.ts');
  const client = await connectTools(context);
  const outcome = await callTool(context, client, name, words, json, options);
  return show(context, outcome, { name, words, args: options.args });
}

interface Shown extends ToolOutcome {
  /** True if the tool takes an offset. */
  hasPages: boolean;
}

async function callTool(
  context: Context,
  client: McpConnection,
  name: string,
  words: readonly string[],
  json: string | undefined,
  { yes = false, args: source }: CallOptions,
): Promise<Shown> {
  const tools = await client.listTools();
  const tool = tools.find((candidate) => candidate.name === name) ?? (await noSuchTool(name, tools));
  const { toolArguments } = await import('./toolArguments.ts');
  const { platform, io } = context;
  const { terminal } = io;
  const args = toolArguments(words, json, tool.inputSchema, { platform, piped: source === '-' });
  if (!yes && terminal.stdin && terminal.stderr) await confirmRemoval(context, client, tools, tool, args);
  const progress = createProgress(io);
  try {
    const outcome = await client.callTool(name, args, progress.draw);
    return { ...outcome, hasPages: Object.hasOwn(Object(tool.inputSchema.properties), 'offset') };
  } finally {
    progress.clear();
  }
}

async function confirmRemoval(
  { io, signal }: Context,
  client: McpConnection,
  tools: readonly ToolSummary[],
  tool: ToolSummary,
  args: Record<string, unknown>,
): Promise<void> {
  const { removalOf } = await import('./removal.ts');
  const removal = await removalOf(client, tools, tool, args);
  if (removal === null) return;
  note(io, removal);
  const { requireYes } = await import('../terminal/prompt.ts');
  await requireYes(io, 'Continue?', signal);
}

async function noSuchTool(name: string, tools: readonly ToolSummary[]): Promise<never> {
  const { unknownTool } = await import('./toolArguments.ts');
  throw unknownTool(name, tools);
}

/** With `--json`, a failed tool is an error like any other. */
async function show(context: Context, { value, error, hasPages }: Shown, call: Call): Promise<ExitCode> {
  const { io, home, demo, platform } = context;
  if (error && context.json) throw withoutCode(error);
  else if (context.json) printJson(io, value);
  else if (error) printError(context, error, false);
  else if (typeof value === 'string') printBlock(io, `${value}\n`);
  else if (!io.terminal.stdout || !isObject(value)) printJson(io, value);
  else {
    const { answerText } = await import('./answerText.ts');
    const { nextPage } = await import('./nextPage.ts');
    const width = io.columns;
    const next = (offset: number) =>
      hasPages ? nextPage(call, offset, { width, home, demo, platform }) : [];
    printBlock(io, blockOf(answerText(value, { width, next })));
  }
  return error === null ? EXIT.done : exitCodeOf(error);
}

/** Removes the code at the start of a tool's message. In JSON the code is a separate member. */
function withoutCode(error: RelayError): RelayError {
  const [, message = error.message] = /^[A-Z_]+: ([\s\S]*)$/.exec(error.message) ?? [];
  return error.with({ message });
}
