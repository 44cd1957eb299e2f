/** Commands to the player. They need Premium, and an active device or a device_id. */
import * as z from 'zod';
import { isLikedSongs, parseRef } from '../../domain/ids.ts';
import {
  pause,
  play,
  seek,
  setVolume,
  skip,
  transfer,
  type Verified,
} from '../../provider/resources/playerCommands.ts';
import { type Account, getAccount } from '../../store/tables/account.ts';
import type { LeanForm } from '../answer/lean.ts';
import { badArgument, DeviceId, type GivenRef, ItemRef, parsedText } from '../arguments.ts';
import { itemUri } from '../givenNames.ts';
import { defineTool, type Tool } from '../tool.ts';
import { leanPlaybackState, PlaybackState, playbackStateOf } from './playbackReading.ts';

/** Stands for the Liked Songs of the connected account until the account is known. */
const LIKED_SONGS = 'spotify:collection';
const CONTEXT_KINDS = ['album', 'artist', 'playlist', 'show', 'audiobook'] as const;

const ContextUri = parsedText((text) => {
  const uri = text.trim();
  // Only the player accepts Liked Songs as a context.
  if (isLikedSongs(uri)) {
    const owner = /^spotify:user:([^:]+):/i.exec(uri)?.[1];
    return owner === undefined ? LIKED_SONGS : `spotify:user:${owner}:collection`;
  }
  return parseRef(uri, CONTEXT_KINDS, { bareId: false }).uri;
}).describe('URI or link of an album, artist, playlist or show; spotify:collection is Liked Songs');

const PositionMs = z.int().min(0).max(86_400_000);

const Offset = z
  .strictObject({
    position: z.int().min(0).optional().describe('0-based entry to start with'),
    uri: ItemRef.optional().describe('Track to start with'),
  })
  .refine((offset) => (offset.position === undefined) !== (offset.uri === undefined), {
    message: 'Pass either position or uri.',
  });

const Played = z.object({
  ok: z.literal(true),
  verified: z
    .literal(true)
    .optional()
    .describe('Spotify refused the command, since the player was already in the requested state'),
  state: PlaybackState.optional().describe('The player state that showed it'),
});

const leanPlayed: LeanForm<z.infer<typeof Played>> = {
  // The schema of get_playback_state describes a state.
  schema: Played.extend({ state: z.looseObject({}).optional() }),
  of: ({ state, ...rest }) => ({ ...rest, ...(state && { state: leanPlaybackState.of(state) }) }),
};

function played({ verified, state }: Verified): z.infer<typeof Played> {
  return verified ? { ok: true, verified, state: playbackStateOf(state) } : { ok: true };
}

export const playTool = defineTool({
  name: 'play',
  title: 'Play',
  description:
    'Starts or resumes playback: plays music, such as a song, an album, an artist or a playlist. Pass either context_uri or uris (songs), or neither to resume. Needs Premium; on NO_ACTIVE_DEVICE, pass a device_id from get_devices.',
  kind: 'write',
  input: z.object({
    device_id: DeviceId,
    context_uri: ContextUri.optional(),
    uris: z
      .array(ItemRef)
      .min(1)
      .max(100)
      .optional()
      .describe('Track IDs, or URIs or links of tracks or episodes, 1 to 100, in order'),
    offset: Offset.optional().describe('Where to start: {position} or {uri}'),
    position_ms: PositionMs.optional().describe('Where to start in the first song, in milliseconds'),
  }),
  output: Played,
  lean: leanPlayed,
  async handle({ provider, store }, { uris, offset, ...args }, call) {
    const uriOf = (ref: GivenRef) => itemUri(provider, ref);
    const { position, uri } = offset ?? {};
    const from = offset && { position, uri: uri && uriOf(uri) };
    const context_uri = args.context_uri && withOwner(args.context_uri, getAccount(store));
    const command = { ...args, context_uri, uris: uris?.map(uriOf) };
    checkPlay({ ...command, offset: from });
    const start = from?.uri ? { uri: from.uri } : { position: position ?? 0 };
    return played(await play(provider, { ...command, offset: from && start }, call));
  },
});

/** Spotify refuses Liked Songs as a context unless the URI names their owner. */
function withOwner(uri: string, account: Account | null): string {
  return uri === LIKED_SONGS && account ? `spotify:user:${account.providerUserId}:collection` : uri;
}

