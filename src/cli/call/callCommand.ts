import { Command } from 'commander';
import { visibleJson } from '../../base/visibleText.ts';
import type { RelayError } from '../../domain/errors.ts';
import { answering, type Result } from '../command.ts';
import type { Context } from '../context.ts';
import { createProgress, note } from '../terminal/output.ts';
import { canAsk, readAll, requireYes } from '../terminal/prompt.ts';
import { connectTools, type ToolSummary } from './mcpClient.ts';
import { toolArguments, unknownTool } from './toolArguments.ts';
import { firstSentence, showTool } from './toolsCommand.ts';

interface CallOptions {
  /** A JSON object, or `-` to read one from stdin. */
  args?: string;
  yes?: boolean;
  help?: boolean;
}

export function callCommand(context: Context): Command {
  const command = new Command('call')
    .description('Call a tool through the running server')
    .argument('[tool]', 'Name of the tool, as `relay tools` lists it')
    .argument('[key=value...]', 'Arguments of the tool; write a list as a,b or as JSON')
    .helpOption(false)
    .option('--args <json>', 'Arguments as a JSON object; - reads it from stdin')
    .option('--yes', 'Do not ask before a tool that removes something')
    .option('-h, --help', 'Explain the tool')
    .addHelpText(
      'after',
      `
On a terminal the answer is a table or YAML, and elsewhere JSON.

Examples:
  $ relay call search_tracks query=carousel limit=5
  $ relay call save_tracks track_ids=ID,ID
  $ relay call play --args '{"offset": {"position": 3}}'`,
    );
  return command.action(
    answering(context, async (tool: string | undefined, words: string[], options: CallOptions) => {
      if (options.help && tool !== undefined) return showTool(tool);
      if (tool !== undefined) return runCall(context, tool, words, options);
      if (options.help) command.outputHelp();
      else command.error("error: missing required argument 'tool'");
      return undefined;
    }),
  );
}

async function runCall(
  context: Context,
  name: string,
  words: readonly string[],
  { args: source, yes = false }: CallOptions,
): Promise<Result> {
  const { io, platform } = context;
  const piped = source === '-';
  const json = piped ? await readAll(io, context.signal) : source;
  const client = await connectTools(context);
  const tools = await client.listTools();
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw unknownTool(name, tools);
  const args = toolArguments(words, json, tool.inputSchema, { platform, piped });
  if (!yes && canAsk(context)) await confirmRemoval(context, tool, args);
  const progress = createProgress(io);
  const { value, error } = await client.callTool(name, args, progress.draw).finally(progress.clear);
  if (error) throw context.json ? withoutCode(error) : error;
  if (!io.terminal.stdout) return { value, text: typeof value === 'string' ? [value] : [visibleJson(value)] };
  const { answerText } = await import('./answerText.ts');
  return { value, text: answerText(value) };
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

/** Removes the code at the start of a tool's message. In JSON the code is a separate member. */
function withoutCode(error: RelayError): RelayError {
  const [, message = error.message] = /^[A-Z_]+: ([\s\S]*)$/.exec(error.message) ?? [];
  return error.with({ message });
}
