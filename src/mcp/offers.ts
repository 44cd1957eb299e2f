/** Which tools a request is offered: those of its level, which its header may lower. */
import { ACCESS_HEADER, isLevel, LEVELS, type Level, lower } from '../domain/access.ts';
import { ALL_TOOLS, levelOf, toolsAt } from '../tools/index.ts';
import type { Tool } from '../tools/tool.ts';
import { type PromptEntry, promptEntries } from './prompts.ts';
import { instructionsFor, toolEntry } from './surface.ts';
import type { ToolEntry } from './toolEntries.ts';

/** The tools of one level, in the form in which clients receive them. */
export interface Offer {
  level: Level;
  /** The tools by name; `tools/call` knows no others. */
  tools: ReadonlyMap<string, Tool>;
  /** The entries for `tools/list`. */
  entries: ToolEntry[];
  /** The entries for `prompts/list`. */
  prompts: PromptEntry[];
  instructions: string;
}

/** The headers of a request, named in lower case. */
export type SentHeaders = Readonly<Record<string, string | string[] | undefined>>;

const made = new Map<Level, Offer>();

/**
 * Returns the offer for a request, or a sentence that says what is wrong with its header. An empty header counts as none.
 * @param level the level that the credential has
 */
export function offerFor(level: Level, headers: SentHeaders): { offer: Offer } | { problem: string } {
  const asked = String(headers[ACCESS_HEADER.toLowerCase()] ?? '')
    .trim()
    .toLowerCase();
  if (asked === '') return { offer: offerAt(level) };
  if (!isLevel(asked)) return { problem: `${ACCESS_HEADER} must be one of ${LEVELS.join(', ')}.` };
  return { offer: offerAt(lower(level, asked)) };
}

/** The offer of a level, made once per process. */
export function offerAt(level: Level): Offer {
  const known = made.get(level);
  if (known) return known;
  const tools = toolsAt(level);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const offer = {
    level,
    tools: byName,
    entries: tools.map(toolEntry),
    prompts: promptEntries(new Set(byName.keys())),
    instructions: instructionsFor(level),
  };
  made.set(level, offer);
  return offer;
}

/** The text of the protocol error for a tool that is not offered. */
export function unknownTool(name: string, { tools, level }: Offer): string {
  const text = `Unknown tool "${name.slice(0, 100)}". This server has ${tools.size} tools: see tools/list.`;
  const known = ALL_TOOLS.find((tool) => tool.name === name);
  if (!known) return text;
  return `${text} This one needs the access "${levelOf(known)}", and this client has "${level}". The owner changes it on relay's page, or with "relay clients access".`;
}
