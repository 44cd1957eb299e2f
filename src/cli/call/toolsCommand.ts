import { Command } from 'commander';
import { HELP_GROUPS } from '../commandGroups.ts';
import type { Context } from '../context.ts';
import { columns, printBlock, printJson, printLine } from '../terminal/output.ts';
import { type ToolOptions, toolFlags } from '../toolFlags.ts';

interface ToolsOptions extends ToolOptions {
  markdown?: boolean;
}

export function toolsCommand(context: Context): Command {
  return new Command('tools')
    .helpGroup(HELP_GROUPS.tools)
    .description('List the tools that AI clients get')
    .option('--toolsets <list>', 'Of these toolsets, instead of those in the settings')
    .option('--read-only', 'Without the tools that change something')
    .option('--markdown', 'Print the tool reference as Markdown')
    .addHelpText(
      'after',
      '\nExamples:\n  $ relay tools\n  $ relay tools --toolsets playlists,extras\n  $ relay tools --markdown > TOOLS.md',
    )
    .action((options: ToolsOptions) => runTools(context, options));
}

async function runTools(context: Context, options: ToolsOptions): Promise<void> {
  const { io } = context;
  const settings = await context.settings({ flags: toolFlags(options) });
  const { toolsOf } = await import('../../tools/index.ts');
  const chosen = toolsOf(settings);
  if (options.markdown === true)
    return printBlock(io, (await import('../../tools/markdown.ts')).toolsMarkdown(chosen));
  const tools = chosen.map(({ name, title, description, kind }) => ({ name, title, description, kind }));
  if (context.json) return printJson(io, { tools });
  for (const line of columns(tools.map(({ name, kind, title }) => [name, kind, title]))) printLine(io, line);
}
