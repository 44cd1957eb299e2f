/** An import that is killed leaves the plays as they were, and the next import completes it. */
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { withDesk } from '../../support/program.ts';
import { doorOf } from '../../support/world.ts';
import { extended, zipped } from './exports.ts';

const FIRST = { at: '2014-05-06T07:08:09Z', song: 3 };
const PLAYS = 20_000;

test('a server that is killed while it imports leaves the plays as they were, and the next import completes it', () =>
  withDesk({}, async ({ home, serve, relay }) => {
    const [first, second] = [join(home, 'first.zip'), join(home, 'second.zip')];
    await writeFile(first, zipped({ 'endsong_0.json': [extended(FIRST)] }));
    const start = Date.UTC(2020, 0, 1);
    const rows = Array.from({ length: PLAYS }, (_, at) =>
      extended({ at: `${new Date(start + at * 1_000).toISOString().slice(0, 19)}Z`, song: at % 500 }),
    );
    await writeFile(second, zipped({ 'endsong_0.json': rows }));
    const { server } = await serve();
    const imported = await relay(['import', first, '--json']);
    assert.equal(imported.code, 0, imported.err);
    const before = await readFile(join(home, 'plays.db'));
    const door = await doorOf(home);
    const { id } = await door.importPlays({ path: second });
    let progress = await door.playsProgress({ id });
    while (progress.state === 'reading' && progress.done === 0) progress = await door.playsProgress({ id });
    assert.notEqual(progress.state, 'done');
    await server.stop('SIGKILL');
    assert.deepEqual(await readFile(join(home, 'plays.db')), before);
    await serve();
    const { code, out, err } = await relay(['import', second, '--json']);
    assert.equal(code, 0, err);
    const { read, total } = JSON.parse(out).plays;
    assert.deepEqual([read, total], [PLAYS, PLAYS + 1]);
  }));
