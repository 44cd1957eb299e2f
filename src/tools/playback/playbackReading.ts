/** Reading the player. */
import * as z from 'zod';
import { Context, Device, Media } from '../../domain/shapes.ts';
import {
  getCurrentlyPlaying,
  getDevices,
  getPlaybackState,
  type PlayerState,
} from '../../provider/resources/player.ts';
import { compact, durationText, leanDevice, leanMedia, shape } from '../answer/lean.ts';
import { defineTool } from '../tool.ts';

const ItemType = z
  .enum(['track', 'episode', 'ad', 'unknown'])
  .nullable()
  .describe('null when nothing is playing; for ad and unknown the item is null');

export const PlaybackState = z.object({
  active: z.boolean(),
  is_playing: z.boolean(),
  device: Device.nullable(),
  repeat_state: z.string().nullable().describe('off, track or context'),
  shuffle_state: z.boolean().nullable(),
  progress_ms: z.number().nullable(),
  item_type: ItemType,
  item: Media.nullable(),
  context: Context.nullable(),
  disallows: z
    .array(z.string())
    .describe('Commands that the player refuses right now, such as skipping_prev'),
});
type PlaybackState = z.infer<typeof PlaybackState>;

/** What plays, and how far it is: the part that both tools answer. */
const Playing = PlaybackState.pick({ item_type: true, item: true, progress_ms: true, context: true });

const leanPlaying = shape(
  Playing.extend({ item: leanMedia.schema, context: z.string(), progress: z.string() }).partial(),
  ({ item, item_type, progress_ms, context }: z.infer<typeof Playing>) =>
    compact({
      item: item && leanMedia.of(item),
      item_type: item ? null : item_type,
      progress_ms,
      progress: durationText(progress_ms),
      context: context?.uri,
    }),
);

export const leanPlaybackState = shape(
  PlaybackState.extend({ device: leanDevice.schema, ...leanPlaying.schema.shape }).partial(),
  ({ active, is_playing, device, repeat_state, shuffle_state, disallows, ...playing }: PlaybackState) => {
    if (!active) return { active };
    return {
      ...{ active, is_playing, ...leanPlaying.of(playing) },
      ...compact({ device: device && leanDevice.of(device), repeat_state }),
      ...(shuffle_state !== null && { shuffle_state }),
      ...(disallows.length > 0 && { disallows }),
    };
  },
);

const INACTIVE: PlaybackState = {
  ...{ active: false, is_playing: false, device: null, repeat_state: null, shuffle_state: null },
  ...{ progress_ms: null, item_type: null, item: null, context: null, disallows: [] },
};

/** The full state; null means that no device is active. */
export function playbackStateOf(state: PlayerState | null): PlaybackState {
  return state ? { active: true, ...state } : INACTIVE;
}

export const getCurrentlyPlayingTool = defineTool({
  name: 'get_currently_playing',
  title: 'Get what is playing',
  description:
    'Gets the current song: what track or episode is playing now, by which artist, and how far it is. Private sessions show as not playing. For device, volume and shuffle, use get_playback_state.',
  kind: 'read',
  input: z.object({}),
  output: z.object({ playing: z.boolean(), ...Playing.shape }),
  lean: {
    schema: z.object({ playing: z.boolean(), ...leanPlaying.schema.shape }),
    of: ({ playing, ...state }) => ({ playing, ...leanPlaying.of(state) }),
  },
  async handle({ provider }, _args, call) {
    const { is_playing, ...state } = playbackStateOf(await getCurrentlyPlaying(provider, call));
    return { playing: is_playing, ...state };
  },
});

export const getPlaybackStateTool = defineTool({
  name: 'get_playback_state',
  title: 'Get playback state',
  description:
    'Gets the status of the player: whether music is playing or paused, on which device, the current volume, shuffle and repeat, and how far the song is.',
  kind: 'read',
  input: z.object({}),
  output: PlaybackState,
  lean: leanPlaybackState,
  handle: async ({ provider }, _args, call) => playbackStateOf(await getPlaybackState(provider, call)),
});

export const getDevicesTool = defineTool({
  name: 'get_devices',
  title: 'List devices',
  description:
    'Lists the available devices and speakers to play music on, such as phones, computers and TVs, with ID and volume. A device that sleeps is missing until its app is opened. IDs change: read them again.',
  kind: 'read',
  input: z.object({}),
  output: z.object({ devices: z.array(Device) }),
  async handle({ provider }, _args, call) {
    return { devices: await getDevices(provider, call) };
  },
});
