import { Command } from 'commander';
import { counted } from '../../base/lists.ts';
import { RelayError } from '../../domain/errors.ts';
import type { BrowserSummary } from '../../domain/localApi.ts';
import type { Context } from '../context.ts';
import { note, printJson, printLine, printTable } from '../terminal/output.ts';
import { HELP_GROUPS, parentCommand } from '../usage/commandGroups.ts';

const EXAMPLES = `
Examples:
  $ relay browsers
  $ relay browsers forget 3f9c21aa
  $ relay browsers forget --all`;

export function browsersCommand(context: Context): Command {
  const list = () => runBrowsersList(context);
  return parentCommand('browsers', 'List or forget browsers that need no owner code', list)
    .helpGroup(HELP_GROUPS.clients)
    .addHelpText('after', EXAMPLES)
    .addCommand(new Command('list').description('List the remembered browsers').action(list))
    .addCommand(
      new Command('forget')
        .description('Make a browser ask for the owner code again')
        .argument('[id]', 'ID of the browser')
        .option('--all', 'Forget every browser')
        .action((id: string | undefined, options: { all?: boolean }) =>
          runBrowsersForget(context, id, options.all === true),
        ),
    );
}

async function runBrowsersList(context: Context): Promise<void> {
  const { browsers } = await context.withLocal((local) => local.listBrowsers());
  if (context.json) return printJson(context.io, { browsers });
  if (browsers.length === 0) {
    return note(context.io, 'No browser is remembered: the approval page asks for the owner code.');
  }
  const heads = ['ID', 'BROWSER', 'ADDRESS', 'SINCE', 'LAST USED', 'UNTIL'];
  printTable(context.io, { heads, rows: browsers.map(rowOf), flexible: [1] });
}

function rowOf({ id, label, origin, createdAt, lastUsedAt, expiresAt }: BrowserSummary): string[] {
  return [id, label, origin, ...[createdAt, lastUsedAt, expiresAt].map((time) => time.slice(0, 10))];
}

async function runBrowsersForget(context: Context, id: string | undefined, all: boolean): Promise<void> {
  if ((id === undefined) !== all) {
    throw new RelayError('USAGE', 'Give either one ID or --all.', {
      remedy: { text: '{command} shows the IDs.', command: ['browsers'] },
    });
  }
  const { forgotten } = await context.withLocal((local) => local.forgetBrowsers({ id: id ?? null }));
  if (context.json) return printJson(context.io, { forgotten });
  const [first] = forgotten;
  if (!first) return printLine(context.io, 'No browser was remembered.');
  const what = id === undefined ? counted(forgotten.length, 'browser') : `${first.label} (${first.origin})`;
  printLine(context.io, `Forgot ${what}. Next time, the approval page asks for the owner code.`);
}
