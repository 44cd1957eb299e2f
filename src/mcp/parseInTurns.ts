/** Checks arguments with a long list in several turns of the event loop, since ten thousand songs take a while. */
import * as z from 'zod';
import { mapInTurns } from '../base/turns.ts';
import type { Tool } from '../tools/tool.ts';
import { createProblems, unwrapped } from './argumentProblems.ts';
import { asMeant, issuesOf, parseArguments, requirePlainNames } from './parseArguments.ts';

/** A list with at least this many entries is checked in turns. */
const LONG = 200;

/**
 * Like `parseArguments`, with the same error messages. Problems with the long list come first.
 * @throws RelayError `INVALID_ARGUMENT`
 */
export async function parseInTurns(tool: Tool, args: unknown): Promise<Record<string, unknown>> {
  const found = longList(tool, args);
  if (!found) return parseArguments(tool, args);
  requirePlainNames(tool, args);
  const { name, list, element } = found;
  const problems = createProblems(tool);
  const entries = await mapInTurns(list, (entry, index) => {
    const parsed = element.safeParse(asMeant(element, entry), { reportInput: true });
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) problems.add({ ...issue, path: [name, index, ...issue.path] });
    return undefined;
  });
  // The list's length and entries are checked already, so only the other arguments are left.
  const withOneEntry = { ...(args as object), [name]: list.slice(0, 1) };
  if (problems.count() === 0) return { ...parseArguments(tool, withOneEntry), [name]: entries };
  for (const issue of issuesOf(tool, withOneEntry)) if (issue.path[0] !== name) problems.add(issue);
  throw problems.error();
}

interface LongList {
  name: string;
  list: readonly unknown[];
  element: z.ZodType;
}

/** The long list among the arguments, if its length is right and no other check depends on its entries. */
function longList({ input }: Tool, args: unknown): LongList | null {
  if (typeof args !== 'object' || args === null || (input.def.checks ?? []).length > 0) return null;
  for (const [name, list] of Object.entries(args)) {
    if (!Array.isArray(list) || list.length < LONG || !Object.hasOwn(input.shape, name)) continue;
    const schema = unwrapped(input.shape[name] as z.core.$ZodType);
    if (schema instanceof z.ZodArray && (schema.def.checks ?? []).every((check) => holds(check, list)))
      return { name, list, element: schema.element as z.ZodType };
  }
  return null;
}

/** True if `check` is about the length and the list satisfies it; false for any other check. */
function holds(check: z.core.$ZodCheck<never>, list: readonly unknown[]): boolean {
  const def = check._zod.def as Partial<z.core.$ZodCheckMaxLengthDef & { minimum: number }>;
  if (check._zod.def.check === 'max_length') return list.length <= Number(def.maximum);
  return check._zod.def.check === 'min_length' && list.length >= Number(def.minimum);
}
