/** What `relay export` tells a person. Pure. */
import { counted } from '../../base/lists.ts';
import { visibleText } from '../../base/visibleText.ts';
import type { ListRow } from '../../domain/listExport.ts';

/** Counts the rows in the file that cannot be restored. */
export function lostRows(rows: readonly ListRow[]): { local: number; unavailable: number } {
  return {
    local: rows.filter(isLocal).length,
    unavailable: rows.filter(({ uri }) => uri === null).length,
  };
}

function isLocal({ uri }: ListRow): boolean {
  return uri?.startsWith('spotify:local:') === true;
}

const NAMED = 3;

/** Says which rows cannot be restored, and why. */
export function lostLines(rows: readonly ListRow[]): string[] {
  const { local, unavailable } = lostRows(rows);
  const names = rows.filter(isLocal).map(({ title }) => `"${visibleText(title, 60)}"`);
  const more = names.length > NAMED ? ' …' : '';
  const named = `${names.slice(0, NAMED).join(', ')}${more}`;
  return [
    ...(local > 0 ? [`Cannot be restored: ${counted(local, 'local file')} (${named}).`] : []),
    ...(unavailable > 0
      ? [`Cannot be restored: ${counted(unavailable, 'row')} that Spotify no longer has.`]
      : []),
  ];
}
