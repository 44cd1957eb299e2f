/** Waits of the system's clock. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { systemClock } from '../../src/base/clock.ts';

test('a wait that is already over ends at once, and Node warns of nothing', async (t) => {
  const warned: string[] = [];
  const hear = ({ message }: Error) => void warned.push(message);
  process.on('warning', hear);
  t.after(() => process.off('warning', hear));
  await systemClock.sleep(-0.001);
  await setImmediate();
  assert.deepEqual(warned, []);
});

test('an aborted wait rejects with the reason of its signal', async () => {
  const stop = new AbortController();
  const waiting = systemClock.sleep(60_000, stop.signal);
  stop.abort('enough');
  await assert.rejects(waiting, (reason) => reason === 'enough');
  await assert.rejects(systemClock.sleep(60_000, stop.signal), (reason) => reason === 'enough');
});
