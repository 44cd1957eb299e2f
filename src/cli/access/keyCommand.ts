import { Command } from 'commander';
import { commandWithOthers, HELP_GROUPS } from '../commandGroups.ts';
import type { Context } from '../context.ts';
import { note, printJson, printLine } from '../terminal/output.ts';

export function keyCommand(context: Context): Command {
  const show = () => runKeyShow(context);
  return commandWithOthers('key', 'Show or replace the API key', show)
    .helpGroup(HELP_GROUPS.clients)
    .addHelpText('after', '\nExamples:\n  $ relay key\n  $ relay key rotate')
    .addCommand(new Command('show').description('Print the key').action(show))
    .addCommand(
      new Command('rotate')
        .description('Make a new key; the old one stops working at once')
        .action(() => runKeyRotate(context)),
    );
}

async function runKeyShow(context: Context): Promise<void> {
  const shown = await context.withLocal((local) => local.showKey());
  if (context.json) printJson(context.io, shown);
  else printLine(context.io, shown.key);
}

async function runKeyRotate(context: Context): Promise<void> {
  const { key } = await context.withLocal((local) => local.rotateKey());
  if (context.json) return printJson(context.io, { key });
  printLine(context.io, key);
  note(context.io, 'The old key no longer works. Give the new one to every client that used it.');
}
