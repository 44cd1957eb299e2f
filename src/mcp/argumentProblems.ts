/** Describes what is wrong with a call's arguments, so that a model can correct them at once. Pure. */
import * as z from 'zod';
import { escapedText } from '../base/visibleText.ts';
import { RelayError } from '../domain/errors.ts';
import type { Tool } from '../tools/tool.ts';

/**
 * Maximum number of problems in a message, and of names in one problem. Without it, a list with a problem in each entry would
 * fill the message.
 */
const MAX_NAMED = 8;
/** Maximum number of characters to show of a name that a client sent. */
const MAX_NAME = 80;

/** Returns `INVALID_ARGUMENT` with the first `MAX_NAMED` problems; its remedy says what is accepted there. */
export function invalidArguments(tool: Tool, issues: readonly z.core.$ZodIssue[]): RelayError {
  const problems = createProblems(tool);
  for (const issue of issues) problems.add(issue);
  return problems.error();
}

/** The problems of one call's arguments. */
export interface Problems {
  add(issue: z.core.$ZodIssue): void;
  /** Number of problems. */
  count(): number;
  error(): RelayError;
}

/** Collects any number of problems, and keeps the first few for the message. */
export function createProblems({ name, input }: Tool): Problems {
  const named: string[] = [];
  const accepted = new Set<string>();
  const seen = new Set<string>();
  let count = 0;
  return {
    add(issue) {
      const problems = describe(issue, input);
      named.push(...problems.slice(0, Math.max(0, MAX_NAMED - count)));
      count += problems.length;
      const { path, code } = issue;
      const place = `${String(path[0])} ${path.length > 1} ${code}`;
      if (seen.has(place)) return;
      seen.add(place);
      accepted.add(acceptedAt(name, input, path, code));
    },
    count: () => count,
    error() {
      const more = count > named.length ? [`And ${count - named.length} more.`] : [];
      return new RelayError('INVALID_ARGUMENT', [...named, ...more].join(' '), {
        remedy: [...accepted].join(' '),
      });
    },
  };
}

/** Returns `INVALID_ARGUMENT` for an argument that does not exist; its remedy lists the arguments that the tool takes. */
export function unknownArgument({ name, input }: Tool, path: string): RelayError {
  const remedy = takes(name, input);
  return new RelayError('INVALID_ARGUMENT', `Unknown argument "${shownName(path)}".`, { remedy });
}

/** Writes a path as text, as in `tracks[0].title`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/** The schema without the wrappers that make it optional. */
export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) {
    return unwrapped(schema.def.innerType);
  }
  return schema;
}

/** Says what the list or object with the problem accepts, or else which arguments the tool takes. */
function acceptedAt(
  tool: string,
  input: z.ZodObject,
  path: readonly PropertyKey[],
  code: z.core.$ZodIssue['code'],
): string {
  const [first] = path;
  const argument = first === undefined ? undefined : input.shape[String(first)];
  const schema = argument && unwrapped(argument);
  const isInside = path.length > 1 || code === 'unrecognized_keys' || code === 'invalid_type';
  if (argument && schema instanceof z.ZodArray && isInside) {
    const words = descriptionOf(argument) ?? `a list, each entry ${formsOf(schema.element).join(' or ')}`;
    return `${String(first)}: ${words}.`;
  }
  if (schema instanceof z.ZodObject && isInside) return takes(String(first), schema);
  return takes(tool, input);
}

function takes(name: string, { shape }: z.ZodObject): string {
  const fields = Object.keys(shape);
  return fields.length > 0 ? `${name} takes: ${fields.join(', ')}.` : `${name} takes no arguments.`;
}

function descriptionOf(schema: z.core.$ZodType): string | undefined {
  const { description } = schema as z.ZodType;
  if (description !== undefined) return description.replace(/\.$/, '');
  const inner = unwrapped(schema);
  return inner === schema ? undefined : descriptionOf(inner);
}

