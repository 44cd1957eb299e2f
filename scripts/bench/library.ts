/**
 * Measures how long queries of a library of 20,000 rows take, compared with a query that reads no row. Also measures how much
 * memory these queries take, and how much remains, compared with as many calls that do not use the library.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Client } from '@modelcontextprotocol/client';
import { minutesAgo, playlistOf } from '../../test/library/accounts.ts';
import { owner } from '../../test/support/entries.ts';
import { sharedFastClock } from '../../test/support/fastClock.ts';
import { type Simulator, settingsFor, startSimulator } from '../../test/support/simulator/simulator.ts';
import { connectAccount } from '../../test/support/world.ts';
import { median, startRelay, withClient } from './program.ts';

export interface LibraryTime {
  question: string;
  /** Median time from call to answer, in milliseconds. */
  took: number;
  /** The ratio to a query that reads no row. */
  toNone: number;
}

export interface LibraryMemory {
  when: string;
  /** Resident memory, in MB. */
  memory: number;
  /** How much more than before the calls, in MB. */
  more: number;
}

const SAVED = 5_000;
const LISTS = 200;
const ROWS_EACH = 75;
const CYCLES = 4;
const TURNS = 15;

const NONE = 'no row';
const QUESTIONS: Readonly<Record<string, string>> = {
  [NONE]: 'select 1',
  'artists, by rows in playlists': `select artist, count(*) as n from playlist_rows join track_artists on track_uri = uri
    group by artist order by n desc limit 20`,
  'saved songs, by a part of the artist': `select name, album from saved join tracks using (uri) where fold(artist) like '%a%'
    order by position limit 20`,
  'saved and in no playlist': `select name, artist from saved join tracks using (uri)
    where song not in (select song from playlist_rows join tracks using (uri)) limit 20`,
  'songs in more than one playlist': `select t.name, count(distinct playlist_id) as lists from playlist_rows join tracks t using (uri)
    join playlists p on p.id = playlist_id where mine group by song having lists > 1 order by lists desc limit 20`,
  'saved songs by month, with a running total': `select substr(added_at, 1, 7) as month, count(*) as n,
    sum(count(*)) over (order by substr(added_at, 1, 7)) as total from saved group by 1 order by 1`,
};

/** Takes at least two minutes. */
export async function libraryQuestions(): Promise<{ times: LibraryTime[]; memory: LibraryMemory[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'relay-bench-'));
  const provider = await startSimulator();
  // The program frees memory a minute after the last question. On a fast clock, that is some seconds.
  const clock = sharedFastClock(8);
  const env = {
    ...settingsFor(provider),
    RELAY_LIBRARY_REQUESTS_PER_MINUTE: '10000',
    RELAY_LIBRARY_REQUESTS_PER_DAY: '100000',
    ...clock.env,
  };
  fillAccount(provider);
  const first = await startRelay(join(folder, 'home'), env);
  try {
    await connectAccount(first.baseUrl);
    await withClient(first.baseUrl, readAll);
    await first.end();
    // A new process, so that the memory of the first reading does not count.
    const program = await startRelay(join(folder, 'home'), env);
    try {
      return await withClient(program.baseUrl, (client) =>
        measured(client, program.memory, () => setTimeout(90_000 / clock.factor)),
      );
    } finally {
      await program.end();
    }
  } finally {
    await first.end();
    await provider.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measured(client: Client, memory: () => number, minute: () => Promise<void>) {
  const times: Record<string, number[]> = {};
  const more: Record<'other' | 'asked' | 'after', number[]> = { other: [], asked: [], after: [] };
  const levels: typeof more = { other: [], asked: [], after: [] };
  /** @returns the peak memory */
  const during = async (call: (question: string, sql: string) => Promise<void>) => {
    let most = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      for (const [question, sql] of Object.entries(QUESTIONS)) {
        await call(question, sql);
        most = Math.max(most, memory());
      }
    }
    return most;
  };
  const note = (what: keyof typeof more, level: number, before: number) => {
    levels[what].push(level);
    more[what].push(level - before);
  };
  const others = ['list_jobs', 'get_saved_tracks', 'get_my_playlists'];
  let calls = 0;
  const otherCall = async () => {
    calls += 1;
    await client.callTool({ name: others[calls % others.length] ?? 'list_jobs', arguments: {} });
  };
  await during(otherCall);
  await minute();
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const atFirst = memory();
    note('other', await during(otherCall), atFirst);
    await minute();
    const before = memory();
    // With a maximum age of 0, the server also checks the library for changes, and opens the file for this check.
    await ask(client, 'select 1', 0);
    const most = await during(async (question, sql) => {
      const begin = performance.now();
      await ask(client, sql);
      times[question] = [...(times[question] ?? []), performance.now() - begin];
    });
    note('asked', most, before);
    await minute();
    note('after', memory(), before);
  }
  const none = median(times[NONE] ?? []);
  const rowOf = (when: string, what: keyof typeof more) => ({
    when,
    memory: median(levels[what]),
    more: median(more[what]),
  });
  return {
    times: Object.entries(times).map(([question, all]) => ({
      question,
      took: median(all),
      toNone: median(all) / none,
    })),
    memory: [
      rowOf('other calls', 'other'),
      rowOf('questions', 'asked'),
      rowOf('a minute after questions', 'after'),
    ],
  };
}

async function readAll(client: Client): Promise<void> {
  for (let note: string | undefined = ''; note !== undefined; ) note = (await ask(client, 'select 1')).note;
}

async function ask(client: Client, sql: string, maxAge = 10_000): Promise<{ note?: string }> {
  const args = { sql, max_age_minutes: maxAge };
  const { isError, structuredContent } = await client.callTool({ name: 'query_library', arguments: args });
  if (isError) throw new Error(JSON.stringify(structuredContent));
  return structuredContent as { note?: string };
}

function fillAccount(provider: Simulator): void {
  const account = owner(provider);
  const { tracks } = provider.catalogue;
  const uriAt = (index: number) => tracks[index % tracks.length]?.uri ?? '';
  account.saved = Array.from({ length: SAVED }, (_, index) => ({
    uri: uriAt(index),
    addedAt: minutesAgo(index * 60),
  }));
  account.playlists = Array.from({ length: LISTS }, (_, list) => {
    const rows = Array.from({ length: ROWS_EACH }, (_row, row) => ({
      uri: uriAt(list * 41 + row * 17),
      addedAt: minutesAgo(row),
      addedBy: null,
    }));
    return playlistOf(account, list, rows);
  });
}
