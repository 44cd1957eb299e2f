/**
 * A stand-in for a client's model, on loopback: it calls one tool and repeats the result. It speaks four protocols:
 * Anthropic's messages, OpenAI's responses and chat completions, and Gemini's content. Its answers have only the parts that
 * clients read.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What the stand-in calls, and what it expects to receive. */
export interface Script {
  /** The tool's own name, to which clients add a prefix. */
  tool: string;
  arguments: Readonly<Record<string, unknown>>;
  /** Names of the tool's own arguments. Any others in the schema were added by the client. */
  takes: readonly string[];
  /** Values in the tool's answer, all of which the model has to receive. */
  answer: readonly string[];
  /** Part of a prompt's text, and the words that the person types after its name. */
  prompt: { text: string; words: string };
  /** Names of all tools. */
  tools: readonly string[];
}

/** What the stand-in has received from the client. */
export interface Received {
  /** The largest number of tools that one request listed. */
  tools: number;
  /** Arguments that the client has added to the tool's schema. The stand-in passes each of them. */
  added: string[];
}

export interface StandIn {
  url: string;
  /** Returns what came since the last time this was asked. */
  received(): Received;
  close(): void;
}

/** The model's turn: a tool call, or a text. */
type Turn = { call: Tool } | { say: string };

interface Tool {
  name: string;
  /** The group of the tool in OpenAI's responses, which may group the tools of a server. */
  namespace?: string;
  /** If this tool calls other tools: the name of the tool to call. */
  deferred?: string;
  /** The arguments, as the client describes them. */
  properties: Data;
}

type Data = Record<string, unknown>;

/** Returns the stand-in's text after a successful call, which the client prints. */
export function finalText(answer: string): string {
  return `The tool answered: ${answer}`;
}

/** The stand-in's text if the prompt came with all the words that the person typed. */
export const PROMPT_CAME = 'The prompt came with all its words.';

