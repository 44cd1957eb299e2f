/** Sends hundreds of strings that a stranger may choose through everything that shows foreign text. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { systemClock } from '../../src/base/clock.ts';
import { barText, jobTable, jobText } from '../../src/cli/jobs/jobText.ts';
import { readyText } from '../../src/cli/serve/serveCommand.ts';
import { shownReport, statusLines } from '../../src/cli/serve/statusCommand.ts';
import { cleanIo, type Io, note, printError, printJson, printLine } from '../../src/cli/terminal/output.ts';
import { tableLines } from '../../src/cli/terminal/table.ts';
import { widthOf } from '../../src/cli/terminal/textWidth.ts';
import { RelayError } from '../../src/domain/errors.ts';
import type { ItemRecord, JobRecord } from '../../src/domain/job.ts';
import { safeHeaders } from '../../src/server/http/context.ts';
import { relay } from '../support/cli.ts';
import { startFakeLocal } from '../support/fakeLocal.ts';
import { assertClean, hostileTexts } from '../support/hostileText.ts';
import { exampleJob, exampleReport } from '../support/reports.ts';

const NO_HOME = { home: undefined, platform: 'linux' } as const;
const VIEW = { named: NO_HOME, now: 0, names: new Map() };

const TEXTS = hostileTexts(400);
/** Maximum number of characters of a line that relay prints, however long a value in that line is. */
const LINE = 5_000;

function recorder(): { io: Io; out(): string; err(): string } {
  const written = { out: '', err: '' };
  const take = (stream: 'out' | 'err') => () => {
    const text = written[stream];
    written[stream] = '';
    return text;
  };
  const io = {
    out: (text: string) => {
      written.out += text;
    },
    err: (text: string) => {
      written.err += text;
    },
    redraw: () => {},
    stdin: process.stdin,
    terminal: { stdin: false, stdout: true, stderr: true },
    columns: 80,
  };
  return { io, out: take('out'), err: take('err') };
}

function assertLines(text: string, count: number, where: string): void {
  assertClean(text, where);
  assert.ok(text.endsWith('\n'), where);
  assert.equal(text.split('\n').length - 1, count, `${where} has lines of its own: ${JSON.stringify(text)}`);
}

const JOB = exampleJob({
  status: 'failed',
  total_items: 1,
  pending: 0,
  resolved: 0,
  ambiguous: 1,
  unmatched: 0,
});

const hostileJob = (text: string): JobRecord => ({
  ...JOB,
  reason: text as JobRecord['reason'],
  playlist_id: text,
  error: { code: text, message: text, remedy: text } as unknown as JobRecord['error'],
});

const hostileItem = (text: string): ItemRecord =>
  ({
    position: 0,
    status: 'ambiguous',
    input: { title: text, artist: text },
    candidates: [{ track: { name: text, artists: [{ name: text }] }, score: 0.3, reasons: [] }],
  }) as unknown as ItemRecord;

test('no foreign text forges anything in lines, notes, tables and errors', () => {
  const { io, out, err } = recorder();
  const context = { ...NO_HOME, io, env: { LOG_LEVEL: 'debug' }, clock: systemClock };
  for (const text of TEXTS) {
    printLine(io, `Connected as ${text} (id).`);
    assertLines(out(), 1, 'a line');
    note(io, `The login lacks: ${text}`);
    assertLines(err(), 1, 'a note');
    for (const line of tableLines(
      {
        rows: [
          [text, 'x'],
          ['y', text],
        ],
      },
      60,
    )) {
      assertClean(line, 'a table');
      assert.ok(!line.includes('\n'));
    }
    const error = new RelayError('NOT_FOUND', `There is no "${text}".`, { remedy: `Not ${text}.` });
    error.stack = `RelayError: ${error.message}\n    at run (file.ts:1:1)`;
    printError(context, error, false);
    assertLines(err(), 4, 'an error with its stack');
  }
});

test('the streams of commands let no control character but line ends through, and a redrawn line fits', () => {
  const { io, out, err } = recorder();
  const clean = cleanIo({ ...io, columns: 40 });
  for (const text of TEXTS) {
    clean.out(text);
    // CSV begins with a byte order mark.
    assertClean(out().replace(/^\ufeff/u, ''), 'stdout');
    clean.err(text);
    assertClean(err().replace(/^\ufeff/u, ''), 'stderr');
    clean.redraw(text);
    const redrawn = err();
    assert.ok(redrawn.startsWith('\r\u001b[K'));
    const line = redrawn.slice('\r\u001b[K'.length);
    assertClean(line, 'a redrawn line');
    assert.ok(!line.includes('\n') && widthOf(line) < 40, line);
  }
});

