/**
 * Lists and restores earlier versions of playlists for the owner, with the functions of the tools. The owner can do so even if
 * those tools are switched off.
 */
import { counted } from '../base/lists.ts';
import { RelayError } from '../domain/errors.ts';
import { parseRef } from '../domain/ids.ts';
import type { RestoreRequest, VersionContent } from '../domain/localApi.ts';
import type { PlaylistVersions, RestoreAnswer } from '../domain/versions.ts';
import { calledLike } from '../music/normalise.ts';
import { restorePlaylistTool } from '../tools/extras/playlistVersions.ts';
import type { Services } from '../tools/tool.ts';
import { inTime } from './inTime.ts';
import { ownerPlaylists } from './ownerLists.ts';

const IF_LATE = 'Try again in a minute.';

/** The versions of a playlist. @param given its ID, URI or link, its current name, or the last name that was read */
export async function ownerVersions(services: Services, given: string): Promise<PlaylistVersions> {
  const id = await idOf(services, given);
  return inTime(services, 'Reading the versions', IF_LATE, (signal) =>
    services.library.versions(id, { signal }),
  );
}

/** The rows of one version. @throws RelayError `NOT_FOUND` */
export async function ownerVersion(services: Services, id: string, version: number): Promise<VersionContent> {
  const rows = await services.library.versionRows(id, version);
  if (rows === null) throw new RelayError('NOT_FOUND', `There is no version ${version} of this playlist.`);
  return { items: rows.map((row, position) => ({ position, ...row })) };
}

export async function ownerRestore(services: Services, request: RestoreRequest): Promise<RestoreAnswer> {
  const { id, version, dryRun, name, skipUnsupported } = request;
  const args = {
    playlist_id: { kind: 'playlist', id, uri: `spotify:playlist:${id}`, input: id },
    version,
    dry_run: dryRun,
    skip_unsupported: skipUnsupported,
    ...(name === null ? {} : { name }),
  };
  const answer = await inTime(services, 'Restoring', IF_LATE, (signal) =>
    restorePlaylistTool.handle(services, args, { signal, progress() {} }),
  );
  return answer as unknown as RestoreAnswer;
}

async function idOf(services: Services, given: string): Promise<string> {
  const id = idIn(given);
  if (id !== null) return id;
  const known = calledLike(await services.library.versionedPlaylists(), given);
  // If none is found, the playlist may not have been read yet, or it had another name when it was read.
  const found = known.length > 0 ? known : calledLike(await ownerPlaylists(services), given);
  const [first, other] = found;
  if (!first) {
    throw new RelayError('NOT_FOUND', `No playlist called "${given}" has a version.`, {
      remedy: { text: '{command} lists the playlists in your library.', command: ['playlists'] },
    });
  }
  if (!other) return first.id;
  throw new RelayError('USAGE', `${counted(found.length, 'playlist')} are or were called "${given}".`, {
    remedy: `Give the ID instead: ${found.map((one) => one.id).join(' or ')}.`,
  });
}

function idIn(given: string): string | null {
  try {
    return parseRef(given, ['playlist']).id;
  } catch {
    return null;
  }
}
