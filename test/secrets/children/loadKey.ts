/**
 * Loads the master key with the real keychain and prints the result. Arguments: the home, the mode, and how many times
 * faster than real time its clock runs. A helper on a busy machine may need more than the limit, so a test that waits for the limit
 * uses less than 1.
 */
import { writeSync } from 'node:fs';
import { systemClock } from '../../../src/base/clock.ts';
import { messageOf, RelayError } from '../../../src/domain/errors.ts';
import { loadMasterKey } from '../../../src/secrets/masterKey.ts';

const [home = '', mode = 'auto', speed = '1'] = process.argv.slice(2);
const clock = {
  ...systemClock,
  sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms / Number(speed), signal),
};

loadMasterKey({ home, mode: mode as 'auto' | 'os' | 'file', allowCreate: true, clock }).then(
  ({ key, ...rest }) => writeSync(1, JSON.stringify({ key: key.toString('hex'), ...rest })),
  (error: unknown) =>
    writeSync(
      1,
      JSON.stringify({ code: error instanceof RelayError && error.code, message: messageOf(error) }),
    ),
);
