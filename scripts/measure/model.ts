/** Counts what a model reads and writes while it uses relay. */
import type { Client } from '@modelcontextprotocol/client';
import { toolEntry } from '../../src/mcp/surface.ts';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { tokensOf } from './tokens.ts';

export type Answer = Record<string, unknown>;

/** Plays a model: counts every call, with its arguments and the text of its answer. */
export interface Model {
  /** o200k tokens so far. */
  readonly tokens: number;
  readonly calls: number;
  /** @returns the structured content, with `error` if the tool failed */
  call(tool: string, args?: Record<string, unknown>): Promise<Answer>;
  /** True if this checkout has the tool and the tool takes the argument. So the same tasks also run in older checkouts. */
  offers(tool: string, argument?: string): boolean;
}

/** @param client connected to a relay that offers all tools */
export function createModel(client: Client): Model {
  const offered = new Map(ALL_TOOLS.map((tool) => [tool.name, toolEntry(tool).inputSchema]));
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
    offers(tool, argument) {
      const schema = offered.get(tool);
      return schema !== undefined && (argument === undefined || argument in (schema.properties as object));
    },
  };
}
