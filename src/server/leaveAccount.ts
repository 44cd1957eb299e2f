/** Disconnects the account: removes the login and the copy of the library, or on request everything about the account. */
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { NEVER } from '../base/abort.ts';
import { isEnded } from '../domain/job.ts';
import type { LogoutAnswer } from '../domain/localApi.ts';
import { forgetNames } from '../provider/knownNames.ts';
import { eraseAccountData } from '../store/tables/account.ts';
import type { Works } from '../work/works.ts';
import type { Core } from './core.ts';

/** Maximum number of jobs to read, more than a home can hold. */
const ALL_JOBS = 10_000;

/**
 * @param jobs null if no job can be under way
 * @param erase true to forget remembered matches, jobs, changes, kept playlists, versions and plays as well
 */
export async function leaveAccount(core: Core, jobs: Works | null, erase: boolean): Promise<LogoutAnswer> {
  const account = await core.account.disconnect();
  const libraryDeleted = await core.library.accountLeft(erase);
  if (erase) {
    for (const { job_id, status } of jobs?.list(0, ALL_JOBS).items ?? []) {
      // No job may write while it is being forgotten.
      if (!isEnded(status)) await jobs?.cancel(job_id, NEVER).catch(() => {});
    }
    await core.store.durable(() => eraseAccountData(core.store));
    // A name that this process had noted would not be kept again.
    forgetNames(core.provider);
  }
  if (account !== null || erase) {
    // Deleted rows, such as the sealed tokens, stay in the file until something else is written over them.
    core.store.run('vacuum');
    await core.store.saveNow();
  }
  const keptFiles = erase ? await keptFilesOf(core) : [];
  return {
    wasConnected: account !== null,
    name: account?.displayName ?? null,
    libraryDeleted,
    ...(keptFiles.length === 0 ? {} : { keptFiles }),
  };
}

/** The files that a restore, a start over or a repair has put aside. */
async function keptFilesOf({ settings, store }: Core): Promise<string[]> {
  const found: string[] = [];
  // The state may be a link; then the files are beside the file that it leads to.
  for (const path of [
    ...['memory.db', 'plays.db'].map((name) => join(settings.home, name)),
    store.state().path,
  ]) {
    const [folder, start] = [dirname(path), `${basename(path)}.`];
    for (const name of await readdir(folder).catch(() => [])) {
      const isKept = name.startsWith(start) && /^(?:before-\w+|damaged)-/.test(name.slice(start.length));
      if (isKept) found.push(join(folder, name));
    }
  }
  return found.sort();
}
