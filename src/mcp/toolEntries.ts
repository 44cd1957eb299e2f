/**
 * The entries of `tools/list`, with JSON Schemas from the zod schemas of the tools. The build makes them (`scripts/generated.ts`): to
 * convert the schemas of all tools would take a quarter of the time until a client has its first answers. Arguments are described
 * with the few keywords that every host and every strict function-calling subset accepts (`README.md` beside this file): no union, no
 * list of types, no `default`, no bound. The server checks bounds and defaults itself, and the description says what a model must
 * know about them.
 */
import * as z from 'zod';
import { ALL_TOOLS } from '../tools/index.ts';
import type { Tool } from '../tools/tool.ts';

/** One entry of `tools/list`. */
export type ToolEntry = ReturnType<typeof makeEntry>;

/** The most used tools. Claude Code keeps these loaded and finds the others by searching (see its MCP documentation). */
const ALWAYS_LOADED: ReadonlySet<string> = new Set([
  'search_tracks',
  'get_my_playlists',
  'get_playlist_tracks',
  'create_playlist_from_tracks',
  'add_tracks_to_playlist',
  'get_currently_playing',
  'play',
]);

/** The entries of all tools, by name. */
export function toolEntries(): Record<string, ToolEntry> {
  return Object.fromEntries(ALL_TOOLS.map((tool) => [tool.name, makeEntry(tool)]));
}

function makeEntry(tool: Tool) {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: hostInputSchema(tool.input),
    outputSchema: outputSchemaOf(tool),
    annotations: {
      readOnlyHint: tool.kind === 'read',
      destructiveHint: tool.kind === 'destructive',
      idempotentHint: tool.idempotent,
      openWorldHint: tool.openWorld,
    },
    ...(ALWAYS_LOADED.has(tool.name) ? { _meta: { 'anthropic/alwaysLoad': true } } : {}),
  };
}

/** The schema of an object, as `tools/list` carries it. */
export type ObjectSchema = Record<string, unknown> & { type: 'object' };

type Node = Record<string, unknown>;

/** Descriptions leave out larger upper bounds, which only keep requests small. */
const LARGEST_BOUND_TOLD = 10_000;

