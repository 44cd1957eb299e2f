/** Explains one tool to a person: what the tool does, what it takes, and how to call it. Pure. */
import * as z from 'zod';
import { shellWord } from '../../base/childProcess.ts';
import { levelOf } from '../../tools/index.ts';
import type { Tool } from '../../tools/tool.ts';
import { wrap } from '../terminal/output.ts';

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

const WIDTH = 80;

export function toolRecord(tool: Tool) {
  const { name, title, description, kind } = tool;
  const outputSchema = z.toJSONSchema(tool.output, { io: 'output' });
  return { name, title, description, kind, access: levelOf(tool), inputSchema: inputOf(tool), outputSchema };
}

export function toolText(tool: Tool): string[] {
  const rows = argumentRows(inputOf(tool), '');
  return [
    `${tool.name}: ${tool.title}`,
    '',
    ...wrap(tool.description, WIDTH),
    '',
    rows.length === 0 ? 'It takes no arguments.' : 'Arguments:',
    ...rows.flatMap((row) => [...indented(`${row.name}: ${row.type}`, 2), ...indented(row.description, 6)]),
    '',
    'Result:',
    ...indented(Object.keys(answerOf(tool).shape).join(', '), 2),
    '',
    'Example, with the content of the demo:',
    `  $ ${exampleOf(tool)}`,
  ];
}

function indented(text: string, by: number): string[] {
  return text === '' ? [] : wrap(text, WIDTH - by).map((line) => ' '.repeat(by) + line);
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
  const samples = required.map((name) => [name, BY_ARGUMENT[name]] as const);
  const all = { ...Object.fromEntries(samples), ...BY_TOOL[tool.name] };
  const words = Object.entries(all).map(([name, sample]) => {
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

function sampleOf({ enum: values, type, minimum = 1 }: Shape): unknown {
  if (values) return values[0];
  return type === 'boolean' ? true : minimum;
}

/** Values for examples: the song "Love Cloud" by Fengate, the playlist "Morning Ferry" and the kitchen speaker. */
const BY_ARGUMENT: Readonly<Record<string, unknown>> = {
  artist_id: '4Ismum8pbPVAc0ewrL5al2',
  track_id: '42m7g2a2BlK07h4MdPzfIO',
  uris: ['42m7g2a2BlK07h4MdPzfIO', '6WmIpo1D34YOtM9mc8GqUa'],
  track_ids: ['42m7g2a2BlK07h4MdPzfIO', '6WmIpo1D34YOtM9mc8GqUa'],
  album_id: '7lcPDGz0FOz0O7T75aRgLb',
  album_ids: ['7lcPDGz0FOz0O7T75aRgLb'],
  playlist_id: 'llLnJH77qQnJDz1RLa5GIE',
  device_id: 'VIaDTW5ok8kH4i3IFur8A6',
  // Placeholders: the demo starts without jobs and kept playlists.
  job_id: 'JOB_ID',
  keep_id: 'KEEP_ID',
  query: 'love cloud',
  sql: 'select name, total from playlists',
  title: 'Love Cloud',
  artist: 'Fengate',
  name: 'Morning Ferry',
  text: 'Fengate - Love Cloud',
  tracks: [{ title: 'Love Cloud', artist: 'Fengate' }],
  items: [{ title: 'Love Cloud', artist: 'Fengate' }],
  position_ms: 60_000,
  volume_percent: 30,
  range_start: 0,
  insert_before: 5,
};

/** Examples for tools whose required arguments alone do nothing or make a bad example. */
const BY_TOOL: Readonly<Record<string, Record<string, unknown>>> = {
  create_playlist: { name: 'Rainy Days' },
  create_playlist_from_tracks: { name: 'Rainy Days' },
  create_bulk_job: { type: 'save_tracks' },
  import_list: { name: 'Rainy Days' },
  keep_playlist: { name: 'Fresh', sql: 'select uri from saved order by position limit 50' },
  play: { context_uri: 'spotify:playlist:llLnJH77qQnJDz1RLa5GIE' },
  update_playlist_details: { name: 'Evening Ferry' },
};
