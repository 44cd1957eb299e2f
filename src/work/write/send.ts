/** One request of a work: what is sent, and what counts as an answer. */

import { NEVER } from '../../base/abort.ts';
import type { Clock } from '../../base/clock.ts';
import type { ChangeOp } from '../../domain/change.ts';
import { asRelayError, type RelayError } from '../../domain/errors.ts';
import type { Playlist } from '../../domain/shapes.ts';
import type { ProviderApi, ProviderRequest, ProviderResponse } from '../../provider/api.ts';
import { invalidResponse, isCertainlyUnsent } from '../../provider/http/failure.ts';
import { asObject, parsePlaylist, textOf } from '../../provider/resources/parse.ts';
import {
  createRequest,
  detailsRequest,
  followRequest,
  insertRequest,
  moveRequest,
  removeRequest,
  replaceRequest,
} from '../../provider/resources/playlistWrites.ts';
import { libraryRequest } from '../../provider/resources/savedTracks.ts';
import { writesRows } from './states.ts';

/** What Spotify answered to one request. */
export interface StepAnswer {
  snapshotId: string | null;
  /** The playlist that a `create` made; null for other operations. */
  playlist: Playlist | null;
}

/**
 * Sends one step.
 * @param untilSent stops the request if it is not sent yet
 * @throws RelayError; if `outcomeUnknown` is true for this error, the step may have taken effect
 */
export async function sendStep(
  provider: ProviderApi,
  op: ChangeOp,
  playlistId: string,
  account: string | null,
  untilSent: AbortSignal,
): Promise<StepAnswer> {
  const request = requestFor(op, playlistId);
  const response = await provider.send(request, {
    // Always wait for a request that was sent: if it were aborted, its outcome would be unknown.
    signal: NEVER,
    untilSent,
    ...(account === null ? {} : { account }),
  });
  return answerOf(op, request, response);
}

function requestFor(op: ChangeOp, id: string): ProviderRequest {
  switch (op.op) {
    case 'append':
      return insertRequest(id, op.uris);
    case 'insert':
      return insertRequest(id, op.uris, op.at);
    case 'remove':
      return removeRequest(id, op.uris);
    case 'put':
      return replaceRequest(id, op.uris);
    case 'move':
      return moveRequest(id, {
        range_start: op.start,
        insert_before: op.before,
        range_length: op.length,
        snapshot_id: op.snapshot,
      });
    case 'details':
      return detailsRequest(id, op.set);
    case 'create':
      return createRequest(op.details);
    case 'follow':
      return followRequest('PUT', op.playlist ?? id);
    case 'unfollow':
      return followRequest('DELETE', op.playlist ?? id);
    case 'save':
      return libraryRequest('PUT', op.uris);
    case 'unsave':
      return libraryRequest('DELETE', op.uris);
  }
}

/** Reads a 2xx response as an answer. Not every such response is one: a gateway's page says nothing about the playlist. */
function answerOf(op: ChangeOp, request: ProviderRequest, response: ProviderResponse): StepAnswer {
  if (op.op === 'create') {
    const playlist = parsePlaylist(response.body);
    if (!playlist) throw invalidResponse(request, 'no playlist in it');
    return { snapshotId: playlist.snapshot_id, playlist };
  }
  const snapshotId = textOf(asObject(response.body)?.snapshot_id);
  if (writesRows(op) && snapshotId === null) throw invalidResponse(request, 'no snapshot_id in it');
  if (response.opaque) throw invalidResponse(request, 'not JSON');
  // Other operations get 200 with an empty body (API reference, July 2026). A body with another status says nothing.
  const isOdd = !writesRows(op) && response.status !== 200 && response.body !== null;
  if (isOdd) throw invalidResponse(request, `${response.status} with a body`);
  return { snapshotId, playlist: null };
}

/** True if the provider may have acted although its answer does not show it. */
export function outcomeUnknown(error: RelayError): boolean {
  if (error.details?.sent === false || isCertainlyUnsent(error.cause)) return false;
  return ['PROVIDER_UNAVAILABLE', 'PROVIDER_TIMEOUT', 'PROVIDER_INVALID_RESPONSE', 'INTERNAL'].includes(
    error.code,
  );
}

/** How long a stopping server waits for a request that was sent. */
const STOP_GRACE_MS = 6_000;

/** The answer to a step or its error; `stopped` if the server stops before either comes. */
export async function answerOrStop(
  clock: Clock,
  signal: AbortSignal,
  sending: Promise<StepAnswer>,
): Promise<{ answer: StepAnswer } | { error: RelayError } | 'stopped'> {
  const settled = sending.then(
    (answer) => ({ answer }),
    (thrown: unknown) => ({ error: asRelayError(thrown) }),
  );
  let begin = () => {};
  const grace = new Promise<'stopped'>((resolve) => {
    begin = () => void clock.sleep(STOP_GRACE_MS).then(() => resolve('stopped'));
  });
  if (signal.aborted) begin();
  else signal.addEventListener('abort', begin, { once: true });
  try {
    return await Promise.race([settled, grace]);
  } finally {
    signal.removeEventListener('abort', begin);
  }
}
