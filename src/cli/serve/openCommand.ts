import { Command } from 'commander';
import { interruptible } from '../../base/abort.ts';
import { RelayError } from '../../domain/errors.ts';
import { answering, type Result } from '../command.ts';
import { commandLine } from '../commandLine.ts';
import type { Context } from '../context.ts';
import { note, printLine } from '../terminal/output.ts';
import type { SignInEnd } from './signedInBrowser.ts';

export function openCommand(context: Context): Command {
  return new Command('open')
    .description("Open the owner's page in the browser, signed in")
    .addHelpText('after', '\nExamples:\n  $ relay open')
    .action(answering(context, () => runOpen(context)));
}

/** Waits until the browser is signed in, at most a minute, so that the file with the ticket can be removed. */
async function runOpen(context: Context): Promise<Result> {
  const { io, json, signal } = context;
  const { local } = await context.server();
  const { openSignedIn } = await import('./signedInBrowser.ts');
  const opening = await openSignedIn(context, local, null);
  try {
    if (!json) printLine(io, opening.pageUrl);
    const end = await interruptible(signal, opening.ended);
    if (end === 'gone') {
      throw new RelayError('NO_SERVER', 'The server stopped before a browser opened the page.', {
        remedy: { text: 'Start it with {command}.', command: ['serve'] },
      });
    }
    if (!json) tellEnd(context, end, opening.pageUrl);
    return { value: { url: opening.pageUrl, signedIn: end === 'signed_in' } };
  } finally {
    await opening.stop();
  }
}

/** Tells the person what to do if no browser signed in. Says nothing if the server is gone, since there is then no page to open. */
export function tellEnd(context: Context, end: SignInEnd, pageUrl: string): void {
  if (end === 'signed_in' || end === 'gone') return;
  const what = end === 'failed' ? 'No browser could be opened.' : 'No browser opened the page.';
  const status = commandLine(context, 'status');
  note(
    context.io,
    `${what} Open ${pageUrl} yourself, and sign in with the owner code that \`${status}\` shows.`,
  );
}
