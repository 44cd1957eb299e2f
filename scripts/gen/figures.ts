/** The table of token costs, from the figures that `npm run measure -- --write` recorded. */
import { baselineTokens, FIGURES, type FigureName, inUnit, recordedFigures } from '../measure/figures.ts';

export function figuresMarkdown(): string {
  const recorded = recordedFigures();
  const rows = (Object.keys(FIGURES) as FigureName[]).map((name) => {
    const { what, unit } = FIGURES[name];
    return `| ${what} | ${inUnit(recorded[name], unit)}${name === 'tasks' ? shareOf(recorded.tasks) : ''} |`;
  });
  return ['| | |', '|---|---:|', ...rows].join('\n');
}

function shareOf(tokens: number): string {
  return `, ${inUnit((tokens / baselineTokens()) * 100, 'percent')} of what they cost at first`;
}
