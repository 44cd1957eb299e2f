/** Measures what three common questions to the library cost, with the SQL that a model would write. */
import type { Relay } from '../../test/support/world.ts';
import type { Model } from './model.ts';

/** The query for each question that a person may ask. */
const QUESTIONS: Readonly<Record<string, (artist: string) => string>> = {
  'which of my saved songs are by this artist': (artist) =>
    `select name, album from saved join tracks using (uri) where fold(artist) like fold('%${artist}%') order by position`,
  'which saved songs are in no playlist': () =>
    'select name, artist from saved join tracks using (uri) where song not in (select song from playlist_rows join tracks using (uri))',
  'which songs are in my playlists more than once': () =>
    'select name, artist, count(*) n from playlist_rows join tracks using (uri) group by song having n > 1 order by n desc',
};
/** Row limit of each query: as many rows as a model would show. */
const ROWS = 15;

/**
 * Counts the tokens of each call and its answer, without the list of tools. Reading the library, which comes first, is not
 * counted.
 */
export async function askQuestions(model: Model, relay: Relay): Promise<Record<string, number>> {
  let note: unknown = '';
  while (note !== undefined) note = (await relay.call('query_library', { sql: 'select 1' })).note;
  const { rows } = await relay.call('query_library', {
    sql: 'select artist from saved join tracks using (uri) group by artist order by count(*) desc limit 1',
  });
  const [[artist]] = rows as [[string]];
  const costs: Record<string, number> = {};
  for (const [question, sqlFor] of Object.entries(QUESTIONS)) {
    const before = model.tokens;
    const { columns } = await model.call('query_library', { sql: sqlFor(artist), limit: ROWS });
    if (!columns) throw new Error(`no answer to: ${question}`);
    costs[question] = model.tokens - before;
  }
  return costs;
}
