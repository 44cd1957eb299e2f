/** Tells the files of a home from others. */
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { exists } from '../../base/files.ts';
import { isOwnName } from './home.ts';

/** True if `path` is where relay keeps a file of the home at `known`, of the demo's home, or of any home that was used. */
export async function isOwnFile(path: string, known: string): Promise<boolean> {
  const name = basename(path);
  if (!isOwnName(name) && name !== 'oauth-clients.json') return false;
  const home = await realpath(dirname(path));
  if ([known, join(known, 'demo'), dirname(known)].includes(home) && (await exists(join(home, 'relay.db'))))
    return true;
  // A directory of copies has neither a lock nor a log, even if the copy in it is called relay.db.
  return (await exists(join(home, 'relay.lock'))) || (await exists(join(home, 'relay.log')));
}
