/**
 * What `tools/list` sends, made once from the table of tools: converting 49 schemas takes longer than a whole call, so it
 * must never happen per request.
 */
import * as z from 'zod';
import { TOOL_ERROR_CODES } from '../domain/errors.ts';
import type { Tool } from '../tools/tool.ts';

type JsonSchema = Record<string, unknown> & { type: 'object' };

/** One entry of `tools/list`. */
export interface ToolEntry {
  [key: string]: unknown;
  name: string;
  title: string;
  description: string;
  inputSchema: JsonSchema;
  outputSchema: JsonSchema;
  annotations: {
    title: string;
    readOnlyHint: boolean;
    destructiveHint: boolean;
    idempotentHint: boolean;
    openWorldHint: boolean;
  };
}

const ErrorShape = z.object({
  error: z.object({
    code: z.enum(Object.keys(TOOL_ERROR_CODES) as [string, ...string[]]),
    message: z.string(),
    remedy: z.string().optional(),
    retryAfterSeconds: z.number().optional(),
    details: z.record(z.string(), z.unknown()).optional(),
  }),
});

export function toolEntry(tool: Tool): ToolEntry {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: inputSchema(tool.input),
    outputSchema: outputSchema(tool.output),
    annotations: {
      title: tool.title,
      readOnlyHint: tool.kind === 'read',
      destructiveHint: tool.kind === 'destructive',
      idempotentHint: tool.idempotent,
      openWorldHint: tool.openWorld,
    },
  };
}

function inputSchema(schema: z.ZodObject): JsonSchema {
  return plain(z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' }));
}

/**
 * A failed tool answers `{error}` in the same `structuredContent`, and the older SDK client checks that against the
 * output schema too: so the schema says "the result or an error". Further members are allowed, since a later version may
 * add some.
 */
function outputSchema(schema: z.ZodObject): JsonSchema {
  const success = plain(z.toJSONSchema(schema, { io: 'output', target: 'draft-2020-12', override: open }));
  const failure = plain(
    z.toJSONSchema(ErrorShape, { io: 'output', target: 'draft-2020-12', override: open }),
  );
  const required = (success.required as string[] | undefined) ?? [];
  delete success.required;
  return {
    ...success,
    properties: { ...(success.properties as object), ...(failure.properties as object) },
    anyOf: [{ required }, { required: ['error'] }],
  };
}

function open(context: { jsonSchema: Record<string, unknown> }): void {
  if (context.jsonSchema.additionalProperties === false) delete context.jsonSchema.additionalProperties;
}

function plain(schema: unknown): JsonSchema {
  return { ...(schema as Record<string, unknown>), type: 'object' };
}
