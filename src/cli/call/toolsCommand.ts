import { Command } from 'commander';
import type { Tool } from '../../tools/tool.ts';
import type { Context } from '../context.ts';
import { note, printBlock, printColumns, printJson } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';
import { type ToolOptions, toolFlags } from '../usage/toolFlags.ts';

interface ToolsOptions extends ToolOptions {
  markdown?: boolean;
}

export function toolsCommand(context: Context): Command {
  return new Command('tools')
    .helpGroup(HELP_GROUPS.tools)
    .description('List the tools that AI clients get, or explain one')
    .argument('[tool]', 'Show what this tool does, its arguments and its result')
    .option('--toolsets <list>', 'List the tools of these toolsets instead of those in the settings')
    .option('--read-only', 'List only tools that change nothing')
    .option('--markdown', 'Print the tool reference as Markdown')
    .addHelpText(
      'after',
      '\nExamples:\n  $ relay tools\n  $ relay tools search_tracks\n  $ relay tools --toolsets playlists,extras\n  $ relay tools --markdown > TOOLS.md',
    )
    .action((tool: string | undefined, options: ToolsOptions) => runTools(context, tool, options));
}

async function runTools(context: Context, name: string | undefined, options: ToolsOptions): Promise<void> {
  const { io } = context;
  const settings = await context.settings({ flags: toolFlags(options) });
  const { toolsOf } = await import('../../tools/index.ts');
  const chosen = toolsOf(settings);
  if (name !== undefined) return showTool(context, name, chosen, options);
  if (options.markdown === true)
    return printBlock(io, (await import('../../tools/markdown.ts')).toolsMarkdown(chosen));
  if (context.json) {
    const { toolRecord } = await import('./toolText.ts');
    return printJson(io, { tools: chosen.map(toolRecord) });
  }
  printColumns(
    io,
    chosen.map((tool) => [tool.name, tool.kind, tool.title]),
  );
}

/** A tool that the settings leave out is explained too. */
async function showTool(
  { io, json }: Context,
  name: string,
  chosen: readonly Tool[],
  { markdown }: ToolsOptions,
): Promise<void> {
  const { ALL_TOOLS, groupOf } = await import('../../tools/index.ts');
  const tool = ALL_TOOLS.find((candidate) => candidate.name === name);
  if (!tool) {
    const { unknownTool } = await import('./toolArguments.ts');
    throw unknownTool(name, ALL_TOOLS);
  }
  if (!chosen.includes(tool)) {
    note(
      io,
      `Not offered with these settings: ${name} is in the toolset ${groupOf(tool)}, kind ${tool.kind}.`,
    );
  }
  const { toolRecord, toolText } = await import('./toolText.ts');
  if (json) return printJson(io, toolRecord(tool));
  if (markdown !== true) return printBlock(io, toolText(tool, io.columns));
  const { toolMarkdown } = await import('../../tools/markdown.ts');
  printBlock(io, toolMarkdown(tool));
}
