/** Counts what a model reads and writes while it uses relay. */
import type { Client } from '@modelcontextprotocol/client';
import { tokensOf } from './tokens.ts';

export type Answer = Record<string, unknown>;

/** Plays a model: counts every call, with its arguments and the text of its answer. */
export interface Model {
  /** o200k tokens so far. */
  readonly tokens: number;
  readonly calls: number;
  /** @returns the structured content, with `error` if the tool failed */
  call(tool: string, args?: Record<string, unknown>): Promise<Answer>;
}

/** @param client connected to a relay that offers all tools */
export function createModel(client: Client): Model {
  let tokens = 0;
  let calls = 0;
  return {
    get tokens() {
      return tokens;
    },
    get calls() {
      return calls;
    },
    async call(tool, args = {}) {
      const { content, structuredContent } = await client.callTool({ name: tool, arguments: args });
      const texts = (content as Array<{ text?: string }>).map(({ text = '' }) => text);
      tokens += tokensOf(args) + tokensOf(texts.join('\n'));
      calls += 1;
      return structuredContent as Answer;
    },
  };
}
