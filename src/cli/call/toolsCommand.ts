import { Command } from 'commander';
import { answering, type Result } from '../command.ts';
import type { Context } from '../context.ts';
import { unknownTool } from './toolArguments.ts';

export function toolsCommand(context: Context): Command {
  return new Command('tools')
    .description('List the tools that AI clients get, or explain one')
    .argument('[tool]', 'Show what this tool does, its arguments and its result')
    .addHelpText('after', '\nExamples:\n  $ relay tools\n  $ relay tools search_tracks')
    .action(
      answering(context, async (tool: string | undefined) =>
        tool === undefined ? listTools() : showTool(tool),
      ),
    );
}

/** Lists all tools; the extras come last. */
async function listTools(): Promise<Result> {
  const { ALL_TOOLS } = await import('../../tools/index.ts');
  const { toolRecord } = await import('./toolText.ts');
  return {
    value: { tools: ALL_TOOLS.map(toolRecord) },
    text: [{ rows: ALL_TOOLS.map(({ name, description }) => [name, firstSentence(description)]) }],
  };
}

/** The first sentence of a description, which says what the tool does. */
export function firstSentence(description: string): string {
  return /^.*?[.](?=\s|$)/s.exec(description)?.[0] ?? description;
}

/** Explains one tool. */
export async function showTool(name: string): Promise<Result> {
  const { ALL_TOOLS } = await import('../../tools/index.ts');
  const tool = ALL_TOOLS.find((candidate) => candidate.name === name);
  if (!tool) throw unknownTool(name, ALL_TOOLS);
  const { toolRecord, toolText } = await import('./toolText.ts');
  return { value: toolRecord(tool), text: toolText(tool) };
}
