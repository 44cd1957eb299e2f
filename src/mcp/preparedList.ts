/**
 * The answer to `tools/list` made once for each selection of tools and revision, since making it costs a hundred times
 * what sending it does. The SDK makes the text: it is asked once, with an ID that stands in for the client's. A request that
 * is not exactly of the common form gets no prepared answer and takes the SDK's way, as every malformed one does.
 */
import type { IncomingHttpHeaders } from 'node:http';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import type { Offer } from './offers.ts';

/** An answer whose parts follow one another. */
export interface PreparedAnswer {
  headers: Record<string, string>;
  parts: [before: Buffer, id: Buffer, after: Buffer];
}

/** The answer around the ID. */
interface Template {
  headers: Record<string, string>;
  before: Buffer;
  after: Buffer;
}

export interface PreparedLists {
  /** Null: the SDK must answer. */
  answer(headers: IncomingHttpHeaders, body: unknown, offer: Offer): Promise<PreparedAnswer | null>;
}

/** No client's ID can be cut out of the answer by mistake, since the SDK is asked with this one alone. */
const STAND_IN = 'relay-prepared-list';
const METHOD = 'tools/list';
/** The one revision that the SDK serves without a handshake. */
const MODERN = '2026-07-28';

/** @param ask how the SDK answers a request with this selection */
export function createPreparedLists(
  ask: (request: Request, body: unknown, offer: Offer) => Promise<Response>,
): PreparedLists {
  const made = new WeakMap<Offer, Map<string, Promise<Template | null>>>();

  function templateOf(offer: Offer, form: ListForm): Promise<Template | null> {
    const ofOffer = made.get(offer) ?? new Map<string, Promise<Template | null>>();
    made.set(offer, ofOffer);
    const key = `${form.era} ${form.version ?? ''}`;
    const template = ofOffer.get(key) ?? make(offer, form);
    // At most as many as the SDK knows revisions, since `formOf` accepts no others.
    ofOffer.set(key, template);
    return template;
  }

  async function make(offer: Offer, form: ListForm): Promise<Template | null> {
    const { request, body } = standIn(form);
    const answer = await ask(request, body, offer);
    const [before, after, ...more] = (await answer.text()).split(JSON.stringify(STAND_IN));
    if (answer.status !== 200 || before === undefined || after === undefined || more.length > 0) return null;
    return {
      headers: Object.fromEntries(answer.headers),
      before: Buffer.from(before),
      after: Buffer.from(after),
    };
  }

  return {
    async answer(headers, body, offer) {
      const form = formOf(headers, body);
      const template = form && (await templateOf(offer, form));
      if (!template) return null;
      const { before, after } = template;
      return { headers: template.headers, parts: [before, Buffer.from(JSON.stringify(form.id)), after] };
    },
  };
}

interface ListForm {
  era: 'modern' | 'legacy';
  /** `MCP-Protocol-Version`. */
  version: string | undefined;
  id: string | number;
}

interface Message {
  id: string | number;
  method: string;
  params?: { _meta?: Record<string, unknown> };
}

/** What is asked for, or null for everything that is not the common form of `tools/list`. */
function formOf(headers: IncomingHttpHeaders, body: unknown): ListForm | null {
  if ((body as Partial<Message> | null | undefined)?.method !== METHOD || !acceptsBoth(headers)) return null;
  const [version, method, name] = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map(
    (key) => headers[key],
  );
  if (Array.isArray(version) || Array.isArray(method) || name !== undefined) return null;
  const route = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
  });
  const { id, params = {}, ...rest } = body as Message;
  if (Object.keys(rest).length !== 2) return null;
  if (route.kind === 'legacy' && route.reason === 'no-claim') {
    if (Object.keys(params).length > 0) return null;
    const isKnown = version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(version);
    return isKnown ? { era: 'legacy', version, id } : null;
  }
  if (route.kind !== 'modern' || version === undefined || method !== METHOD) return null;
  const { _meta = {}, ...others } = params;
  const isEnvelope = Object.keys(_meta).every((key) => ENVELOPE.has(key));
  if (!isEnvelope || Object.keys(others).length > 0) return null;
  return version === MODERN ? { era: 'modern', version, id } : null;
}

const ENVELOPE = new Set([PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY]);

function acceptsBoth({ accept }: IncomingHttpHeaders): boolean {
  return accept?.includes('application/json') === true && accept.includes('text/event-stream');
}

/** The same request with the stand-in for its ID. */
function standIn({ era, version }: ListForm): { request: Request; body: unknown } {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    ...(era === 'modern' ? { 'mcp-method': METHOD } : {}),
  });
  const _meta = {
    [PROTOCOL_VERSION_META_KEY]: version,
    [CLIENT_INFO_META_KEY]: { name: 'relay', version: '0' },
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
  const body = {
    jsonrpc: '2.0',
    id: STAND_IN,
    method: METHOD,
    ...(era === 'modern' ? { params: { _meta } } : {}),
  };
  return { request: new Request('http://127.0.0.1/mcp', { method: 'POST', headers }), body };
}
