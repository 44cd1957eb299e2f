import { Command } from 'commander';
import { visibleText } from '../../base/visibleText.ts';
import { RelayError } from '../../domain/errors.ts';
import type { RememberedMatch } from '../../domain/localApi.ts';
import { inputWords } from '../../domain/settling.ts';
import type { Context } from '../context.ts';
import { note, printJson, printLine, printTable } from '../terminal/output.ts';
import { HELP_GROUPS, parentCommand } from '../usage/commandGroups.ts';
import { wholeNumber } from '../usage/wholeNumber.ts';

const EXAMPLES = `
A match is a title and an artist, and the track that they stand for. Matches
that somebody confirmed come first, then those that relay found by a search.
"differs" marks a match that was confirmed although the names differ.

Examples:
  $ relay remembered
  $ relay remembered forget 3f9c21aa
  $ relay remembered forget --all`;

const SHOWN = 50;
const MAX_NAME = 40;

export function rememberedCommand(context: Context): Command {
  return parentCommand('remembered', 'List or forget remembered matches of songs and tracks', () =>
    runList(context, SHOWN),
  )
    .helpGroup(HELP_GROUPS.lists)
    .addHelpText('after', EXAMPLES)
    .addCommand(
      new Command('list')
        .description('List the remembered matches, and who confirmed each')
        .option('--limit <n>', 'Show this many, 1 to 20000', wholeNumber(1, 20_000), SHOWN)
        .action(({ limit }: { limit: number }) => runList(context, limit)),
    )
    .addCommand(
      new Command('forget')
        .description('Forget a match, so that the next search asks Spotify')
        .argument('[id]', 'ID of the match')
        .option('--all', 'Forget every match')
        .action((id: string | undefined, options: { all?: boolean }) =>
          runForget(context, id, options.all === true),
        ),
    );
}

async function runList(context: Context, most: number): Promise<void> {
  const { remembered, total } = await context.withLocal((local) => local.listRemembered({ limit: most }));
  if (context.json) return printJson(context.io, { remembered, total });
  if (remembered.length === 0) return note(context.io, 'No match is remembered.');
  const heads = ['ID', 'SONG', 'TRACK', 'SETTLED BY', 'ON', 'NAMES'];
  printTable(context.io, { heads, rows: remembered.map(rowOf), flexible: [1, 2, 3] });
  if (total > remembered.length)
    note(context.io, `and ${total - remembered.length} more: --limit shows them`);
}

function rowOf({ id, track, by, at, confirmed, ...song }: RememberedMatch): string[] {
  return [
    id,
    visibleText(inputWords(song), MAX_NAME),
    visibleText(`${track.name} by ${track.artists}`, MAX_NAME),
    visibleText(by, MAX_NAME),
    at.slice(0, 10),
    confirmed ? 'differs' : '',
  ];
}

/** Names a match in a sentence. Adds the track to a recording code, since nobody knows a song by its code. */
function forgottenWords({ title, artist, track, ...song }: RememberedMatch): string {
  const said = (text: string) => visibleText(text, MAX_NAME);
  if (title !== '') return `"${said(title)}" by ${said(artist)}`;
  return `${inputWords(song)} ("${said(track.name)}" by ${said(track.artists)})`;
}

async function runForget(context: Context, id: string | undefined, all: boolean): Promise<void> {
  if ((id === undefined) !== all) {
    throw new RelayError('USAGE', 'Give either one ID or --all.', {
      remedy: { text: '{command} shows the IDs.', command: ['remembered'] },
    });
  }
  const { forgotten, match } = await context.withLocal((local) => local.forgetRemembered({ id: id ?? null }));
  if (context.json) return printJson(context.io, { forgotten, match });
  if (forgotten === 0) return printLine(context.io, 'No match was remembered.');
  const what = match ? forgottenWords(match) : `${forgotten} ${forgotten === 1 ? 'match' : 'matches'}`;
  printLine(context.io, `Forgot ${what}. The next search asks Spotify again.`);
}
