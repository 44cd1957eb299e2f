import { Command } from 'commander';
import { visibleText } from '../../base/visibleText.ts';
import type { Context } from '../context.ts';
import { note, printJson, printLine } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';

/** Spotify offers apps no way to revoke a login. Only the person can do so, on this page. */
const REVOKE_URL = 'https://www.spotify.com/account/apps/';

export function logoutCommand(context: Context): Command {
  return new Command('logout')
    .helpGroup(HELP_GROUPS.account)
    .description('Forget the Spotify login')
    .option('--erase', 'Also forget everything else about this account')
    .addHelpText(
      'after',
      '\nThe copy of the library is deleted with the login. --erase also deletes\nremembered matches, jobs, changes that could be undone, kept playlists (their\nsongs stay), versions of playlists and plays.\n\nExamples:\n  $ relay logout\n  $ relay logout --erase',
    )
    .action((options: { erase?: boolean }) => runLogout(context, options.erase === true));
}

async function runLogout(context: Context, erase: boolean): Promise<void> {
  const { io } = context;
  const { noteOtherHome } = await import('../findServer.ts');
  await noteOtherHome(context);
  const { wasConnected, name, libraryDeleted, keptFiles } = await context.withLocal(
    (local) => local.logout({ erase }),
    { ownHome: true },
  );
  if (context.json) {
    const done = { wasConnected, name, libraryDeleted, erased: erase, keptFiles };
    return printJson(io, { ...done, revokeUrl: REVOKE_URL });
  }
  if (keptFiles) {
    const them = keptFiles.length === 1 ? 'it' : 'them';
    const files = keptFiles.map((path) => visibleText(path)).join(', ');
    note(
      io,
      `Kept by a restore or repair, and still there: ${files}. Delete ${them} if you want to keep nothing.`,
    );
  }
  const deleted = libraryDeleted ? ' The copy of the library is deleted.' : '';
  const erased = erase ? ' Everything else about the account is forgotten.' : '';
  if (!wasConnected) return printLine(io, `No account was connected.${deleted}${erased}`);
  printLine(io, `Forgot the login${name === null ? '' : ` of ${visibleText(name)}`}.${deleted}${erased}`);
  if (!context.demo) note(io, `Spotify still lists the app. To revoke its access: ${REVOKE_URL}`);
}
