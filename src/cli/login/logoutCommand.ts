import { Command } from 'commander';
import { visibleText } from '../../base/visibleText.ts';
import type { Context } from '../context.ts';
import { note, printJson, printLine } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';

/** Spotify offers apps no way to revoke a login; only this page can. */
const REVOKE_URL = 'https://www.spotify.com/account/apps/';

export function logoutCommand(context: Context): Command {
  return new Command('logout')
    .helpGroup(HELP_GROUPS.account)
    .description('Forget the Spotify login')
    .addHelpText('after', '\nExamples:\n  $ relay logout')
    .action(() => runLogout(context));
}

async function runLogout(context: Context): Promise<void> {
  const { io } = context;
  const { noteOtherHome } = await import('../findServer.ts');
  await noteOtherHome(context);
  const { wasConnected, name } = await context.withLocal((local) => local.logout(), { ownHome: true });
  if (context.json) return printJson(io, { wasConnected, name, revokeUrl: REVOKE_URL });
  if (!wasConnected) return printLine(io, 'No account was connected.');
  printLine(io, `Forgot the login${name === null ? '' : ` of ${visibleText(name)}`}.`);
  note(io, `Spotify still lists the app. To revoke its access: ${REVOKE_URL}`);
}
