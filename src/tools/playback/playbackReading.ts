/** Reading the player. */
import * as z from 'zod';
import { Context, Device, Media } from '../../domain/shapes.ts';
import {
  getCurrentlyPlaying,
  getDevices,
  getPlaybackState,
  type PlayerState,
} from '../../provider/resources/player.ts';
import {
  compact,
  durationText,
  LeanDevice,
  LeanMedia,
  leanContext,
  leanDevice,
  leanMedia,
} from '../answer/leanShapes.ts';
import { defineTool } from '../tool.ts';

const ItemType = z
  .enum(['track', 'episode', 'ad', 'unknown'])
  .nullable()
  .describe('null when nothing is playing; for ad and unknown the item is null');

type PlaybackState = z.infer<typeof PlaybackState>;

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

/** The lean form of the player's state. */
export const LeanPlaybackState = z.object({
  active: z.boolean(),
  is_playing: z.boolean().optional(),
  device: LeanDevice.optional(),
  repeat_state: z.string().optional(),
  shuffle_state: z.boolean().optional(),
  progress_ms: z.number().optional(),
  progress: z.string().optional(),
  item_type: z.string().optional(),
  item: LeanMedia.optional(),
  context: z.string().optional(),
  disallows: z.array(z.string()).optional(),
});

export function leanPlaybackState(state: PlaybackState): z.infer<typeof LeanPlaybackState> {
  if (!state.active) return { active: false };
  const { device, item, disallows } = state;
  return {
    active: true,
    is_playing: state.is_playing,
    ...compact({
      item: item && leanMedia(item),
      item_type: item ? null : state.item_type,
      progress_ms: state.progress_ms,
      progress: durationText(state.progress_ms),
      context: leanContext(state.context),
      device: device && leanDevice(device),
      repeat_state: state.repeat_state,
    }),
    ...(state.shuffle_state === null ? {} : { shuffle_state: state.shuffle_state }),
    ...(disallows.length > 0 ? { disallows } : {}),
  };
}

/** The full state; null means that no device is active. */
export function playbackStateOf(state: PlayerState | null): PlaybackState {
  return {
    active: state !== null,
    is_playing: state?.is_playing ?? false,
    device: state?.device ?? null,
    repeat_state: state?.repeat_state ?? null,
    shuffle_state: state?.shuffle_state ?? null,
    progress_ms: state?.progress_ms ?? null,
    item_type: state?.item_type ?? null,
    item: state?.item ?? null,
    context: state?.context ?? null,
    disallows: state?.disallows ?? [],
  };
}

export const getCurrentlyPlayingTool = defineTool({
  name: 'get_currently_playing',
  title: 'Get what is playing',
  description:
    'Gets the current song: what track or episode is playing now, by which artist, and how far it is. Private sessions show as not playing. For device, volume and shuffle, use get_playback_state.',
  kind: 'read',
  input: z.object({}),
  output: z.object({
    playing: z.boolean(),
    item_type: ItemType,
    item: Media.nullable(),
    progress_ms: z.number().nullable(),
    context: Context.nullable(),
  }),
  lean: {
    schema: z.object({
      playing: z.boolean(),
      item: LeanMedia.optional(),
      item_type: z.string().optional(),
      progress_ms: z.number().optional(),
      progress: z.string().optional(),
      context: z.string().optional(),
    }),
    of: ({ playing, item, item_type, progress_ms, context }) => ({
      playing,
      ...compact({
        item: item && leanMedia(item),
        item_type: item ? null : item_type,
        progress_ms,
        progress: durationText(progress_ms),
        context: leanContext(context),
      }),
    }),
  },
  async handle({ provider }, _args, call) {
    const state = playbackStateOf(await getCurrentlyPlaying(provider, call));
    const { is_playing: playing, item_type, item, progress_ms, context } = state;
    return { playing, item_type, item, progress_ms, context };
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
  lean: { schema: LeanPlaybackState, of: leanPlaybackState },
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
