/** Checks a call's arguments. Pure. */
import * as z from 'zod';
import { isObject } from '../base/parsing.ts';
import type { Tool } from '../tools/tool.ts';
import { invalidArguments, pathText, unknownArgument, unwrapped } from './argumentProblems.ts';
import { withoutHostArguments } from './hostArguments.ts';
import { valueOfText } from './textValues.ts';

/**
 * Parses arguments. An optional argument that is null counts as left out. A number or a boolean may be sent as text. Arguments
 * that a host is known to add are dropped.
 * @param args as the client sent them, not as the SDK parsed them: zod ignores a key called `__proto__`
 * @throws RelayError `INVALID_ARGUMENT` naming the wrong arguments. For a refused name or a list that is too long, the error
 * names nothing else
 */
export function parseArguments(tool: Tool, args: unknown): Record<string, unknown> {
  requirePlainNames(tool, args);
  requireLengths(tool, args);
  const parsed = parse(tool, args);
  if (parsed.success) return parsed.data;
  throw invalidArguments(tool, parsed.error.issues);
}

/** The problems of arguments that have passed `requirePlainNames`. */
export function issuesOf(tool: Tool, args: unknown): z.core.$ZodIssue[] {
  return parse(tool, args).error?.issues ?? [];
}

function parse(tool: Tool, args: unknown) {
  const { input } = tool;
  return input.safeParse(asMeant(input, withoutHostArguments(tool, args ?? {})), { reportInput: true });
}

/** Refuses names that could change the prototype of our objects. @throws RelayError `INVALID_ARGUMENT` */
export function requirePlainNames(tool: Tool, args: unknown): void {
  const found = languageName(args);
  if (found !== null) throw unknownArgument(tool, found);
}

/** Refuses a list that is too long before `asMeant` goes through its entries. @throws RelayError `INVALID_ARGUMENT` */
function requireLengths(tool: Tool, args: unknown): void {
  if (!isObject(args)) return;
  for (const [name, field] of Object.entries(tool.input.shape)) {
    const list = Object.hasOwn(args, name) ? args[name] : undefined;
    const schema = unwrapped(field);
    if (!Array.isArray(list) || !(schema instanceof z.ZodArray)) continue;
    const { maximum } = schema._zod.bag;
    if (typeof maximum !== 'number' || list.length <= maximum) continue;
    throw invalidArguments(tool, [{ code: 'too_big', origin: 'array', maximum, path: [name], message: '' }]);
  }
}

/**
 * Keys with which a client could change the prototype of our objects (prototype pollution). No tool has an argument with such a
 * name.
 */
const LANGUAGE_NAMES = ['__proto__', 'constructor', 'prototype'];

/** The path of the outermost of these keys in `args`; null if there is none. No recursion: the value may be nested deeply. */
function languageName(args: unknown): string | null {
  const open: Place[] = [{ value: args, at: null, step: '' }];
  const add = (value: unknown, at: Place, step: string | number) => {
    if (typeof value === 'object' && value !== null) open.push({ value, at, step });
  };
  for (const place of open) {
    const { value } = place;
    if (Array.isArray(value)) {
      for (const [step, inner] of value.entries()) add(inner, place, step);
    } else if (isObject(value)) {
      const found = LANGUAGE_NAMES.find((name) => Object.hasOwn(value, name));
      if (found !== undefined) return pathText([...pathOf(place), found]);
      for (const step of Object.keys(value)) add(value[step], place, step);
    }
  }
  return null;
}

/** A value within the arguments, its parent and its key there. A path is put together only for a key that is refused. */
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

/**
 * `value` without the nulls that mean "left out", and with text turned into the number or boolean that the schema asks for. A null
 * for a required or an unknown key stays.
 */
export function asMeant(schema: z.core.$ZodType, value: unknown): unknown {
  if (typeof value === 'string') return valueOfText(schema, value);
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((entry) => asMeant(inner.element, entry));
  }
  if (!isObject(value)) return value;
  const shapes = shapesOf(inner);
  const shape = shapeFor(shapes, value);
  if (!shape) return value;
  const entries = Object.entries(value).flatMap(([key, part]) => {
    const field = fieldOf(shape, key);
    // A null for a key that only another member of the union has also means "left out".
    if (part === null && !field && shapes.some((other) => fieldOf(other, key))) return [];
    if (part === null && field && field._zod.optin !== undefined) return [];
    return [[key, field ? asMeant(field, part) : part]];
  });
  return Object.fromEntries(entries);
}

function fieldOf(shape: z.core.$ZodShape, key: string): z.core.$ZodType | undefined {
  return Object.hasOwn(shape, key) ? shape[key] : undefined;
}

/** The fields of an object, or of each object in a union. */
function shapesOf(schema: z.core.$ZodType): z.core.$ZodShape[] {
  if (schema instanceof z.ZodObject) return [schema.shape];
  return schema instanceof z.ZodUnion ? schema.options.flatMap(shapesOf) : [];
}

/** The only shape, or the first of several that has every key of `value`. Keys whose value is null do not count. */
function shapeFor(shapes: readonly z.core.$ZodShape[], value: object): z.core.$ZodShape | undefined {
  if (shapes.length === 1) return shapes[0];
  const given = Object.entries(value).flatMap(([key, part]) => (part === null ? [] : [key]));
  return shapes.find((shape) => given.every((key) => Object.hasOwn(shape, key)));
}
