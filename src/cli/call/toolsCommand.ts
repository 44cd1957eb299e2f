import { Command } from 'commander';
import { HELP_GROUPS } from '../commandGroups.ts';
import type { Context } from '../context.ts';
import { columns, printBlock, printJson, printLine } from '../terminal/output.ts';

interface ToolsOptions {
  markdown?: boolean;
}

export function toolsCommand(context: Context): Command {
  return new Command('tools')
    .helpGroup(HELP_GROUPS.tools)
    .description('List the tools that AI clients get')
    .option('--markdown', 'Print the tool reference as Markdown')
    .addHelpText('after', '\nExamples:\n  $ relay tools\n  $ relay tools --markdown > TOOLS.md')
    .action((options: ToolsOptions) => runTools(context, options));
}

async function runTools(context: Context, options: ToolsOptions): Promise<void> {
  const { io } = context;
  if (options.markdown === true)
    return printBlock(io, (await import('../../tools/markdown.ts')).toolsMarkdown());
  const { TOOLS } = await import('../../tools/index.ts');
  const tools = TOOLS.map(({ name, title, description, kind }) => ({ name, title, description, kind }));
  if (context.json) return printJson(io, { tools });
  for (const line of columns(tools.map(({ name, kind, title }) => [name, kind, title]))) printLine(io, line);
}
