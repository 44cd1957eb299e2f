/** Requests per second of relay, a plain SDK server and a bare server, measured alternately under the same machine load. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { API_KEY } from '../../test/support/world.ts';
import { measure, type Requests } from './load.ts';
import { median } from './program.ts';
import { type Servers, withServers } from './servers.ts';

export interface Throughput {
  what: string;
  era: string;
  connections: number;
  /** Answers per second, the median of the turns. */
  relay: number;
  plain: number;
  bare: number;
  /**
   * relay's rate divided by the rate of the other server: the median of the turns. Within a turn the machine's load is similar.
   */
  toBare: number;
  toPlain: number;
}

interface Ask {
  what: string;
  method: string;
  name?: string;
}

const ASKS: readonly Ask[] = [
  { what: 'tools/list', method: 'tools/list' },
  { what: 'tools/call, no provider request', method: 'tools/call', name: 'get_rate_limit_status' },
  { what: 'tools/call, one provider request', method: 'tools/call', name: 'get_devices' },
];
const ERAS = ['2025-11-25', '2026-07-28'];
const CONNECTIONS = [1, 16];
const TURNS = 7;
const TURN_MS = 200;
/** Time to let V8 compile the code, the same for all servers. */
const WARM_UP_MS = 1_000;
const IDS = 64;

/** Takes about a minute and a half. */
export function throughput(): Promise<Throughput[]> {
  return withServers(async (servers) => {
    const rows: Throughput[] = [];
    for (const ask of ASKS) {
      for (const era of ERAS) {
        await prepareBare(servers, ask, era);
        for (const connections of CONNECTIONS) rows.push(await compare(servers, ask, era, connections));
      }
    }
    return rows;
  });
}

async function compare(servers: Servers, ask: Ask, era: string, connections: number): Promise<Throughput> {
  const names = ['relay', 'plain', 'bare'] as const;
  const rateOf = (name: (typeof names)[number], ms: number) =>
    measure(servers[name], requestsOf(servers[name], ask, era), connections, ms);
  for (const name of names) await rateOf(name, WARM_UP_MS);
  const turns: Array<Record<(typeof names)[number], number>> = [];
  while (turns.length < TURNS) {
    const turn = { relay: 0, plain: 0, bare: 0 };
    for (const name of names) turn[name] = await rateOf(name, TURN_MS);
    turns.push(turn);
  }
  const [relay, plain, bare] = names.map((name) => median(turns.map((turn) => turn[name]))) as Rates;
  const toBare = median(turns.map((turn) => turn.relay / turn.bare));
  const toPlain = median(turns.map((turn) => turn.relay / turn.plain));
  return { what: ask.what, era, connections, relay, plain, bare, toBare, toPlain };
}

type Rates = [relay: number, plain: number, bare: number];

/** Gets an answer from relay, and hands it to the bare server as the answer to send. */
async function prepareBare({ relay, bare }: Servers, ask: Ask, era: string): Promise<void> {
  const answer = await fetch(relay, {
    method: 'POST',
    headers: headersOf(ask, era),
    body: bodyOf(ask, era, 1),
  });
  const text = await answer.text();
  if (!answer.ok || text.includes('"isError":true')) throw new Error(`relay answers ${text.slice(0, 300)}`);
  const type = answer.headers.get('content-type') ?? '';
  await fetch(bare, { method: 'PUT', headers: { 'content-type': type }, body: text });
}

function requestsOf(url: URL, ask: Ask, era: string): Requests {
  return Array.from({ length: IDS }, (_, id) => {
    const body = Buffer.from(bodyOf(ask, era, id));
    const headers = { host: url.host, ...headersOf(ask, era), 'content-length': body.byteLength };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return Buffer.concat([Buffer.from(`POST ${url.pathname} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
  });
}

function headersOf({ method, name }: Ask, era: string): Record<string, string> {
  return {
    authorization: `Bearer ${API_KEY}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'user-agent': 'bench',
    'mcp-protocol-version': era,
    ...(isModern(era) ? { 'mcp-method': method, ...(name ? { 'mcp-name': name } : {}) } : {}),
  };
}

function bodyOf({ method, name }: Ask, era: string, id: number): string {
  const envelope = {
    [PROTOCOL_VERSION_META_KEY]: era,
    [CLIENT_INFO_META_KEY]: { name: 'bench', version: '1.0.0' },
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
  const params = { ...(name ? { name, arguments: {} } : {}), ...(isModern(era) ? { _meta: envelope } : {}) };
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

const isModern = (era: string) => era >= '2026';