/** Starts the stand-in on a free port. */
export async function standIn(script: Script): Promise<StandIn> {
  let received: Received = { tools: 0, added: [] };
  const note = (tools: unknown) => {
    const listed = script.tools.filter((name) => findTool(tools, name) !== undefined).length;
    const own = Object.keys(findTool(tools, script.tool)?.properties ?? {});
    const added = own.filter((name) => !script.takes.includes(name));
    received = {
      tools: Math.max(received.tools, listed),
      added: [...new Set([...received.added, ...added])],
    };
  };
  const server = createServer((request, response) => {
    answer(script, note, request, response).catch((error) => response.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received() {
      const all = received;
      received = { tools: 0, added: [] };
      return all;
    },
    close,
  };
}

async function answer(
  script: Script,
  note: (tools: unknown) => void,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname;
  const sent = await text(request);
  const protocol = PROTOCOLS.find(({ path: own }) => own.test(path));
  if (request.method !== 'POST' || protocol === undefined) {
    response.writeHead(path.endsWith('/models') ? 200 : 404, { 'content-type': 'application/json' });
    response.end('{"object":"list","data":[]}');
    return;
  }
  const body = JSON.parse(sent) as Data;
  const streams = body.stream === true || path.includes(':stream');
  note(body.tools);
  const turn = nextTurn(script, body, sent);
  response.writeHead(200, { 'content-type': streams ? 'text/event-stream' : 'application/json' });
  if (!streams) response.end(JSON.stringify(protocol.whole(turn, script)));
  else response.end(protocol.events(turn, script).map(eventText).join(''));
}

/** Repeats the tool's answer once the client has sent it. A request without tools gets a short text. */
function nextTurn({ tool, answer: wanted, prompt }: Script, body: Data, sent: string): Turn {
  // Undoes any number of levels of quoting.
  const plain = sent.replaceAll('\\', '');
  if (wanted.every((value) => plain.includes(value))) return { say: finalText(wanted[0] ?? '') };
  if (plain.includes(prompt.text)) {
    return { say: plain.includes(prompt.words) ? PROMPT_CAME : 'The prompt came without its words.' };
  }
  const found = findTool(body.tools, tool) ?? deferredTool(body.tools, tool, sent);
  // A client that never passes on the tool's answer would be asked to call the tool again and again.
  const isRepeated = sent.split(CALL).length > 3;
  return found === undefined || isRepeated ? { say: `There is no ${tool} that answers.` } : { call: found };
}

function findTool(value: unknown, tool: string, namespace?: string): Tool | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, type, parameters, input_schema, parametersJsonSchema, ...rest } = value as Data;
  if (typeof name === 'string' && name.endsWith(tool)) {
    const schema = (parameters ?? input_schema ?? parametersJsonSchema ?? {}) as { properties?: Data };
    return { name, properties: schema.properties ?? {}, ...(namespace ? { namespace } : {}) };
  }
  const inside = type === 'namespace' ? String(name) : namespace;
  for (const part of Object.values(rest)) {
    const found = findTool(part, tool, inside);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the arguments of the call, including those that the client has added. */
function inputOf({ properties }: Tool, { arguments: own, takes }: Script): Data {
  const added = Object.entries(properties).filter(([name]) => !takes.includes(name));
  const values = added.map(([name, schema]) => [name, valueFor((schema as { type?: unknown }).type)]);
  return { ...own, ...Object.fromEntries(values) };
}

function valueFor(type: unknown): unknown {
  if (type === 'boolean') return false;
  return type === 'number' || type === 'integer' ? 0 : 'x';
}

/** Qwen Code lists most tools by name only, and has one tool that calls them. */
function deferredTool(tools: unknown, tool: string, sent: string): Tool | undefined {
  const caller = findTool(tools, 'tool_call');
  const name = new RegExp(`mcp__[\\w-]*${tool}`).exec(sent)?.[0];
  return caller && name ? { ...caller, deferred: name } : undefined;
}

interface Protocol {
  path: RegExp;
  whole(turn: Turn, script: Script): Data;
  events(turn: Turn, script: Script): Data[];
}

/** The ID of every call. A conversation has it once in the call and once in the result. */
const CALL = 'call_relay';

const anthropic: Protocol = {
  path: /\/messages$/,
  whole: (turn, script) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'stand-in',
    content: [
      'say' in turn
        ? { type: 'text', text: turn.say }
        : { type: 'tool_use', id: `toolu_${CALL}`, name: turn.call.name, input: inputOf(turn.call, script) },
    ],
    stop_reason: 'say' in turn ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
  events(turn, script) {
    const { content, stop_reason, stop_sequence, usage, ...message } = anthropic.whole(turn, script);
    const [block] = content as Data[];
    const empty = 'say' in turn ? { ...block, text: '' } : { ...block, input: {} };
    const delta =
      'say' in turn
        ? { type: 'text_delta', text: turn.say }
        : { type: 'input_json_delta', partial_json: JSON.stringify(inputOf(turn.call, script)) };
    const start = { ...message, content: [], stop_reason: null, stop_sequence, usage };
    return [
      { type: 'message_start', message: start },
      { type: 'content_block_start', index: 0, content_block: empty },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: { output_tokens: 1 } },
      { type: 'message_stop' },
    ];
  },
};

const responses: Protocol = {
  path: /\/responses$/,
  whole: (turn, script) => ({
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    output: [
      'say' in turn
        ? {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: turn.say, annotations: [] }],
          }
        : {
            type: 'function_call',
            id: 'fc_1',
            call_id: CALL,
            name: turn.call.name,
            ...(turn.call.namespace ? { namespace: turn.call.namespace } : {}),
            arguments: JSON.stringify(inputOf(turn.call, script)),
            status: 'completed',
          },
    ],
    usage: {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    },
  }),
  events(turn, script) {
    const response = responses.whole(turn, script);
    const [item] = response.output as Data[];
    return [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response },
    ];
  },
};

const chat: Protocol = {
  path: /\/chat\/completions$/,
  whole: (turn, script) => ({
    ...CHAT,
    object: 'chat.completion',
    choices: [{ index: 0, message: chatMessage(turn, script), finish_reason: chatEnd(turn) }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
  events(turn, script) {
    const chunk = (choice: Data) => ({
      ...CHAT,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, ...choice }],
    });
    return [
      chunk({ delta: chatMessage(turn, script), finish_reason: null }),
      {
        ...chunk({ delta: {}, finish_reason: chatEnd(turn) }),
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      },
    ];
  },
};

const CHAT = { id: 'chatcmpl-1', created: 1, model: 'stand-in' };

function chatMessage(turn: Turn, script: Script): Data {
  if ('say' in turn) return { role: 'assistant', content: turn.say };
  const { name, deferred } = turn.call;
  const own = inputOf(turn.call, script);
  const input = deferred === undefined ? own : { name: deferred, arguments: script.arguments };
  const call = { name, arguments: JSON.stringify(input) };
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: CALL, type: 'function', function: call }],
  };
}

function chatEnd(turn: Turn): string {
  return 'say' in turn ? 'stop' : 'tool_calls';
}

const gemini: Protocol = {
  path: /:(streamG|g)enerateContent$/,
  whole: (turn, script) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            'say' in turn
              ? { text: turn.say }
              : { functionCall: { id: CALL, name: turn.call.name, args: inputOf(turn.call, script) } },
          ],
        },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  }),
  events: (turn, script) => [gemini.whole(turn, script)],
};

const PROTOCOLS: readonly Protocol[] = [anthropic, responses, chat, gemini];

function eventText(event: Data): string {
  const name = typeof event.type === 'string' ? `event: ${event.type}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}
