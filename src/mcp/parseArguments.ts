/** Checks a call's arguments, with messages from which a model can correct them at once. Pure. */
import * as z from 'zod';
import { RelayError } from '../domain/errors.ts';
import type { Tool } from '../tools/tool.ts';

/**
 * The parsed arguments. null for an optional one means that it is left out.
 * @param args as the client sent them: zod, in the SDK too, ignores a key called `__proto__`
 * @throws RelayError `INVALID_ARGUMENT` naming every argument that is wrong; nothing has been sent anywhere by then
 */
export function parseArguments(tool: Tool, args: unknown): unknown {
  const own = languageName(args);
  if (own !== null) throw refusal(tool, [`Unknown argument "${own}".`]);
  const parsed = tool.input.safeParse(withoutNulls(tool.input, args ?? {}), { reportInput: true });
  if (parsed.success) return parsed.data;
  throw refusal(tool, parsed.error.issues.map(describe));
}

/** Keys by which a value of a client could reach the prototype of our objects (prototype pollution). No tool has them. */
const LANGUAGE_NAMES = ['__proto__', 'constructor', 'prototype'];

/** The path of the first such key, outermost first; null without one. No recursion: the value may be nested deeply. */
function languageName(args: unknown): string | null {
  const open: Place[] = [{ value: args, at: null, step: '' }];
  for (const place of open) {
    const { value } = place;
    if (typeof value !== 'object' || value === null) continue;
    const found = LANGUAGE_NAMES.find((name) => Object.hasOwn(value, name));
    if (found !== undefined) return pathText([...pathOf(place), found]);
    for (const [step, inner] of Object.entries(value)) {
      if (typeof inner !== 'object' || inner === null) continue;
      open.push({ value: inner, at: place, step: Array.isArray(value) ? Number(step) : step });
    }
  }
  return null;
}

/** A value within the arguments and its parent; only the path of a key that is refused is ever spelled out. */
interface Place {
  value: unknown;
  at: Place | null;
  step: string | number;
}

function pathOf(place: Place): Array<string | number> {
  const path: Array<string | number> = [];
  for (let here = place; here.at !== null; here = here.at) path.push(here.step);
  path.reverse();
  return path.length <= 20 ? path : ['…', ...path.slice(-5)];
}

function refusal(tool: Tool, problems: readonly string[]): RelayError {
  const accepted = Object.keys(tool.input.shape);
  return new RelayError('INVALID_ARGUMENT', problems.join(' '), {
    remedy:
      accepted.length > 0
        ? `${tool.name} takes: ${accepted.join(', ')}.`
        : `${tool.name} takes no arguments.`,
  });
}

function describe(issue: z.core.$ZodIssue): string {
  const where = issue.path.length === 0 ? 'The arguments' : pathText(issue.path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return `Unknown argument${issue.keys.length > 1 ? 's' : ''} ${issue.keys.map((key) => `"${key}"`).join(', ')}.`;
    case 'custom':
      return `${where}: ${issue.message}`;
    case 'invalid_type':
      if (issue.input === undefined) return `${where} is missing.`;
      return `${where} must be ${typeName(issue.expected)}, not ${valueName(issue.input)}.`;
    case 'invalid_value':
      return `${where} must be one of ${issue.values.map(String).join(', ')}.`;
    case 'too_big':
      return `${where} ${amount('at most', issue.maximum, issue.origin)}.`;
    case 'too_small':
      return `${where} ${amount('at least', issue.minimum, issue.origin)}.`;
    case 'invalid_union':
      return describe(closestBranch(issue, where));
    default:
      return `${where}: ${issue.message.replace(/\.$/, '')}.`;
  }
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/** In a choice between forms, the problem with the form that the value comes closest to. */
function closestBranch(issue: z.core.$ZodIssueInvalidUnion, where: string): z.core.$ZodIssue {
  const branches = issue.errors.filter(
    (issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  const [closest] = branches.sort((a, b) => a.length - b.length);
  const [first] = closest ?? [];
  if (first) return { ...first, path: [...issue.path, ...first.path] };
  return {
    code: 'custom',
    path: [],
    message: `${where} is not in any of the accepted forms.`,
    input: issue.input,
  };
}

function amount(bound: 'at most' | 'at least', limit: number | bigint, origin: string): string {
  const plural = Number(limit) === 1 ? '' : 's';
  if (origin === 'string') return `must have ${bound} ${limit} character${plural}`;
  if (origin === 'array') return `must have ${bound} ${limit} entr${Number(limit) === 1 ? 'y' : 'ies'}`;
  return `must be ${bound} ${limit}`;
}

const TYPE_NAMES: Record<string, string> = {
  int: 'an integer',
  number: 'a number',
  string: 'a string',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
};

function typeName(type: string): string {
  return TYPE_NAMES[type] ?? type;
}

function valueName(value: unknown): string {
  if (value === null) return 'null';
  return typeName(Array.isArray(value) ? 'array' : typeof value);
}

/** `value` without the nulls that stand for something left out; null for a required or an unknown key stays. */
function withoutNulls(schema: z.core.$ZodType, value: unknown): unknown {
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((entry) => withoutNulls(inner.element, entry));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const shapes = shapesOf(inner);
  const shape = shapeFor(shapes, value);
  if (!shape) return value;
  const entries = Object.entries(value).flatMap(([key, part]) => {
    const field = fieldOf(shape, key);
    // A field of another form that this value is not in.
    if (part === null && !field && shapes.some((other) => fieldOf(other, key))) return [];
    if (part === null && field && field._zod.optin !== undefined) return [];
    return [[key, field ? withoutNulls(field, part) : part]];
  });
  return Object.fromEntries(entries);
}

function fieldOf(shape: z.core.$ZodShape, key: string): z.core.$ZodType | undefined {
  return Object.hasOwn(shape, key) ? shape[key] : undefined;
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrapped(schema.def.innerType);
  }
  return schema;
}

/** The fields of an object, or of each of the objects that a value may be. */
function shapesOf(schema: z.core.$ZodType): z.core.$ZodShape[] {
  if (schema instanceof z.ZodObject) return [schema.shape];
  return schema instanceof z.ZodUnion ? schema.options.flatMap(shapesOf) : [];
}

/** The only shape; of several the first that knows everything that is not null. */
function shapeFor(shapes: readonly z.core.$ZodShape[], value: object): z.core.$ZodShape | undefined {
  if (shapes.length === 1) return shapes[0];
  const given = Object.entries(value).flatMap(([key, part]) => (part === null ? [] : [key]));
  return shapes.find((shape) => given.every((key) => Object.hasOwn(shape, key)));
}
