/** Runs tests of one playlist of the account. */
import type { DemoPlaylist } from '../../src/demo/state.ts';
import type { ManualClock } from './clock.ts';
import { named, urisOf } from './playlists.ts';
import { withClock } from './waiting.ts';
import { type Relay, type RelayOptions, withRelay } from './world.ts';

export interface PlaylistScene extends Pick<Relay, 'provider' | 'call'> {
  relay: Relay;
  playlist: DemoPlaylist;
  playlist_id: string;
  /** URIs of the playlist's rows before the test. */
  former: string[];
}

/** The scene for the account's playlist of that name. */
export function sceneOf(relay: Relay, name: string): PlaylistScene {
  const playlist = named(relay, name);
  const { provider, call } = relay;
  return { relay, provider, call, playlist, playlist_id: playlist.id, former: urisOf(playlist) };
}

/** The work of a test, with or without options before it. */
export type Then<Options, Scene> = [work: Work<Scene>] | [options: Options, work: Work<Scene>];
type Work<Scene> = (scene: Scene) => Promise<void>;

/** Runs `work` with a whole relay and the account's playlist of that name. */
export function withPlaylist(name: string, ...then: Then<RelayOptions, PlaylistScene>): Promise<void> {
  const [options, work] = then.length === 1 ? [{}, ...then] : then;
  return withRelay(options, (relay) => work(sceneOf(relay, name)));
}

/** As `withPlaylist`, with a clock that moves only when the test says so. */
export function withClockedPlaylist(
  name: string,
  ...then: Then<RelayOptions, PlaylistScene & { clock: ManualClock }>
): Promise<void> {
  const [options, work] = then.length === 1 ? [{}, ...then] : then;
  return withClock(options, (relay, clock) => work({ ...sceneOf(relay, name), clock }));
}
