/** Builds the services that the tools use, such as changes, jobs and kept playlists, from an open core. */
import { createChanges } from '../changes/changes.ts';
import { createJobs } from '../jobs/jobService.ts';
import { createKeeps } from '../jobs/keeps/keeps.ts';
import { createPlaylistRows } from '../provider/resources/playlistRows.ts';
import { createResolver } from '../resolve/resolver.ts';
import type { Services } from '../tools/tool.ts';
import type { Core } from './core.ts';

/** Creates the services; called once per process. Jobs and kept playlists do nothing until they are started. */
export function createServices(core: Core): Services {
  const { provider, store, clock, random, log } = core;
  const rows = createPlaylistRows(provider, clock);
  const { library } = core;
  const resolver = createResolver(provider, store, clock, (query) => library.savedLike(query));
  const changes = createChanges({ provider, rows, store, clock, random, log });
  const jobs = createJobs({ changes, provider, rows, resolver, store, clock, random, log });
  const keeps = createKeeps({ provider, rows, changes, jobs, library, store, clock, random, log });
  core.onConnected(() => {
    jobs.loggedIn();
    library.loggedIn();
    keeps.loggedIn();
  });
  const [now, monotonic] = [clock.now(), clock.monotonic()];
  // The wall clock may be set back, and the monotonic clock may stand still while the computer sleeps.
  const uptimeMs = () => Math.max(clock.now() - now, clock.monotonic() - monotonic);
  return { provider, rows, resolver, changes, jobs, keeps, library, store, clock, uptimeMs };
}
