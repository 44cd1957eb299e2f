/** Explains one tool to a person: what the tool does, what it takes, and how to call it. Pure. */
import * as z from 'zod';
import { shellWord } from '../../base/childProcess.ts';
import { groupOf } from '../../tools/index.ts';
import type { Tool } from '../../tools/tool.ts';
import { blockOf, wrap } from '../terminal/output.ts';
import { samplesOf } from './samples.ts';

/** The part of JSON Schema that tools use. */
interface Shape {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: unknown[];
  minimum?: number;
  items?: Shape;
  properties?: Record<string, Shape>;
  required?: string[];
}

const MAX_WIDTH = 80;

/** Returns what `relay tools TOOL --json` prints. */
export function toolRecord(tool: Tool) {
  const { name, title, description, kind } = tool;
  const outputSchema = z.toJSONSchema(tool.output, { io: 'output' });
  return { name, title, description, kind, toolset: groupOf(tool), inputSchema: inputOf(tool), outputSchema };
}

export function toolText(tool: Tool, columns: number): string {
  const width = Math.min(columns, MAX_WIDTH);
  const rows = argumentRows(inputOf(tool), '');
  return blockOf([
    `${tool.name}: ${tool.title}`,
    `${tool.kind}, toolset ${groupOf(tool)}`,
    '',
    ...wrap(tool.description, width),
    '',
    rows.length === 0 ? 'It takes no arguments.' : 'Arguments:',
    ...rows.flatMap((row) => [
      ...indented(`${row.name}: ${row.type}`, 2, width),
      ...indented(row.description, 6, width),
    ]),
    '',
    'Result:',
    ...indented(Object.keys(answerOf(tool).shape).join(', '), 2, width),
    '',
    'Example, with the content of the demo:',
    `  $ ${exampleOf(tool)}`,
  ]);
}

function indented(text: string, by: number, width: number): string[] {
  return text === '' ? [] : wrap(text, width - by).map((line) => ' '.repeat(by) + line);
}

/** Returns the schema of the answer that the tool gives by default. */
function answerOf({ lean, detail, output }: Tool): z.ZodObject {
  return lean && detail === 'lean' ? lean.schema : output;
}

/**
 * Returns the names of the arguments, in the order of the schema. A `?` marks optional ones: `playlist_id`, `limit?`,
 * `offset?`.
 */
export function argumentNames(tool: Tool): string[] {
  const { properties = {}, required = [] } = inputOf(tool);
  return Object.keys(properties).map((name) => (required.includes(name) ? name : `${name}?`));
}

/** Returns an example of a call, with values from the demo. */
export function exampleOf(tool: Tool): string {
  const { properties = {}, required = [] } = inputOf(tool);
  const samples = samplesOf(tool.name, required);
  const words = Object.entries(samples).map(([name, sample]) => {
    const value = sample ?? sampleOf(properties[name] ?? {});
    const word = `${name}=${sampleText(value)}`;
    return /^[\w=,.]+$/.test(word) ? word : shellWord(word);
  });
  return ['relay call', tool.name, ...words].join(' ');
}

function inputOf(tool: Tool): Shape {
  return z.toJSONSchema(tool.input, { io: 'input' }) as Shape;
}

interface Row {
  name: string;
  type: string;
  description: string;
}

function argumentRows({ properties = {}, required = [] }: Shape, prefix: string): Row[] {
  return Object.entries(properties).flatMap(([key, shape]) => {
    const need = required.includes(key) ? 'required' : 'optional';
    const name = `${prefix}${key}`;
    const type = [typeText(shape), need, ...defaultText(shape)].join(', ');
    const row = { name, type, description: shape.description ?? '' };
    return [row, ...argumentRows(shape, `${name}.`)];
  });
}

function typeText({ type, enum: values, items }: Shape): string {
  if (values) return values.map(String).join(' | ');
  if (type === 'array') return items?.type === undefined ? 'list' : `list of ${items.type}s`;
  return type ?? 'any';
}

function defaultText({ default: value }: Shape): string[] {
  return value === undefined || typeof value === 'object' ? [] : [`default ${String(value)}`];
}

function sampleText(value: unknown): string {
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Returns an example value that is taken from the schema of an argument. */
function sampleOf({ enum: values, type, minimum = 1 }: Shape): unknown {
  if (values) return values[0];
  return type === 'boolean' ? true : minimum;
}
