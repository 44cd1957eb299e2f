import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Command } from 'commander';
import { createProgram } from '../../src/cli/program.ts';
import { systemWorld } from '../../src/cli/world.ts';
import { withDesk } from '../support/program.ts';

test('the help of every command leaves no trace on a machine where relay never ran', async () => {
  const { program } = createProgram(systemWorld(new AbortController().signal), () => {});
  await withDesk({}, async (desk) => {
    const home = join(desk.home, 'nobody');
    const env = { HOME: home, RELAY_HOME: join(home, 'relay'), XDG_CONFIG_HOME: join(home, 'config') };
    for (const names of pathsBelow(program, [])) {
      const { code, out, err } = await desk.relay([...names, '--help'], { env });
      assert.deepEqual([code, err], [0, ''], names.join(' '));
      assert.match(out, /^Usage: relay/);
    }
    for (const args of [['--version'], ['serve', '--help'], ['completion', 'bash']]) {
      assert.equal((await desk.start(args, env).ended).code, 0);
    }
    assert.equal(existsSync(home), false);
  });
});

function pathsBelow(command: Command, path: string[]): string[][] {
  return [path, ...command.commands.flatMap((child) => pathsBelow(child, [...path, child.name()]))];
}
