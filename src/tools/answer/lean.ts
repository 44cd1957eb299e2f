/** Lean forms of whole answers, built from the lean forms of their shapes. */
import * as z from 'zod';
import type { Page } from '../../domain/shapes.ts';
import { compact, TRACK_LINKS } from './leanShapes.ts';

/**
 * How a tool's full result becomes lean. Clients get `schema` from `tools/list`. A later version may add members to it, but
 * removes none.
 */
export interface LeanForm<F = never> {
  schema: z.ZodObject;
  of(full: F): Record<string, unknown>;
}

interface ListOptions {
  /** True if the rows hold tracks, so that the answer says how their IDs become links. */
  links?: boolean;
}

/** The lean form of a paged list; `next_offset` is absent at the end. */
export function leanList<F, L>(
  row: z.ZodType<L>,
  of: (full: F) => L,
  { links = false }: ListOptions = {},
): LeanForm<Page<F>> {
  return {
    schema: z.object({
      items: z.array(row),
      total: z.number(),
      next_offset: z.number().optional(),
      ...(links ? { links: z.string().optional() } : {}),
    }),
    of: ({ items, total, next_offset, ...rest }) => ({
      items: items.map(of),
      total,
      ...compact({
        next_offset,
        truncated: 'truncated' in rest ? (rest.truncated as boolean) : null,
        note: 'note' in rest ? (rest.note as string | undefined) : null,
      }),
      ...linksOf(links, items),
    }),
  };
}

/** The member `links`, if it is wanted and there is a row that is not an episode. */
export function linksOf(wanted: boolean, rows: readonly unknown[]): { links?: string } {
  const isEpisode = (row: unknown) => {
    const { type, item_type } = row as { type?: unknown; item_type?: unknown };
    return type === 'episode' || item_type === 'episode';
  };
  return wanted && !rows.every(isEpisode) ? { links: TRACK_LINKS } : {};
}
