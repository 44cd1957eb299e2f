/**
 * Checks a call's arguments, and says what is wrong with them so that a model can correct them at once. Hosts and their models
 * send more than the schemas in `tools/list` say (`README.md` beside this file), so the arguments are first read as they are
 * meant. Pure.
 */
import * as z from 'zod';
import { didYouMean } from '../base/nearest.ts';
import { isObject, readJson } from '../base/parsing.ts';
import { escapedText } from '../base/visibleText.ts';
import { RelayError } from '../domain/errors.ts';
import type { Tool } from '../tools/tool.ts';

type Schema = z.core.$ZodType;
type Issue = z.core.$ZodIssue;

/**
 * Arguments that a host adds to each call for its own use and then passes on to the server: Gemini CLI
 * (https://github.com/google-gemini/gemini-cli/issues/27403), Cline (https://github.com/cline/cline/issues/10426) and n8n
 * (https://github.com/n8n-io/n8n/issues/21500). @internal
 */
export const HOST_ARGUMENTS = ['wait_for_previous', 'task_progress', 'toolCallId'];

/**
 * Parses arguments. An optional argument that is null counts as left out. A number, a boolean or a list may be sent as text. Arguments
 * that a host is known to add are dropped, unless the tool has an argument of that name.
 * @throws RelayError `INVALID_ARGUMENT` naming the wrong arguments
 */
export function parseArguments(tool: Tool, args: unknown): Record<string, unknown> {
  const { input } = tool;
  const sent = isObject(args) ? { ...args } : (args ?? {});
  if (isObject(sent)) {
    for (const name of HOST_ARGUMENTS) if (!fieldOf(input.shape, name)) delete sent[name];
  }
  const parsed = input.safeParse(asMeant(input, sent), { reportInput: true });
  if (parsed.success) return parsed.data;
  throw invalidArguments(tool, parsed.error.issues);
}

/**
 * `value` without the nulls that mean "left out", and with text turned into the number, boolean or list that the schema asks for. A null
 * for a required or an unknown key stays.
 */
function asMeant(schema: Schema, value: unknown): unknown {
  const inner = unwrapped(schema);
  if (typeof value === 'string') {
    const list = inner instanceof z.ZodArray ? readJson(value) : null;
    return Array.isArray(list) ? asMeant(inner, list) : valueOfText(inner, value);
  }
  if (Array.isArray(value)) {
    return inner instanceof z.ZodArray ? value.map((entry) => asMeant(inner.element, entry)) : value;
  }
  const shape = objectIn(inner)?.shape;
  if (!shape || !isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, part]) => {
    const field = fieldOf(shape, key);
    if (part === null && field && field._zod.optin !== undefined) return [];
    return [[key, field ? asMeant(field, part) : part]];
  });
  return Object.fromEntries(entries);
}

/**
 * The number or boolean that a text holds: a number in JSON's notation without an exponent, a boolean in JSON's or Python's. The
 * text itself if it holds neither, or if a whole number would lose digits.
 */
function valueOfText(schema: Schema, text: string): unknown {
  if (schema instanceof z.ZodBoolean) {
    const lower = text.toLowerCase();
    return lower === 'true' || lower === 'false' ? lower === 'true' : text;
  }
  if (!(schema instanceof z.ZodNumber) || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(text)) return text;
  const value = Number(text);
  return text.includes('.') || Number.isSafeInteger(value) ? value : text;
}

/** The schema without the wrappers that make it optional. */
function unwrapped(schema: Schema): Schema {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrapped(schema.def.innerType);
  }
  return schema;
}

/** The object that a value may be, alone or as one of several forms. */
function objectIn(schema: Schema | undefined): z.ZodObject | undefined {
  if (schema instanceof z.ZodUnion) return (schema.options as Schema[]).map(objectIn).find(Boolean);
  return schema instanceof z.ZodObject ? schema : undefined;
}

