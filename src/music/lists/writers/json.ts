import { visibleJson } from '../../../base/visibleText.ts';
import type { Writer } from './row.ts';

/** `{name, tracks: […]}` with the rows as they are. */
export const json: Writer = (rows, name) =>
  `${visibleJson({ ...(name !== undefined && { name }), tracks: rows }, 2)}\n`;
