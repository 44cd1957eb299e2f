/** What `npm run measure` measures: the meaning of each figure, and its recorded value. */
import { readFileSync, writeFileSync } from 'node:fs';

interface Figure {
  what: string;
  unit: 'tokens' | 'bytes' | 'characters' | 'percent';
}

/** In the order of the table in `scripts/measure/README.md`. Less is better, except for percentages. */
export const FIGURES = {
  track_row: { what: 'A track, in a list of tracks', unit: 'tokens' },
  playlist_row: { what: 'A playlist, in the list of playlists', unit: 'tokens' },
  library_row: { what: 'A saved track, in the library', unit: 'tokens' },
  item_row: { what: 'A row of a playlist', unit: 'tokens' },
  largest_page: { what: 'The largest default page of any list', unit: 'tokens' },
  tasks: { what: 'Ten tasks together: calls and answers', unit: 'tokens' },
  questions: { what: 'Three questions to the library, with their answers of up to 15 rows', unit: 'tokens' },
  skill_idle: { what: 'Name and description of the skill, which a model sees at all times', unit: 'tokens' },
  skill_tasks: {
    what: 'Five everyday tasks through the skill, each with the text of the skill',
    unit: 'tokens',
  },
  mcp_tasks: { what: 'The same five through MCP, each with the list of tools', unit: 'tokens' },
  instructions: { what: 'Instructions of the MCP server', unit: 'characters' },
  asked: { what: 'Name, description and input schema of all tools', unit: 'tokens' },
  list_tokens: { what: '`tools/list`, with output schemas', unit: 'tokens' },
  list_bytes: { what: '`tools/list`, with output schemas', unit: 'bytes' },
  keywords_first: {
    what: 'Keyword searches (two to five words) that find the tool first',
    unit: 'percent',
  },
  keywords_five: { what: 'The same, among the first five', unit: 'percent' },
  requests_five: {
    what: 'Requests as people say them, whose tool is among the first five',
    unit: 'percent',
  },
} as const satisfies Record<string, Figure>;

export type FigureName = keyof typeof FIGURES;
export type Figures = Record<FigureName, number>;

/** The cost of the tasks when they were first measured. */
export interface Baseline {
  what: string;
  tasks: Record<string, { tokens: number; calls: number }>;
}

const RECORDED = new URL('./figures.json', import.meta.url);
const BASELINE = new URL('./baseline.json', import.meta.url);

export function recordedFigures(): Figures {
  return JSON.parse(readFileSync(RECORDED, 'utf8'));
}

export function recordFigures(figures: Figures): void {
  writeFileSync(RECORDED, `${JSON.stringify(figures, null, 2)}\n`);
}

export function baseline(): Baseline {
  return JSON.parse(readFileSync(BASELINE, 'utf8'));
}

/** Returns the total cost of the tasks when they were first measured. */
export function baselineTokens(): number {
  return Object.values(baseline().tasks).reduce((total, { tokens }) => total + tokens, 0);
}

export function inUnit(value: number, unit: Figure['unit']): string {
  const rounded = unit === 'percent' ? value.toFixed(1) : Math.round(value).toLocaleString('en-US');
  return `${rounded} ${unit === 'percent' ? '%' : unit}`;
}