/** The arguments of a tool. Fields marked `deprecated` are accepted but not shown. */
export function hostInputSchema(schema: z.ZodObject): ObjectSchema {
  return asObject(argument(z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' })));
}

function argument(given: Node): Node {
  const node = oneForm(given);
  const shown = Object.entries(recordOf(node.properties)).filter(([, field]) => !field.deprecated);
  const names = shown.map(([name]) => name);
  const required = listOf(node.required).filter((name) => names.includes(String(name)));
  return present({
    type: node.type,
    description: described(node),
    enum: typeof node.const === 'string' ? [node.const] : node.enum,
    properties: node.properties && Object.fromEntries(shown.map(([name, field]) => [name, argument(field)])),
    required: required.length > 0 ? required : undefined,
    items: node.items && argument(node.items as Node),
    additionalProperties: node.properties ? false : undefined,
  });
}

/** Reduces a union to the one form that hosts are sent: the object among its forms, else the first. */
function oneForm(node: Node): Node {
  const forms = formsOf(node).filter(({ type }) => type !== 'null');
  const form = forms.find(({ type }) => type === 'object') ?? forms[0];
  if (!form) return node;
  return oneForm({ ...form, description: node.description ?? form.description, default: node.default });
}

/** The description with the range and the default, unless it states them already. */
function described(node: Node): string | undefined {
  const own = typeof node.description === 'string' ? node.description : '';
  const notes = [rangeOf(node, own), defaultOf(node, own)].filter((note) => note !== undefined);
  if (notes.length === 0) return own || undefined;
  return own === '' ? notes.join(', ') : `${own} (${notes.join(', ')})`;
}

function rangeOf({ minimum, maximum, maxItems, items }: Node, told: string): string | undefined {
  const most = [maximum, maxItems].find(isTold);
  if (most === undefined || recordOf(items).enum) return undefined;
  const alsoWritten = most.toLocaleString('en-US');
  if (told.includes(String(most)) || told.includes(alsoWritten)) return undefined;
  return most === maximum ? `${minimum ?? 0} to ${most}` : `at most ${most}`;
}

function isTold(bound: unknown): bound is number {
  return typeof bound === 'number' && bound <= LARGEST_BOUND_TOLD;
}

/** `false` and 0 are not mentioned, since they mean that nothing special is done. */
function defaultOf({ default: value }: Node, told: string): string | undefined {
  if (/\b(omitted|default)\b/.test(told)) return undefined;
  const isPlain = typeof value === 'string' || typeof value === 'number' || value === true;
  return isPlain && value !== 0 ? `default ${value}` : undefined;
}

/** The branches of a union, which may be written as a list of types. */
function formsOf({ anyOf, oneOf, ...node }: Node): Node[] {
  const named = listOf(node.type).map((type) => ({ ...node, type }));
  return [...named, ...[anyOf, oneOf].flatMap((forms) => listOf(forms) as Node[])];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function recordOf(value: unknown): Record<string, Node> {
  return (value ?? {}) as Record<string, Node>;
}

function present(node: Node): Node {
  return Object.fromEntries(Object.entries(node).filter(([, value]) => value !== undefined));
}

/** The root always has `properties`, even if empty, since clients refuse a root without it. */
function asObject(node: Node): ObjectSchema {
  return { type: 'object', ...node, properties: node.properties ?? {} } as ObjectSchema;
}

/**
 * One schema for both forms of a result, lean and full, and for a failure, which is `{error}` in the same `structuredContent`.
 * Common clients check all three against it. So nothing is required, further members are allowed, and a type is declared only if
 * both forms have it.
 */
export function outputSchemaOf({
  output,
  lean,
  detail,
}: Pick<Tool, 'output' | 'lean' | 'detail'>): ObjectSchema {
  const full = outlineOf(schemaOf(output));
  const standard = lean ? agreed(outlineOf(schemaOf(lean.schema)), full, detail === 'full') : full;
  const properties = { ...(standard.properties as object), error: { type: 'object' } };
  return { type: 'object', properties };
}

function schemaOf(schema: z.ZodObject): Node {
  return z.toJSONSchema(schema, { io: 'output', target: 'draft-2020-12', reused: 'inline' }) as Node;
}

/**
 * Reduces a schema to types and members. A value that may be null gets no type: several clients take only one type per value.
 */
function outlineOf(schema: Node): Node {
  const { type, properties, items, anyOf } = schema;
  const forms = Array.isArray(anyOf) ? (anyOf as Node[]).filter((form) => form.type !== 'null') : [];
  const [only] = forms;
  if (only && forms.length === 1) return withoutType(outlineOf(only));
  if (typeof type !== 'string') return {};
  if (type === 'object' && properties) return { type, properties: mapped(properties as Members, outlineOf) };
  if (type === 'array' && typeof items === 'object') return { type, items: outlineOf(items as Node) };
  return { type: type === 'integer' ? 'number' : type };
}

function withoutType({ type: _, ...rest }: Node): Node {
  return rest;
}

type Members = Record<string, Node>;

/**
 * `form` with its own members, or with the members of both forms if `every` is true. Where the two forms declare different
 * types, the type is left out.
 */
function agreed(form: Node, other: Node | undefined, every: boolean): Node {
  if (other === undefined) return form;
  if (form.type !== other.type) {
    const bothHave = (key: 'properties' | 'items') => form[key] !== undefined && other[key] !== undefined;
    return bothHave('properties') || bothHave('items')
      ? agreed(withoutType(form), withoutType(other), every)
      : {};
  }
  if (form.properties && other.properties) {
    const [mine, theirs] = [form.properties as Members, other.properties as Members];
    const both = every ? { ...theirs, ...mine } : mine;
    return { ...form, properties: mapped(both, (member, name) => agreed(member, theirs[name], every)) };
  }
  if (form.items && other.items) {
    return { ...form, items: agreed(form.items as Node, other.items as Node, every) };
  }
  return form;
}

function mapped(members: Members, of: (member: Node, name: string) => Node): Members {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, of(member, name)]));
}
