/**
 * `npm run bench [PART…]`: how fast relay answers, and how much memory it takes, beside references that run at the same time. It is
 * not a test. The parts are `speed` and `start`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_KEY, connectAccount } from '../test/support/world.ts';
import { rateOf } from './bench/load.ts';
import { median, type Program, startRelay, startServer } from './bench/program.ts';
import { start } from './bench/start.ts';

const PARTS: Record<string, () => Promise<void>> = { start: () => start(folder, print), speed };

const folder = mkdtempSync(join(tmpdir(), 'relay-bench-'));
const running: Program[] = [];
const wanted = process.argv.slice(2);
try {
  for (const [name, run] of Object.entries(PARTS))
    if (wanted.length === 0 || wanted.includes(name)) await run();
} finally {
  await Promise.all(running.map((program) => program.end()));
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${cpus().length} cores, ${cpus()[0]?.model}, Node ${process.version}`);

function print(what: string, value = '', compared = ''): void {
  console.log(`${what.padEnd(44)} ${value.padStart(8)}  ${compared}`);
}

/** Ends the program when the run is over. */
async function kept(starting: Promise<Program>): Promise<Program> {
  const program = await starting;
  running.push(program);
  return program;
}

/** Answers a second on sixteen connections, and on as many to a plain SDK server with the same tools. */
async function speed(): Promise<void> {
  const provider = await kept(startServer('provider'));
  const plain = await kept(startServer('plain', { BENCH_PROVIDER: JSON.stringify(provider) }));
  const relay = await kept(
    startRelay(join(folder, 'speed'), {
      PROVIDER_CLIENT_ID: provider.clientId ?? '',
      PROVIDER_API_URL: provider.baseUrl,
      PROVIDER_ACCOUNTS_URL: provider.accountsUrl ?? '',
    }),
  );
  await connectAccount(relay.baseUrl);
  const asks = {
    'tools/list': { method: 'tools/list' },
    'tools/call, no provider request': { method: 'tools/call', name: 'get_rate_limit_status' },
    'tools/call, one provider request': { method: 'tools/call', name: 'get_devices' },
  };
  for (const [what, ask] of Object.entries(asks)) {
    const rate = ({ baseUrl }: Program, ms: number) => {
      const url = new URL('/mcp', baseUrl);
      return rateOf(url, requestsOf(url, ask), { connections: 16, ms });
    };
    // V8 first compiles the code.
    for (const server of [relay, plain]) await rate(server, 1_000);
    const turns: Array<[relay: number, plain: number]> = [];
    for (let turn = 0; turn < 7; turn++) turns.push([await rate(relay, 300), await rate(plain, 300)]);
    const ratio = median(turns.map(([own, other]) => own / other));
    const second = Math.round(median(turns.map(([own]) => own)));
    print(`${what}, a second`, String(second), `${Number(ratio.toPrecision(2))} times a plain SDK server`);
  }
}

function requestsOf(url: URL, { method, name }: { method: string; name?: string }): Buffer[] {
  return Array.from({ length: 64 }, (_, id) => {
    const params = name === undefined ? {} : { name, arguments: {} };
    const body = JSON.stringify({ jsonrpc: '2.0', id, method, params });
    const head = [
      `POST ${url.pathname} HTTP/1.1`,
      `host: ${url.host}`,
      `authorization: Bearer ${API_KEY}`,
      'accept: application/json, text/event-stream',
      'content-type: application/json',
      'mcp-protocol-version: 2025-11-25',
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
  });
}
