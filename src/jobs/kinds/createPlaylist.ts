/**
 * Creates a playlist and fills it. The IDs of all playlists with its name are saved first: after a crash, a playlist of
 * that name that is not among them, belongs to the account and is empty is the one that was created.
 */
import { RelayError } from '../../domain/errors.ts';
import type { Playlist } from '../../domain/shapes.ts';
import type { Call } from '../../provider/api.ts';
import { getAllMyPlaylists } from '../../provider/resources/playlists.ts';
import { UNSTOPPABLE } from '../../provider/writes/chunkedWrite.ts';
import {
  insertChunks,
  PLAYLIST_CHUNK,
  createPlaylist as sendCreate,
} from '../../provider/writes/playlistWrites.ts';
import { getAccount } from '../../store/tables/account.ts';
import { dropIntent, getIntent } from '../../store/tables/jobIntents.ts';
import { changeJob, type Job } from '../../store/tables/jobs.ts';
import type { JobContext } from '../context.ts';
import { guardedIntent, hadNoEffect, lookUntilClear } from '../intents.ts';
import { readUris } from '../playlistCheck.ts';
import { type JobKind, onlyChunk } from './kind.ts';

/** The provider lets an account have about 11,000. */
const ALL_PLAYLISTS = 12_000;

export const createPlaylist: JobKind = {
  type: 'create_playlist',
  target: 'playlist',
  chunkSize: PLAYLIST_CHUNK,
  makeTarget,
  readBase: readUris,
  write: (targetId, uris) => onlyChunk(insertChunks(targetId, uris)),
  expected: (base, written) => [...base, ...written],
};

async function makeTarget(context: JobContext, job: Job, call: Call): Promise<string> {
  const { store, clock } = context;
  const interrupted = getIntent(store, job.seq);
  const found = interrupted?.kind === 'create' ? await findMade(context, job, interrupted.known, call) : null;
  const id = found ?? (await make(context, job, call));
  store.transaction(() => {
    changeJob(store, job.seq, { targetId: id, stepAttempts: 0 }, clock.now());
    dropIntent(store, job.seq);
  });
  store.saveSoon();
  return id;
}

async function make(context: JobContext, job: Job, call: Call): Promise<string> {
  const known = (await ofThatName(context, job, call)).map(({ id }) => id);
  await guardedIntent(context, job, { kind: 'create', known });
  const { name = '', description, public: isPublic } = job.payload;
  try {
    const made = await sendCreate(context.provider, { name, description, public: isPublic }, UNSTOPPABLE);
    return made.id;
  } catch (error) {
    if (hadNoEffect(error)) {
      dropIntent(context.store, job.seq);
      throw error;
    }
    const found = await findMade(context, job, known, call);
    if (found !== null) return found;
    throw error;
  }
}

/** The playlist that an interrupted request created; null if it created none. */
function findMade(
  context: JobContext,
  job: Job,
  known: readonly string[],
  call: Call,
): Promise<string | null> {
  return lookUntilClear<string | null>(context, job, call, async () => {
    const fresh = (await ofThatName(context, job, call)).filter(({ id }) => !known.includes(id));
    for (const { id } of fresh) {
      if ((await readUris(context, id, call)).length === 0) return { settled: id };
    }
    if (fresh.length === 0) return { absent: null };
    return { conflict: () => notEmpty(job, fresh) };
  });
}

/** The account's own playlists with the job's name. */
async function ofThatName({ provider, store }: JobContext, job: Job, call: Call): Promise<Playlist[]> {
  const owner = getAccount(store)?.providerUserId;
  const { items } = await getAllMyPlaylists(provider, ALL_PLAYLISTS, { signal: call.signal, progress() {} });
  return items.filter(
    (playlist) => playlist.name.trim() === job.payload.name?.trim() && playlist.owner.id === owner,
  );
}

function notEmpty(job: Job, fresh: readonly Playlist[]): RelayError {
  const ids = fresh.map(({ id }) => id);
  return new RelayError(
    'CONFLICT',
    `A playlist "${job.payload.name}" appeared while this job was creating one, and it is not empty: ${ids.join(', ')}.`,
    {
      remedy:
        'Check it in Spotify: empty, rename or delete it, then resume the job; or cancel the job and use that playlist.',
      details: { playlist_ids: ids, expected_uris: [], written: 0 },
    },
  );
}
