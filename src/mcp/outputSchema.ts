/**
 * The output schemas in `tools/list`, with only the names and types that a model or a client needs. Pure.
 */
import * as z from 'zod';
import type { Tool } from '../tools/tool.ts';
import type { ObjectSchema } from './hostSchema.ts';

type JsonSchema = Record<string, unknown>;

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

function schemaOf(schema: z.ZodObject): JsonSchema {
  return z.toJSONSchema(schema, { io: 'output', target: 'draft-2020-12', reused: 'inline' }) as JsonSchema;
}

/**
 * Reduces a schema to types and members. A value that may be null gets no type: several clients take only one type per value.
 */
function outlineOf(schema: JsonSchema): JsonSchema {
  const { type, properties, items, anyOf } = schema;
  const forms = Array.isArray(anyOf) ? (anyOf as JsonSchema[]).filter((form) => form.type !== 'null') : [];
  const [only] = forms;
  if (only && forms.length === 1) return withoutType(outlineOf(only));
  if (typeof type !== 'string') return {};
  if (type === 'object' && properties) return { type, properties: mapped(properties as Members, outlineOf) };
  if (type === 'array' && typeof items === 'object') return { type, items: outlineOf(items as JsonSchema) };
  return { type: type === 'integer' ? 'number' : type };
}

function withoutType({ type: _, ...rest }: JsonSchema): JsonSchema {
  return rest;
}

type Members = Record<string, JsonSchema>;

/**
 * `form` with its own members, or with the members of both forms if `every` is true. Where the two forms declare different
 * types, the type is left out.
 */
function agreed(form: JsonSchema, other: JsonSchema | undefined, every: boolean): JsonSchema {
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
    return { ...form, items: agreed(form.items as JsonSchema, other.items as JsonSchema, every) };
  }
  return form;
}

function mapped(members: Members, of: (member: JsonSchema, name: string) => JsonSchema): Members {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, of(member, name)]));
}
