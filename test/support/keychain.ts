/** A session bus with an unlocked Secret Service, as on a Linux desktop. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Why no session bus with a keychain can be started here; false if one can. On CI a missing program is a failure. */
export function withoutKeychain(): string | false {
  if (process.platform !== 'linux') return 'this test knows the keychain of Linux only';
  const missing = ['dbus-run-session', 'gnome-keyring-daemon'].filter(
    (program) => spawnSync(program, ['--version']).error !== undefined,
  );
  return missing.length > 0 && process.env.CI !== 'true' ? `not installed: ${missing.join(', ')}` : false;
}

/** Starts the keychain with the password in the file $1, prints the address of the bus, and ends both when stdin ends. */
const SESSION = `
  gnome-keyring-daemon --foreground --unlock --components=secrets < "$1" > /dev/null & keychain=$!
  trap 'kill $keychain' EXIT
  for turn in $(seq 200); do
    dbus-send --session --print-reply --dest=org.freedesktop.DBus / \\
      org.freedesktop.DBus.GetNameOwner string:org.freedesktop.secrets > /dev/null && break
    sleep 0.05
  done
  echo "$DBUS_SESSION_BUS_ADDRESS"
  cat > /dev/null
`;

/** @param work gets the environment for programs that use the keychain */
export async function withKeychain(work: (env: Record<string, string>) => Promise<void>): Promise<void> {
  const base = await mkdtemp(join(tmpdir(), 'relay-keychain-'));
  await mkdir(join(base, 'run'), { mode: 0o700 });
  await writeFile(join(base, 'password'), 'pw');
  const own = { HOME: base, XDG_DATA_HOME: join(base, 'data'), XDG_RUNTIME_DIR: join(base, 'run') };
  const session = spawn(
    'dbus-run-session',
    ['--', 'bash', '-c', SESSION, 'session', join(base, 'password')],
    { env: { ...process.env, ...own }, stdio: ['pipe', 'pipe', 'ignore'] },
  );
  const ended = new Promise((resolve) => session.once('close', resolve));
  try {
    const { value: address } = await createInterface({ input: session.stdout })
      [Symbol.asyncIterator]()
      .next();
    if (!address) throw new Error('the session did not start');
    await work({ ...own, DBUS_SESSION_BUS_ADDRESS: address });
  } finally {
    session.stdin.end();
    await ended;
    await rm(base, { recursive: true, force: true });
  }
}
