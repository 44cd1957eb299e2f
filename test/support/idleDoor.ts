/** A door behind which nothing is done, for tests that only need a server that can be found. It stays open. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = mkdtempSync(join(tmpdir(), 'relay-door-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Its address, for `server.json`. */
export const IDLE_DOOR = { socket: join(folder, 'relay.sock') };
createServer().listen(IDLE_DOOR.socket).unref();
