/** Builds the services that the tools use, such as works and kept playlists, from an open core. */

import { createPlaylistRows } from '../provider/resources/playlistRows.ts';
import type { Services } from '../tools/tool.ts';
import { createKeeps, type Keeps } from '../work/keeps/keeps.ts';
import { createResolver } from '../work/resolve/resolver.ts';
import { createWorks } from '../work/works.ts';
import { ownWritesTo } from '../work/write/times.ts';
import { createWrites } from '../work/write/writes.ts';
import type { Core } from './core.ts';

/** What adding a kept playlist says in a server that ends when nobody uses it. */
const ENDS =
  'An AI client started relay, which ends ten minutes after the last client. Runs that fall due meanwhile are made once, at the next start. To have them on time: relay service install.';

function endingKeeps(keeps: Keeps): Keeps {
  return {
    ...keeps,
    async add(asked, call) {
      const answer = await keeps.add(asked, call);
      return asked.dryRun ? answer : { ...answer, warning: [answer.warning, ENDS].filter(Boolean).join(' ') };
    },
  };
}

/** Jobs and kept playlists do nothing until they are started. @param endsUnused true for a server that an AI client started */
export function createServices(core: Core, endsUnused: boolean): Services {
  const { provider, store, clock, random, log } = core;
  const rows = createPlaylistRows(provider, clock, (id) => ownWritesTo({ provider, store }, id));
  const { library } = core;
  const resolver = createResolver(provider, store, clock, (query) => library.savedLike(query));
  const writes = createWrites({ provider, rows, store, clock, random, log });
  const works = createWorks({ writes, provider, rows, resolver, store, clock, random, log });
  const kept = createKeeps({ provider, rows, writes, works, library, store, clock, random, log });
  const keeps = endsUnused ? endingKeeps(kept) : kept;
  core.onConnected(() => {
    works.loggedIn();
    library.loggedIn();
    keeps.loggedIn();
  });
  const [now, monotonic] = [clock.now(), clock.monotonic()];
  // The wall clock may be set back, and the monotonic clock may stand still while the computer sleeps.
  const uptimeMs = () => Math.max(clock.now() - now, clock.monotonic() - monotonic);
  return { provider, rows, resolver, writes, works, keeps, library, store, clock, uptimeMs };
}
