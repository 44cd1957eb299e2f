/**
 * Everyday tasks, each with the calls that a careful model makes from names, descriptions and instructions alone. They run against
 * the demo's account, and the state afterwards is checked: a task that cannot be done shows.
 */
import { systemClock } from '../../src/base/clock.ts';
import type { DemoAccount, DemoPlaylist } from '../../src/demo/state.ts';
import { owner } from '../../test/support/entries.ts';
import { type Relay, withRelay } from '../../test/support/world.ts';
import { tokensOf } from './toolList.ts';

// biome-ignore lint/suspicious/noExplicitAny: the answers of seventy tools, each read by one task
type Answer = Record<string, any>;

interface World {
  relay: Relay;
  account: DemoAccount;
  /** Calls a tool as a model does: its answer is the lean one. */
  call(tool: string, args?: Record<string, unknown>): Promise<Answer>;
  list(name: string): DemoPlaylist;
}

/** A task does its calls, and returns whether the state, or the answer, is as the person asked. */
type Task = readonly [asked: string, work: (world: World) => Promise<boolean>];

const uris = ({ rows }: Pick<DemoPlaylist, 'rows'>) => rows.map(({ uri }) => uri);
const saved = ({ account }: World) => account.saved.map(({ uri }) => uri);
const MINE = 'Exactly Two Hundred';

