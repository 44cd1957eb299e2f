/** The cost of a row of each kind of list, on average over the demo account. */
import { systemClock } from '../../src/base/clock.ts';
import { type Relay, withRelay } from '../../test/support/world.ts';
import { tokensOf } from './toolList.ts';

type Args = Record<string, unknown>;

/** The longest playlist of the demo account has 2,500 rows. */
const MAX_ROWS = 3_000;

/** The dates in rows are the same in every run, since they take tokens too. */
const START = Date.UTC(2026, 10, 20, 12);
const begin = systemClock.monotonic();
const clock = { ...systemClock, now: () => START + Math.floor(systemClock.monotonic() - begin) };

/** Returns the tokens of a row, without the page around it. */
export async function rowCosts(): Promise<Record<string, number>> {
  const costs: Record<string, number> = {};
  await withRelay({ clock }, async (relay) => {
    const own = relay.provider.accounts[0]?.playlists ?? [];
    const readable = own.filter(({ rows, ownerName }) => rows.length > 0 && ownerName === 'Demo Listener');
    const ranges = ['short_term', 'medium_term', 'long_term'];
    const lists: Record<string, [tool: string, args: readonly Args[]]> = {
      track: ['get_top_tracks', ranges.map((time_range) => ({ time_range }))],
      playlist: ['get_my_playlists', [{}]],
      library: ['get_saved_tracks', [{}]],
      item: ['get_playlist_tracks', readable.map(({ id }) => ({ playlist_id: id }))],
    };
    for (const [kind, [tool, all]] of Object.entries(lists)) {
      const rows: unknown[] = [];
      for (const args of all) rows.push(...(await rowsOf(relay, tool, args)));
      costs[kind] = tokensOf(rows) / rows.length;
    }
  });
  return costs;
}

async function rowsOf(relay: Relay, tool: string, args: Args): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let offset: unknown = 0; typeof offset === 'number' && rows.length < MAX_ROWS; ) {
    // As a model gets it: the text of the answer, without what its fields have by default.
    const { content } = await relay.client.callTool({
      name: tool,
      arguments: { ...args, limit: 50, offset },
    });
    const [{ text = '' } = {}] = content as Array<{ text?: string }>;
    const { items, next_offset } = JSON.parse(text) as { items: unknown[]; next_offset?: number };
    rows.push(...items);
    offset = next_offset;
  }
  return rows;
}
