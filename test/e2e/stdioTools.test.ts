/** `relay stdio` offers the tools of the home, limited by its own options and environment. Other clients are not affected. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryHome } from '../support/cli.ts';
import { rawStdio } from '../support/stdio.ts';
import { ENCRYPTION_KEY } from '../support/world.ts';

test('an invalid setting in the environment is reported to the client, and no tools are offered', async (t) => {
  const env = {
    RELAY_HOME: temporaryHome(t),
    RELAY_ENCRYPTION_KEY: ENCRYPTION_KEY,
    RELAY_PORT: '0',
    RELAY_ACCESS: 'perhaps',
    PATH: '',
  };
  const stdio = rawStdio(t, { env });
  const { error } = await stdio.ask('tools/list');
  assert.match((error as { message: string }).message, /RELAY_ACCESS in the environment must be/);
  assert.equal(await stdio.close(), 0);
});
