/** A client's file that an attacker prepared: relay refuses it in a bounded time, says why, and changes nothing. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { readClientFile, replaceClientFile } from '../../src/connect/clientFile.ts';
import { FileProblem } from '../../src/connect/fileText.ts';
import { merge } from '../../src/connect/merge.ts';
import { temporaryHome } from '../support/cli.ts';
import { processorMs } from '../support/processorTime.ts';
import { sized } from '../support/scale.ts';
import { JSON_ADDITION, TOML_ADDITION } from './additions.ts';

const onWindows = process.platform === 'win32' ? 'Windows has neither pipes in directories nor modes' : false;
const DEEP = 100_000;
const MAX_MS = 5_000;

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const withRelay = (entry: string) => `{"mcpServers":{"relay":${entry}}}`;
const twice = (last: string) => withRelay(`{"timeout":1,"timeout":${last}}`);

const JSON_FILES: Array<[what: string, text: string]> = [
  ['is nested too deeply', nested(DEEP)],
  ['is nested too deeply in the entry', withRelay(nested(DEEP))],
  ['has an infinite number twice', twice('1e999')],
  ['has a negative zero twice', twice('-0')],
  ['has a key a thousand times', withRelay(`{${'"timeout":1,'.repeat(1_000)}"timeout":2}`)],
];

for (const [what, text] of JSON_FILES) {
  test(`a JSON file that ${what} is refused in a bounded time`, () => {
    const before = process.cpuUsage();
    assert.throws(() => merge(text, JSON_ADDITION), FileProblem);
    assert.ok(processorMs(before) < MAX_MS);
  });
}

const TOML_FILES: Array<[what: string, text: string]> = [
  ['is nested too deeply', `a = ${'['.repeat(DEEP)}${']'.repeat(DEEP)}`],
  ['has a table of too many levels', `[${Array(DEEP).fill('a').join('.')}]`],
  ['has a long text', `a = """${'x\\n'.repeat(sized(2_000_000, 200_000))}"""`],
];

for (const [what, text] of TOML_FILES) {
  test(`a TOML file that ${what} is edited or refused in a bounded time`, () => {
    const before = process.cpuUsage();
    try {
      const merged = merge(`${text}\n[mcp_servers.relay]\nurl = "x"\n`, TOML_ADDITION);
      assert.ok(merged.startsWith(text));
    } catch (error) {
      assert.ok(error instanceof FileProblem, String(error));
    }
    assert.ok(processorMs(before) < MAX_MS);
  });
}

test('names such as __proto__ are treated like any other name', () => {
  const text = '{\n  "__proto__": {"mcpServers": {"relay": {"url": "evil"}}},\n  "constructor": 1\n}\n';
  const merged = merge(text, JSON_ADDITION);
  assert.ok(
    merged.startsWith('{\n  "__proto__": {"mcpServers": {"relay": {"url": "evil"}}},\n  "constructor": 1,'),
  );
  assert.equal(({} as Record<string, unknown>).mcpServers, undefined);
  const toml = '["__proto__".mcp_servers.relay]\nurl = "evil"\n';
  assert.ok(merge(toml, TOML_ADDITION).startsWith(toml));
  assert.equal(({} as Record<string, unknown>).mcp_servers, undefined);
});

test('a file too large to edit and a pipe are refused unread', { skip: onWindows }, async (context) => {
  const large = join(temporaryHome(context), 'mcp.json');
  writeFileSync(large, '{}');
  truncateSync(large, 100 * 1024 * 1024);
  await assert.rejects(readClientFile(large), { message: 'is 100 MiB, too large to edit safely' });
  const pipe = join(temporaryHome(context), 'mcp.json');
  execFileSync('mkfifo', [pipe]);
  await assert.rejects(readClientFile(pipe), { message: 'is not a regular file' });
  closeSync(openSync(pipe, constants.O_RDWR));
});

test('a new file is never writable for others, whatever the umask', { skip: onWindows }, async (context) => {
  const path = join(temporaryHome(context), 'mcp.json');
  const file = await readClientFile(path);
  const umask = process.umask(0);
  try {
    await replaceClientFile(file, { text: '{}', secret: false, now: 0 });
  } finally {
    process.umask(umask);
  }
  assert.equal(statSync(path).mode & 0o777, 0o644);
});