const TASKS: readonly Task[] = [
  [
    'play something by this artist',
    async ({ call, relay, account }) => {
      const [artist] = relay.provider.catalogue.artists;
      const { items } = await call('search_artists', { query: artist?.name });
      await call('play', { context_uri: `spotify:artist:${items[0].id}` });
      return account.player.isPlaying && account.player.contextUri === `spotify:artist:${items[0].id}`;
    },
  ],
  [
    'play my playlist on the kitchen speaker',
    async ({ call, account, list }) => {
      const speaker = account.devices.find(({ name }) => /kitchen/i.test(name));
      const { id } = list(MINE);
      await call('play', { context_uri: `spotify:playlist:${id}`, device_id: 'Kitchen Speaker' });
      return account.player.deviceId === speaker?.id && account.player.isPlaying;
    },
  ],
  ['what is playing?', async ({ call }) => (await call('get_currently_playing')).item !== undefined],
  ['pause', async ({ call, account }) => (await call('pause')).ok && !account.player.isPlaying],
  ['go on', async ({ call, account }) => (await call('play')).ok && account.player.isPlaying],
  [
    'skip this song',
    async ({ call, account }) => {
      const { index } = account.player;
      return (await call('next_track')).ok && account.player.index !== index;
    },
  ],
  ['back to the last song', async ({ call }) => (await call('previous_track')).ok],
  ['jump to the minute mark', async ({ call }) => (await call('seek', { position_ms: 60_000 })).ok],
  [
    'a bit louder',
    async ({ call }) => {
      const { device } = await call('get_playback_state');
      return (await call('set_volume', { volume_percent: Math.min(100, device.volume_percent + 10) })).ok;
    },
  ],
  [
    'shuffle, and repeat the playlist',
    async ({ call, account }) => {
      await call('set_shuffle', { state: true });
      await call('set_repeat', { state: 'context' });
      return account.player.shuffle && account.player.repeat === 'context';
    },
  ],
  ['which speakers are there?', async ({ call }) => (await call('get_devices')).devices.length > 1],
  [
    'queue these three songs',
    async ({ call, relay, account }) => {
      const three = relay.provider.catalogue.tracks.slice(3, 6).map(({ id }) => id);
      return (await call('add_to_queue', { uris: three })).queued === 3 && account.player.queued >= 3;
    },
  ],
  ['what comes next?', async ({ call }) => (await call('get_queue')).queue.length > 0],
  [
    'like this song',
    async (world) => {
      const { item } = await world.call('get_currently_playing');
      await world.call('save_tracks', { track_ids: [item.id] });
      return saved(world).includes(`spotify:track:${item.id}`);
    },
  ],
  [
    'did I already like this song?',
    async ({ call }) => {
      const { item } = await call('get_currently_playing');
      return (await call('check_saved_tracks', { track_ids: [item.id] })).items[0].saved;
    },
  ],
  [
    'undo that',
    async (world) => {
      const before = saved(world).length;
      await world.call('undo_change');
      return saved(world).length === before - 1;
    },
  ],
  ['what did I hear last?', async ({ call }) => (await call('get_recently_played')).items.length > 5],
  [
    'my favourite artists of all time',
    async ({ call }) => (await call('get_top_artists', { time_range: 'long_term' })).items.length > 5,
  ],
  [
    'my most played songs this month',
    async ({ call }) => (await call('get_top_tracks', { time_range: 'short_term' })).items.length > 5,
  ],
  ['how many playlists do I have?', async ({ call }) => (await call('get_my_playlists')).total > 5],
  [
    'what is in this playlist?',
    async ({ call }) => (await call('get_playlist_tracks', { playlist_id: MINE })).total === 200,
  ],
  [
    'how long is it, and who is in it most?',
    async ({ call }) => (await call('get_playlist_stats', { playlist_id: MINE })).top_artists.length > 0,
  ],
  [
    'make an empty playlist',
    async ({ call, account }) => {
      await call('create_playlist', { name: 'Bench' });
      return account.playlists.some(({ name }) => name === 'Bench');
    },
  ],
  [
    'put these songs in it',
    async ({ call, relay, list }) => {
      const songs = relay.provider.catalogue.tracks.slice(100, 110);
      const tracks = songs.map(({ name, artists }) => ({
        title: name,
        artist: artists[0]?.name,
        album: undefined,
      }));
      const { status, added } = await call('add_tracks_by_search', {
        playlist_id: 'Bench',
        tracks,
        strict: false,
      });
      return status === 'done' && added === list('Bench').rows.length && added > 5;
    },
  ],
  [
    'take the first song out',
    async ({ call, list }) => {
      const [first = ''] = uris(list('Bench'));
      await call('remove_tracks_from_playlist', { playlist_id: 'Bench', track_ids: [first] });
      return !uris(list('Bench')).includes(first);
    },
  ],
  [
    'move the last song to the top',
    async ({ call, list }) => {
      const { rows } = list('Bench');
      const last = rows.at(-1)?.uri;
      const args = { playlist_id: 'Bench', range_start: rows.length - 1, insert_before: 0 };
      await call('reorder_playlist_tracks', args);
      return uris(list('Bench'))[0] === last;
    },
  ],
  [
    'rename it',
    async ({ call, account }) => {
      await call('update_playlist_details', { playlist_id: 'Bench', name: 'Bench two' });
      return account.playlists.some(({ name }) => name === 'Bench two');
    },
  ],
  [
    'remove the duplicates, also other releases',
    async ({ call, list }) => {
      const before = list(MINE).rows.length;
      const { removed } = await call('deduplicate_playlist', { playlist_id: MINE, same_song: true });
      return list(MINE).rows.length === before - removed.length;
    },
  ],
  [
    'undo that',
    async ({ call, list }) => {
      await call('undo_change');
      return list(MINE).rows.length === 200;
    },
  ],
  [
    'a playlist of these songs',
    async ({ call, relay, account }) => {
      const songs = relay.provider.catalogue.tracks.slice(200, 212);
      const tracks = songs.map(({ uri }) => ({ id: uri }));
      const { status } = await call('create_playlist_from_tracks', { name: 'Twelve', tracks });
      return (
        status === 'done' &&
        account.playlists.some(({ name, rows }) => name === 'Twelve' && rows.length === 12)
      );
    },
  ],
  [
    'a pasted list of songs as a playlist',
    async ({ call, relay }) => {
      const songs = relay.provider.catalogue.tracks.slice(300, 306);
      const text = songs.map(({ name, artists }) => `${artists[0]?.name} - ${name}`).join('\n');
      const { job_id, jobs } = await call('import_list', { text, name: 'Pasted' });
      return typeof (job_id ?? jobs?.[0]?.job_id) === 'string';
    },
  ],
  ['how far is the import?', async ({ call }) => (await call('list_jobs')).items.length > 0],
  [
    'what have I saved and never put in a playlist?',
    async ({ call }) => {
      const sql =
        'SELECT count(*) FROM saved WHERE uri NOT IN (SELECT uri FROM playlist_rows WHERE uri IS NOT NULL)';
      return (await call('query_library', { sql })).rows[0][0] > 0;
    },
  ],
  [
    'make a playlist of those',
    async ({ call, account }) => {
      const sql =
        'SELECT uri FROM saved WHERE uri NOT IN (SELECT uri FROM playlist_rows WHERE uri IS NOT NULL) ORDER BY position';
      const { status } = await call('edit_by_query', { sql, new_playlist: 'Forgotten' });
      return (
        status === 'done' &&
        account.playlists.some(({ name, rows }) => name === 'Forgotten' && rows.length > 0)
      );
    },
  ],
  [
    'sort it by artist',
    async ({ call }) => {
      const sql = "SELECT uri FROM playlist_tracks WHERE playlist = 'Forgotten' ORDER BY artist, album, name";
      return (
        (await call('edit_by_query', { sql, playlist_id: 'Forgotten', mode: 'replace' })).status === 'done'
      );
    },
  ],
  [
    'add my newest saved songs to it without repeats',
    async ({ call }) => {
      const sql =
        "SELECT uri FROM saved WHERE uri NOT IN (SELECT uri FROM playlist_tracks WHERE playlist = 'Forgotten') ORDER BY position LIMIT 20";
      return (await call('edit_by_query', { sql, playlist_id: 'Forgotten' })).status === 'done';
    },
  ],
  [
    'keep a playlist of what I saved lately',
    async ({ call }) =>
      typeof (
        await call('keep_playlist', {
          name: 'Lately',
          sql: 'SELECT uri FROM saved ORDER BY position LIMIT 50',
        })
      ).keep.id === 'string',
  ],
  ['which artists do I follow?', async ({ call }) => (await call('get_followed_artists')).items.length > 0],
  [
    'save this album',
    async ({ call, relay, account }) => {
      const album = relay.provider.catalogue.albums.find(
        ({ uri }) => !account.savedAlbums.some((one) => one.uri === uri),
      );
      const { items } = await call('search_albums', { query: `${album?.name} ${album?.artists[0]?.name}` });
      await call('save_albums', { album_ids: [items[0].id] });
      return account.savedAlbums.some(({ uri }) => uri === `spotify:album:${items[0].id}`);
    },
  ],
  [
    'what is on this album?',
    async ({ call, account }) =>
      (await call('get_album_tracks', { album_id: account.savedAlbums[0]?.uri })).items.length > 0,
  ],
  [
    'which albums has this artist made?',
    async ({ call, relay }) =>
      (await call('get_artist_albums', { artist_id: relay.provider.catalogue.artists[3]?.id })).items.length >
      0,
  ],
  [
    'which version did I mean? remember it',
    async ({ call, relay }) =>
      'alias' in (await call('remember_track', { track_id: relay.provider.catalogue.tracks[7]?.id })),
  ],
  [
    'who changed what today?',
    async ({ call }) => (await call('list_changes')).items[0].asked_by === 'API key',
  ],
  [
    'bring back how the playlist was',
    async ({ call }) => (await call('list_playlist_versions', { playlist_id: 'Forgotten' })).items.length > 0,
  ],
  [
    'delete the playlist',
    async ({ call, account }) => {
      await call('delete_playlist', { playlist_id: 'Twelve' });
      return !account.playlists.some(({ name }) => name === 'Twelve');
    },
  ],
  ['what is wrong?', async ({ call }) => (await call('get_state_diagnostics')).database.status === 'ok'],
];

