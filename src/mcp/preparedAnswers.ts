/**
 * Answers that are the same each time, made once for each selection of tools and revision: that to `tools/list`, since making
 * it costs a hundred times what sending it does, and that to `initialize`, for which each client waits at its start. The SDK
 * makes the text: it is asked once, with an ID that stands in for the client's.
 */
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import type { CommonForm } from './commonForm.ts';
import type { WholeAnswer } from './directAnswer.ts';
import type { Offer } from './offers.ts';

/** The answer around the ID. */
interface Template {
  headers: Record<string, string>;
  before: Buffer;
  after: string;
}

export interface PreparedAnswers {
  /** At once where it has been made. Null: the SDK must answer. */
  answer(form: PreparedForm, offer: Offer): Later<WholeAnswer | null>;
}

/** No client's ID can be cut out of the answer by mistake, since the SDK is asked with this one alone. */
const STAND_IN = 'relay-prepared-answer';
/** Of one selection of tools: its lists, and the forms in which a few clients introduce themselves. */
const MAX_KEPT = 32;

/** @param ask how the SDK answers a request with this selection */
export function createPreparedAnswers(
  ask: (request: Request, body: unknown, offer: Offer) => Promise<Response>,
): PreparedAnswers {
  const made = new WeakMap<Offer, Map<string, Later<Template | null>>>();

  function templateOf(offer: Offer, form: PreparedForm): Later<Template | null> {
    const ofOffer = made.get(offer) ?? new Map<string, Later<Template | null>>();
    // The revision tells the era. A common form names none but those that the SDK knows.
    const key = [form.method, form.version ?? '', form.params ?? ''].join('\n');
    const known = ofOffer.get(key);
    if (known !== undefined) return known;
    made.set(offer, ofOffer);
    for (const oldest of ofOffer.keys()) if (ofOffer.size >= MAX_KEPT) ofOffer.delete(oldest);
    const template = make(offer, form);
    ofOffer.set(key, template);
    void template.then(
      (ready) => ofOffer.set(key, ready),
      () => ofOffer.delete(key),
    );
    return template;
  }

  async function make(offer: Offer, form: PreparedForm): Promise<Template | null> {
    const { request, body } = standIn(form);
    const answer = await ask(request, body, offer);
    const [before, after, ...more] = (await answer.text()).split(JSON.stringify(STAND_IN));
    if (answer.status !== 200 || before === undefined || after === undefined || more.length > 0) return null;
    return {
      headers: Object.fromEntries(answer.headers),
      before: Buffer.from(before),
      after,
    };
  }

  return {
    answer(form, offer) {
      const template = templateOf(offer, form);
      if (template instanceof Promise) return template.then((ready) => filled(ready, form));
      return filled(template, form);
    },
  };
}

function filled(template: Template | null, { id }: PreparedForm): WholeAnswer | null {
  if (!template) return null;
  const { headers, before, after } = template;
  return { headers, parts: [before, JSON.stringify(id) + after] };
}

type Later<T> = T | Promise<T>;

type PreparedForm = Pick<CommonForm, 'era' | 'version' | 'id' | 'method' | 'params'>;

/** The same request with the stand-in for its ID. */
function standIn({ era, version, method, params }: PreparedForm): { request: Request; body: unknown } {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    ...(era === 'modern' ? { 'mcp-method': method } : {}),
  });
  const _meta = {
    [PROTOCOL_VERSION_META_KEY]: version,
    [CLIENT_INFO_META_KEY]: { name: 'relay', version: '0' },
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
  const body = {
    jsonrpc: '2.0',
    id: STAND_IN,
    method,
    ...(era === 'modern' ? { params: { _meta } } : {}),
    ...(params === undefined ? {} : { params: JSON.parse(params) as unknown }),
  };
  return { request: new Request('http://127.0.0.1/mcp', { method: 'POST', headers }), body };
}