function describe(issue: z.core.$ZodIssue, input: z.core.$ZodType): string[] {
  const where = issue.path.length === 0 ? 'The arguments' : pathText(issue.path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return [unrecognised(issue)];
    case 'custom':
      return [`${where}: ${issue.message}`];
    case 'invalid_type': {
      if (issue.input === undefined) return [`${where} is missing.`];
      const [form] = issue.expected === 'object' ? formsOf(schemaAt(input, issue.path)) : [];
      const wanted = [typeName(issue.expected), ...(form === undefined ? [] : [form])].join(' ');
      // An integer is a number too, so only the value itself shows what is wrong with a fraction.
      const isFraction = issue.expected === 'int' && typeof issue.input === 'number';
      return [`${where} must be ${wanted}, not ${isFraction ? issue.input : valueName(issue.input)}.`];
    }
    case 'invalid_value':
      return [`${where} must be one of ${issue.values.map(String).join(', ')}.`];
    case 'too_big':
      return [`${where} ${amount('at most', issue.maximum, issue.origin)}.`];
    case 'too_small':
      return [`${where} ${amount('at least', issue.minimum, issue.origin)}.`];
    case 'invalid_union':
      return describeUnion(issue, input);
    default:
      return [`${where}: ${issue.message.replace(/\.$/, '')}.`];
  }
}

function unrecognised({ keys, path }: z.core.$ZodIssueUnrecognizedKeys): string {
  const names = keys.slice(0, MAX_NAMED).map((key) => `"${shownName(pathText([...path, key]))}"`);
  const more = keys.length - names.length;
  const rest = more > 0 ? ` and ${more > 100 ? 'many' : more} more` : '';
  return `Unknown argument${keys.length > 1 ? 's' : ''} ${names.join(', ')}${rest}.`;
}

function shownName(name: string): string {
  return escapedText(name, MAX_NAME);
}

/** The problems of a value that may have several forms, measured by the form that the value comes closest to. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion, input: z.core.$ZodType): string[] {
  const forms = formsOf(schemaAt(input, issue.path));
  const branches = issue.errors.filter(
    (issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  const [closest] = branches.sort((a, b) => distanceOf(a) - distanceOf(b));
  if (!closest) {
    const wanted = forms.length === 0 ? 'in one of the accepted forms' : forms.join(' or ');
    return [`${pathText(issue.path)} must be ${wanted}, not ${valueName(issue.input)}.`];
  }
  const problems = closest.flatMap((one) => describe({ ...one, path: [...issue.path, ...one.path] }, input));
  // A title sent as plain text looks like a wrong ID, so the message also names the form of the object.
  const [form] = typeof issue.input === 'string' ? forms : [];
  return form === undefined ? problems : [...problems, `Or give an object ${form}.`];
}

function distanceOf(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
}

/** The schema of the value at `path`; undefined inside a union. */
function schemaAt(
  schema: z.core.$ZodType | undefined,
  [step, ...path]: readonly PropertyKey[],
): z.core.$ZodType | undefined {
  const here = schema && unwrapped(schema);
  if (step === undefined) return here;
  if (here instanceof z.ZodArray) return schemaAt(here.element, path);
  return here instanceof z.ZodObject ? schemaAt(here.shape[String(step)], path) : undefined;
}

/** Lists the forms of object that a value may have, as in `{title, artist, album?, year?}`. Deprecated fields are left out. */
function formsOf(schema: z.core.$ZodType | undefined): string[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(formsOf);
  if (!(schema instanceof z.ZodObject)) return [];
  const shown = Object.entries(schema.shape).filter(([, field]) => !(field as z.ZodType).meta()?.deprecated);
  const fields = shown.map(([name, field]) =>
    (field as z.core.$ZodType)._zod.optin === undefined ? name : `${name}?`,
  );
  return [`{${fields.join(', ')}}`];
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
