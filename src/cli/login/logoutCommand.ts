import { Command } from 'commander';
import { visibleText } from '../../base/visibleText.ts';
import { answering, type Result } from '../command.ts';
import type { Context } from '../context.ts';

/** Spotify offers apps no way to revoke a login. Only the person can do so, on this page. */
const REVOKE_URL = 'https://www.spotify.com/account/apps/';

const HELP = `
The copy of the library is deleted with the login. --erase also deletes
remembered matches, jobs, changes that could be undone, kept playlists (their
songs stay), versions of playlists and plays.

Examples:
  $ relay logout
  $ relay logout --erase`;

export function logoutCommand(context: Context): Command {
  return new Command('logout')
    .description('Forget the Spotify login')
    .option('--erase', 'Also forget everything else about this account')
    .addHelpText('after', HELP)
    .action(answering(context, ({ erase = false }: { erase?: boolean }) => runLogout(context, erase)));
}

async function runLogout(context: Context, erase: boolean): Promise<Result> {
  const { noteOtherHome } = await import('../findServer.ts');
  await noteOtherHome(context);
  const answer = await context.withLocal((local) => local.logout({ erase }), { ownHome: true });
  const { wasConnected, name, libraryDeleted, keptFiles = [] } = answer;
  const who = name === null ? '' : ` of ${visibleText(name)}`;
  const text = [
    wasConnected ? `Forgot the login${who}.` : 'No account was connected.',
    ...(libraryDeleted ? ['The copy of the library is deleted.'] : []),
    ...(erase ? ['Everything else about the account is forgotten.'] : []),
  ];
  return {
    value: { ...answer, erased: erase, revokeUrl: REVOKE_URL },
    text: [text.join(' ')],
    notes: [
      ...keptFiles.map((path) => `Kept by a restore or repair, and still there: ${visibleText(path)}`),
      ...(wasConnected && !context.demo
        ? [`Spotify still lists the app. To revoke its access: ${REVOKE_URL}`]
        : []),
    ],
  };
}
