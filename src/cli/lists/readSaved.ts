import { interruptible } from '../../base/abort.ts';
import type { ListRow } from '../../domain/listExport.ts';
import type { LocalApi } from '../../domain/localApi.ts';
import type { Context } from '../context.ts';

/** All saved songs, newest first. */
export async function readSaved({ signal }: Context, local: LocalApi): Promise<ListRow[]> {
  const all: ListRow[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page: Awaited<ReturnType<LocalApi['savedRows']>> = await interruptible(
      signal,
      local.savedRows(offset),
    );
    all.push(...page.rows);
    offset = page.next;
  }
  return all;
}
