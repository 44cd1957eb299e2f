/** What comes next in the player: the queue, shuffle and repeat. Commands need Premium. */
import * as z from 'zod';
import { asRelayError, type RelayError } from '../../domain/errors.ts';
import { Media } from '../../domain/shapes.ts';
import { getQueue } from '../../provider/resources/player.ts';
import { addToQueue, setRepeat, setShuffle } from '../../provider/resources/playerCommands.ts';
import { compact, leanMedia, linksOf } from '../answer/lean.ts';
import { DeviceId, type GivenRef, ItemRef } from '../arguments.ts';
import { itemUri } from '../givenNames.ts';
import { Done, done } from '../playback/playbackCommands.ts';
import { defineTool } from '../tool.ts';

export const getQueueTool = defineTool({
  name: 'get_queue',
  title: 'Get the queue',
  description:
    'Returns what is playing and what comes next: songs that were queued, then the rest of the album or playlist. Spotify lists only the first of them. When only the current song matters, use get_currently_playing.',
  kind: 'read',
  input: z.object({}),
  output: z.object({
    currently_playing: Media.nullable().describe('null when no device is active'),
    queue: z.array(Media).describe('In the order in which they will play'),
  }),
  lean: {
    schema: z.object({
      currently_playing: leanMedia.schema.optional(),
      queue: z.array(leanMedia.schema),
      links: z.string().optional(),
    }),
    of: ({ currently_playing, queue }) => ({
      ...compact({ currently_playing: currently_playing && leanMedia.of(currently_playing) }),
      queue: queue.map(leanMedia.of),
      ...linksOf(true, queue),
    }),
  },
  rows: { key: 'queue' },
  async handle({ provider }, _args, call) {
    const { current, next } = await getQueue(provider, call);
    return { currently_playing: current, queue: next };
  },
});

export const addToQueueTool = defineTool({
  name: 'add_to_queue',
  title: 'Add to the queue',
  description:
    'Adds songs or episodes to the queue, to play next: in order, after what was queued before, and before the rest of the album or playlist. Nothing can be taken out of the queue again. Needs Premium and an active device; to start something now, use play.',
  kind: 'write',
  input: z.object({
    uris: z
      .array(ItemRef)
      .min(1)
      .max(50)
      .describe('Track IDs, or URIs or links of tracks or episodes, 1 to 50, in order'),
    device_id: DeviceId,
  }),
  output: Done.extend({ queued: z.number() }),
  async handle({ provider }, { uris, device_id }, call) {
    for (const [queued, ref] of uris.entries()) {
      try {
        await addToQueue(provider, itemUri(provider, ref), device_id, call);
      } catch (thrown) {
        if (queued === 0) throw thrown;
        throw partlyQueued(asRelayError(thrown), queued, uris);
      }
      if (uris.length > 1) call.progress(queued + 1, uris.length);
    }
    return { ok: true as const, queued: uris.length };
  },
});

function partlyQueued(cause: RelayError, queued: number, uris: readonly GivenRef[]): RelayError {
  return cause.with({
    message: `${cause.message} The first ${queued} of ${uris.length} are in the queue.`,
    details: { ...cause.details, queued, not_queued: uris.slice(queued).map(({ input }) => input) },
  });
}

export const setShuffleTool = defineTool({
  name: 'set_shuffle',
  title: 'Set shuffle',
  description:
    'Turns shuffle on or off: whether an album or playlist plays in random order. get_playback_state shows the setting. Needs Premium and an active device.',
  kind: 'write',
  idempotent: true,
  input: z.object({
    state: z.boolean().describe('true: random order; false: in order'),
    device_id: DeviceId,
  }),
  output: Done.extend({ state: z.boolean() }),
  handle: ({ provider }, { state, device_id }, call) =>
    done(setShuffle(provider, state, device_id, call), { state }),
});

const RepeatState = z.enum(['off', 'track', 'context']);

export const setRepeatTool = defineTool({
  name: 'set_repeat',
  title: 'Set repeat',
  description:
    'Repeats the current song, or the whole album or playlist, or turns repeating off. get_playback_state shows the setting. To play the current song once more, use seek with position_ms 0. Needs Premium and an active device.',
  kind: 'write',
  idempotent: true,
  input: z.object({
    state: RepeatState.describe('track: the current song; context: the album or playlist that plays'),
    device_id: DeviceId,
  }),
  output: Done.extend({ state: RepeatState }),
  handle: ({ provider }, { state, device_id }, call) =>
    done(setRepeat(provider, state, device_id, call), { state }),
});