interface Wanted {
  context_uri?: string | undefined;
  uris: readonly string[] | undefined;
  offset: { position?: number | undefined; uri?: string | undefined } | undefined;
}

function checkPlay({ context_uri: context, uris, offset }: Wanted): void {
  if (context !== undefined && uris !== undefined)
    throw badArgument('context_uri and uris cannot be combined.', 'Pass only one of them.');
  if (offset === undefined) return;
  if (context === undefined && uris === undefined) {
    const remedy = 'Omit offset to resume, or pass context_uri or uris to say what to play.';
    throw badArgument('offset needs context_uri or uris.', remedy);
  }
  if (uris !== undefined && (offset.position ?? 0) >= uris.length) {
    const most = `offset.position must be less than the number of uris, ${uris.length}.`;
    throw badArgument(most, 'Positions count from 0.');
  }
  if (offset.uri !== undefined && uris?.includes(offset.uri) === false)
    throw badArgument('offset.uri is not among uris.', 'Pass offset.uri from uris, or offset.position.');
  if (context?.startsWith('spotify:artist:'))
    throw badArgument('offset cannot be used with an artist.', 'Omit offset, or play an album or playlist.');
}

export const pauseTool = defineTool({
  name: 'pause',
  title: 'Pause',
  description:
    'Pauses the music or stops playback, until play resumes it. verified=true means that nothing was playing.',
  kind: 'write',
  idempotent: true,
  input: z.object({ device_id: DeviceId }),
  output: Played,
  lean: leanPlayed,
  handle: async ({ provider }, { device_id }, call) => played(await pause(provider, device_id, call)),
});

/** The answer to a command: it repeats what was set. */
export const Done = z.object({ ok: z.literal(true) });

/** Waits until a command is sent, and answers what it set. */
export async function done<T extends object>(sent: Promise<unknown>, told: T) {
  await sent;
  return { ok: true as const, ...told };
}

function skipTool(direction: 'next' | 'previous', title: string, description: string): Tool {
  return defineTool({
    name: `${direction}_track`,
    title,
    description,
    kind: 'write',
    input: z.object({ device_id: DeviceId }),
    output: Done,
    handle: ({ provider }, { device_id }, call) => done(skip(provider, direction, device_id, call), {}),
  });
}

export const nextTrackTool = skipTool('next', 'Next track', 'Skips the current song and plays the next one.');

export const previousTrackTool = skipTool(
  'previous',
  'Previous track',
  'Goes or skips back and plays the previous song again.',
);

export const seekTool = defineTool({
  name: 'seek',
  title: 'Seek',
  description:
    'Seeks to a position or time in the current song: jumps to a minute or second, fast forwards, rewinds, or starts over from the beginning (0). Beyond the end, the next song plays.',
  kind: 'write',
  idempotent: true,
  input: z.object({
    position_ms: PositionMs.describe('Milliseconds from the start, 0 or more'),
    device_id: DeviceId,
  }),
  output: Done.extend({ position_ms: z.number() }),
  handle: ({ provider }, { position_ms, device_id }, call) =>
    done(seek(provider, position_ms, device_id, call), { position_ms }),
});

export const setVolumeTool = defineTool({
  name: 'set_volume',
  title: 'Set volume',
  description:
    'Sets or controls the volume in percent: turns the music up or down, louder or quieter, or mutes it with 0. Phones may refuse (VOLUME_NOT_SUPPORTED).',
  kind: 'write',
  idempotent: true,
  input: z.object({
    volume_percent: z.int().min(0).max(100).describe('Percent, 0 to 100'),
    device_id: DeviceId,
  }),
  output: Done.extend({ volume_percent: z.number() }),
  handle: ({ provider }, { volume_percent, device_id }, call) =>
    done(setVolume(provider, volume_percent, device_id, call), { volume_percent }),
});

export const transferPlaybackTool = defineTool({
  name: 'transfer_playback',
  title: 'Transfer playback',
  description:
    'Switches playback to another device, such as a phone, a computer or a speaker in the living room, and wakes it where possible. Unless play is true, paused music stays paused.',
  kind: 'write',
  idempotent: true,
  input: z.object({
    device_id: DeviceId.unwrap().describe('ID or name of the device'),
    play: z.boolean().optional().describe('true: start playing there. Otherwise playback stays as it is'),
  }),
  output: Done.extend({ device_id: z.string() }),
  handle: ({ provider }, { device_id, play: start }, call) =>
    done(transfer(provider, device_id, start, call), { device_id }),
});
