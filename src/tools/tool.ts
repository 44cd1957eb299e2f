/**
 * Tools. Each is one object: name, words for the model, schemas, and a handler that returns data. `mcp/runTool.ts` does what
 * all tools share (checking, errors, progress, deadlines, logging), so a handler has no try/catch.
 */
import * as z from 'zod';
import type { Call } from '../provider/api.ts';
import type { Rows } from './answer/fit.ts';
import type { LeanForm } from './answer/lean.ts';
import { withIds } from './givenNames.ts';
import type { Services } from './services.ts';

export type { Services };

/** `destructive` can remove something; `write` only adds, changes or plays. */
type ToolKind = 'read' | 'write' | 'destructive';

export interface ToolDefinition<I extends z.ZodObject, O extends z.ZodObject> {
  name: string;
  title: string;
  /**
   * For a model that has never seen the program: first what the tool does, with a verb in the third person; then what to know
   * before calling it. One to three sentences, at most 320 characters.
   */
  description: string;
  kind: ToolKind;
  /** True if two calls have the same effect as one. By default true for reads and false for all others. */
  idempotent?: boolean;
  /** True (the default) if the tool talks to Spotify; false if it only reads relay's own state. */
  openWorld?: boolean;
  /** True for a read that changes what relay remembers. Read-only clients do not get it. */
  changesMemory?: boolean;
  input: I;
  /** The full form of a result. */
  output: O;
  /** The lean form, if it differs; the tool then takes `detail`. */
  lean?: LeanForm<z.output<O>>;
  /** Which form is the default; `full` for tools that return one item. */
  detail?: Detail;
  /** The list to cut if the answer would be too long. By default `items`, if the answer has `next_offset`. */
  rows?: RowsOf;
  handle(services: Services, args: z.output<I>, call: Call): Promise<z.input<O>>;
}

type Detail = 'lean' | 'full';

/** The offset comes from the argument `offset`, the places from the result (`Page`). */
type RowsOf = Omit<Rows, 'offset' | 'places'>;

type Hidden = ToolDefinition<z.ZodObject, z.ZodObject>;

/** A tool with its argument and result types hidden, so that all fit one list. */
export interface Tool extends Readonly<Required<Omit<Hidden, 'lean' | 'rows' | 'handle'>>> {
  readonly lean: LeanForm<unknown> | null;
  readonly rows: RowsOf | null;
  handle(services: Services, args: unknown, call: Call): Promise<Record<string, unknown>>;
}

const defined = new WeakSet<object>();

/** Tells a tool from the other exports of a file. */
export function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && defined.has(value);
}

export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(
  definition: ToolDefinition<I, O>,
): Tool {
  const { lean = null, detail = 'lean' } = definition;
  const rows = definition.rows ?? ('next_offset' in definition.output.shape ? { key: 'items' } : null);
  const forms = z.enum(['lean', 'full']).default(detail);
  const input = lean ? definition.input.extend({ detail: forms }) : definition.input;
  const tool: Tool = {
    ...definition,
    lean: lean as LeanForm<unknown> | null,
    detail,
    rows,
    idempotent: definition.idempotent ?? definition.kind === 'read',
    openWorld: definition.openWorld ?? true,
    changesMemory: definition.changesMemory ?? false,
    input: input.strict(),
    handle: async (services, args, call) =>
      definition.handle(services, await withIds(services, args as z.output<I>, call), call),
  };
  defined.add(tool);
  return tool;
}