function fieldOf(shape: z.core.$ZodShape, key: PropertyKey): Schema | undefined {
  return Object.hasOwn(shape, key) ? shape[String(key)] : undefined;
}

/** Maximum number of problems in a message. Without it, a list with a problem in each entry would fill the message. */
const MAX_NAMED = 8;
/** Maximum number of characters to show of a name that a client sent. */
const MAX_NAME = 80;

/** Returns `INVALID_ARGUMENT` with the first `MAX_NAMED` problems; its remedy says what is accepted there. */
function invalidArguments(tool: Tool, issues: readonly Issue[]): RelayError {
  const problems = issues.flatMap((issue) => describe(issue, tool.input));
  const named = problems.slice(0, MAX_NAMED);
  if (problems.length > MAX_NAMED) named.push(`And ${problems.length - MAX_NAMED} more.`);
  const places = issues.slice(0, MAX_NAMED).map(({ path }) => accepted(tool, path[0]));
  return new RelayError('INVALID_ARGUMENT', named.join(' '), { remedy: [...new Set(places)].join(' ') });
}

/** In zod's words, where they say what is wrong. */
function describe(issue: Issue, input: z.ZodObject): string[] {
  const where = issue.path.length === 0 ? 'The arguments' : pathText(issue.path);
  if (issue.code === 'unrecognized_keys') return unknownKeys(issue, input);
  if (issue.code === 'invalid_type' && issue.input === undefined)
    return [`${where} ${issue.message.startsWith('is missing') ? issue.message : 'is missing'}.`];
  if (issue.code !== 'invalid_union') return [`${where}: ${issue.message.replace(/\.$/, '')}.`];
  // Of a value that may have several forms, the problems are those of the form that it comes closest to.
  const [closest] = issue.errors
    .filter((issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0))
    .sort((a, b) => a.length - b.length);
  if (closest)
    return closest.flatMap((one) => describe({ ...one, path: [...issue.path, ...one.path] }, input));
  const forms = issue.errors.flat().flatMap((one) => (one.code === 'invalid_type' ? [one.expected] : []));
  return [`${where}: Invalid input: expected ${forms.join(' or ')}.`];
}

function unknownKeys({ keys, path }: z.core.$ZodIssueUnrecognizedKeys, input: z.ZodObject): string[] {
  const known = Object.keys(objectAt(input, path)?.shape ?? {});
  return keys.map((key) => {
    const nearest = key.length > MAX_NAME ? undefined : didYouMean(key, known);
    const name = escapedText(pathText([...path, key]), MAX_NAME);
    return [`Unknown argument "${name}".`, ...(nearest === undefined ? [] : [nearest])].join(' ');
  });
}

/** The schema of the object at `path`. */
function objectAt(
  schema: Schema | undefined,
  [step, ...path]: readonly PropertyKey[],
): z.ZodObject | undefined {
  const here = schema && unwrapped(schema);
  if (step === undefined) return objectIn(here);
  if (here instanceof z.ZodArray) return objectAt(here.element, path);
  const shape = objectIn(here)?.shape;
  return shape && objectAt(fieldOf(shape, step), path);
}

/** Says what the list or object that is one of the arguments accepts, or else which arguments the tool takes. */
function accepted({ name, input }: Tool, argument: PropertyKey = ''): string {
  const field = fieldOf(input.shape, argument) as z.ZodType | undefined;
  const schema = field && unwrapped(field);
  if (schema instanceof z.ZodArray) {
    return `${String(argument)}: ${field?.description ?? schema.description}.`;
  }
  return schema instanceof z.ZodObject ? takes(String(argument), schema) : takes(name, input);
}

function takes(name: string, { shape }: z.ZodObject): string {
  const fields = Object.keys(shape);
  return fields.length > 0 ? `${name} takes: ${fields.join(', ')}.` : `${name} takes no arguments.`;
}

/** Writes a path as text, as in `tracks[0].title`. */
function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}
