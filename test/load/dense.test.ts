import { longTest } from '../support/scale.ts';
import { SEED } from './model/crew.ts';
import { withCrew } from './model/withCrew.ts';

/** Milliseconds of real time that the clients work. The test's clock runs ten times as fast. */
const WORK_MS = Number(process.env.RELAY_TEST_SECONDS ?? 6) * 1_000;

longTest('two clients while one request in five goes wrong', async (t) => {
  t.diagnostic(`RELAY_TEST_SEED=${SEED}`);
  const report = await withCrew({ clients: 2, share: 0.2 }, (crew) => crew.work(WORK_MS));
  t.diagnostic(JSON.stringify(report));
});
