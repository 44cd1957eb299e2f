/**
 * Lists and restores earlier versions of playlists for the owner, with the functions of the tools. The owner can do so even if
 * those tools are switched off.
 */
import { hashOf } from '../base/digest.ts';
import { counted } from '../base/lists.ts';
import { asRelayError, RelayError } from '../domain/errors.ts';
import { ADDRESS, BARE_ID, parseRef } from '../domain/ids.ts';
import type { OwnerRestoreAnswer, RestoreRequest, VersionContent } from '../domain/localApi.ts';
import type { PlaylistVersions } from '../domain/versions.ts';
import { calledLike } from '../music/names.ts';
import { restoreVersion } from '../tools/extras/playlistVersions.ts';
import type { Services } from '../tools/tool.ts';
import { inTime } from './inTime.ts';
import { ownerPlaylists } from './ownerLists.ts';

const IF_LATE = 'Try again in a minute.';

/**
 * Lists the versions of a playlist.
 * @param given its ID, URI or link, its name or, if it is gone, the last name that was read
 * @param options.toRestore true if a version is to be restored. Then a call with a name fails if Spotify cannot be asked, since
 *   a stored name may by now belong to another playlist
 */
export async function ownerVersions(
  services: Services,
  given: string,
  { toRestore = false }: { toRestore?: boolean | undefined } = {},
): Promise<PlaylistVersions> {
  const id = await idOf(services, given, toRestore);
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

/**
 * Restores a version.
 * @param by who asks; see `Call.by`
 * @throws RelayError `CONFLICT` if the restore would not do what was agreed to
 */
export async function ownerRestore(
  services: Services,
  { id, version, dryRun, name, skipUnsupported, agreed }: RestoreRequest,
  by: string,
): Promise<OwnerRestoreAnswer> {
  const args = {
    playlist_id: { id },
    version,
    dry_run: dryRun,
    skip_unsupported: skipUnsupported,
    ...(name === null ? {} : { name }),
  };
  let plan = '';
  const review = ({ present, wanted }: { present: string[]; wanted: string[] }) => {
    plan = hashOf(JSON.stringify([present, wanted]));
    if (agreed !== undefined && agreed !== plan) throw notAsShown();
  };
  const answer = await inTime(services, 'Restoring', IF_LATE, (signal) =>
    restoreVersion(services, args, { signal, progress() {}, by }, review),
  );
  return { ...answer, plan };
}

function notAsShown(): RelayError {
  const changed = 'The playlist, or what Spotify offers, has changed since.';
  return new RelayError('CONFLICT', 'Restoring would no longer do what was shown, so nothing was changed.', {
    remedy: `${changed} {|To see what it does now, run the same command again|Below is what restoring does now}.`,
  });
}

async function idOf(services: Services, given: string, toRestore: boolean): Promise<string> {
  let unread: unknown = null;
  if (ADDRESS.test(given)) {
    try {
      return parseRef(given, ['playlist']).id;
    } catch (thrown) {
      // It may still be a name, such as "Spotify: the best".
      unread = thrown;
    }
  }
  const versioned = await services.library.versionedPlaylists();
  const isId = (one: { id: string }) => one.id === given;
  if (versioned.some(isId)) return given;
  const listed = await (toRestore ? ownerPlaylists(services) : listedNow(services));
  const here = new Set(listed.map(({ id }) => id));
  // A playlist that is in the library goes by its name there, not by the name it had when a version was read.
  const all = [...listed, ...versioned.filter(({ id }) => !here.has(id))];
  const found = all.some(isId) ? all.filter(isId) : calledLike(all, given);
  const [first, other] = found;
  if (!first) {
    if (unread !== null) throw unread;
    if (BARE_ID.test(given)) return given;
    throw new RelayError('NOT_FOUND', `No playlist called "${given}" has a version.`, {
      remedy: { text: '{command} lists the playlists in your library.', command: ['playlists'] },
    });
  }
  if (!other) return first.id;
  throw new RelayError('USAGE', `${counted(found.length, 'playlist')} are or were called "${given}".`, {
    remedy: `Give the ID instead: ${found.map((one) => one.id).join(' or ')}.`,
  });
}

/** The playlists of the library; none if Spotify cannot be asked, since stored versions can be shown all the same. */
async function listedNow(services: Services): Promise<Array<{ id: string; name: string }>> {
  try {
    return await ownerPlaylists(services);
  } catch (thrown) {
    if (asRelayError(thrown).code === 'INTERNAL') throw thrown;
    return [];
  }
}