test('JSON is lossless, and one line', () => {
  const { io, out, err } = recorder();
  for (const text of TEXTS) {
    const value = { name: text, list: [text], [`key ${text}`]: { deep: text } };
    printJson(io, value);
    const line = out();
    assertLines(line, 1, 'a document');
    assert.deepEqual(JSON.parse(line), value);
    const error = new RelayError('NOT_FOUND', text, { remedy: text });
    printError({ ...NO_HOME, io, env: {}, clock: systemClock }, error, true);
    const failed = err();
    assertLines(failed, 1, 'an error');
    assert.deepEqual(JSON.parse(failed), { error: { code: 'NOT_FOUND', message: text, remedy: text } });
  }
});

test('no foreign text forges anything in status, jobs and the ready block', () => {
  const plain = readyText(readyFacts('name')).split('\n').length;
  const about = jobText(hostileJob('x'), [hostileItem('x')], LINE, VIEW).length;
  for (const text of TEXTS) {
    const ready = readyText(readyFacts(text));
    assertClean(ready, 'the ready block');
    assert.equal(ready.split('\n').length, plain);
    const entry = {
      part: 'account',
      state: 'ok',
      summary: `connected as ${text}`,
      remedy: { text },
    } as const;
    const status = statusLines(shownReport(exampleReport({ entries: [entry] }), NO_HOME), {
      unicode: true,
      columns: 80,
      now: 0,
    }).join('\n');
    assertClean(status, 'status');
    for (const line of status.split('\n').slice(1))
      assert.match(line, /^( {11}|$|Owner's page: http)/, 'no line of its own');
    const job = jobText(hostileJob(text), [hostileItem(text)], LINE, VIEW);
    for (const line of [
      ...job,
      ...tableLines(jobTable([hostileJob(text)], VIEW), 200),
      barText(hostileJob(text), true, VIEW),
    ]) {
      assertClean(line, 'a job');
      assert.ok(!line.includes('\n') && line.length < LINE, 'one line of a bounded length');
    }
    assert.equal(job.length, about, text);
  }
});

function readyFacts(name: string) {
  const account = { connected: true, name };
  const mcpUrl = 'http://127.0.0.1:4980/mcp';
  const more = { ownerCode: null, demoKey: null, demo: false, home: undefined };
  return { version: '1', mcpUrl, account, registrationOpen: true, platform: 'linux', ...more } as const;
}

test('no foreign text adds a header, or anything that is not visible ASCII to one', () => {
  for (const text of TEXTS) {
    const location = `http://127.0.0.1/?state=${text}`;
    for (const value of Object.values(safeHeaders({ location, 'x-name': text })))
      assert.match(value, /^[\x20-\x7e]*$/);
  }
});

const BATCH = 200;

test('call prints the whole answer of a tool, without its control characters', async (context) => {
  const texts = TEXTS.map((text) => text.replace(/\p{Cs}/gu, '?'));
  let at = 0;
  const answer = () => ({ texts: texts.slice(at, at + BATCH) });
  const mcp = () => {
    const server = new McpServer({ name: 'echo', version: '1' });
    const outputSchema = z.object({ texts: z.array(z.string()) });
    server.registerTool('names', { outputSchema }, async () => ({
      content: [],
      structuredContent: answer(),
    }));
    server.registerTool('words', {}, async () => ({
      content: [{ type: 'text', text: answer().texts.join('\n') }],
    }));
    server.registerTool('fail', {}, async () => {
      const [text = ''] = answer().texts;
      const structuredContent = { error: { code: text, message: text, remedy: text } };
      return { isError: true, content: [], structuredContent };
    });
    return server;
  };
  const { env } = await startFakeLocal(context, { mcp });
  for (; at < texts.length; at += BATCH) {
    assert.deepEqual(JSON.parse(clean(await relay(['call', 'names'], { env }))), answer());
    clean(await relay(['call', 'names'], { env, terminal: { stdout: true } }));
    clean(await relay(['call', 'words'], { env }));
    const failed = await relay(['call', 'fail'], { env });
    assertLines(failed.err, 2, 'a failed tool');
    assert.deepEqual([failed.out, failed.code], ['', 1]);
  }
});

function clean({ out, err }: { out: string; err: string }): string {
  assertClean(out + err, 'an output');
  return out;
}