/** What a task took. `tokens` counts arguments and answers. */
export interface TaskCost {
  asked: string;
  calls: number;
  tokens: number;
  done: boolean;
}

/** Does the tasks one after the other on one account. */
export async function taskCosts(): Promise<TaskCost[]> {
  const costs: TaskCost[] = [];
  await withRelay(
    { clock: systemClock, env: { RELAY_LIBRARY_REQUESTS_PER_MINUTE: '10000' } },
    async (relay) => {
      const account = owner(relay.provider);
      // The first question reads the whole library, which is no cost of a task.
      await relay.client.callTool({ name: 'query_library', arguments: { sql: 'SELECT 1' } });
      for (const [asked, work] of TASKS) {
        const cost = { asked, calls: 0, tokens: 0, done: false };
        const call = async (name: string, args: Record<string, unknown> = {}): Promise<Answer> => {
          cost.calls += 1;
          const { content, structuredContent } = await relay.client.callTool({ name, arguments: args });
          const [{ text = '' } = {}] = content as Array<{ text?: string }>;
          cost.tokens += tokensOf(args) + tokensOf(text);
          return structuredContent as Answer;
        };
        const list = (name: string) => account.playlists.find((one) => one.name === name) as DemoPlaylist;
        cost.done = await work({ relay, account, call, list }).catch(() => false);
        costs.push(cost);
      }
    },
  );
  return costs;
}
