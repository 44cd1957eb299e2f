/** Which tools a request is offered: those of the settings, except those that its headers leave out. */
import {
  groupsOf,
  isToolset,
  narrowed,
  READ_ONLY_HEADER,
  splitToolsets,
  TOOLSETS,
  TOOLSETS_HEADER,
  type ToolChoice,
} from '../domain/toolsets.ts';
import { ALL_TOOLS, groupOf, toolsOf } from '../tools/index.ts';
import type { Tool } from '../tools/tool.ts';
import { type PromptEntry, promptEntries } from './prompts.ts';
import { instructionsFor, type ToolEntry, toolEntry } from './surface.ts';

/** One selection of tools, in the form in which clients receive it. Each selection is built once. */
export interface Offer {
  choice: ToolChoice;
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

/** Returns the offer for a request, or a sentence that says what is wrong with its headers. */
type OfferFor = (headers: SentHeaders) => { offer: Offer } | { problem: string };

const FLAGS: Readonly<Record<string, boolean>> = { true: true, 1: true, false: false, 0: false };

/** @param choice what the settings offer */
export function createOffers(choice: ToolChoice): OfferFor {
  const made = new Map<string, Offer>();

  function offerOf(wanted: ToolChoice): Offer {
    const key = `${wanted.readOnly} ${wanted.toolsets.join()}`;
    const offer = made.get(key) ?? makeOffer(wanted);
    // `narrowed` puts the groups in order, so each set of groups has at most two offers: with and without tools that write.
    made.set(key, offer);
    return offer;
  }

  const whole = { offer: offerOf(narrowed(choice, {})) };

  return (headers) => {
    if (headerOf(headers, TOOLSETS_HEADER) + headerOf(headers, READ_ONLY_HEADER) === '') return whole;
    const asked = readHeaders(headers);
    return 'problem' in asked ? asked : { offer: offerOf(narrowed(choice, asked)) };
  };
}

/** The text of the protocol error for a tool that is not offered. */
export function unknownTool(name: string, { tools, choice }: Offer): string {
  const text = `Unknown tool "${name.slice(0, 100)}". This server has ${tools.size} tools: see tools/list.`;
  const known = ALL_TOOLS.find((tool) => tool.name === name);
  if (!known) return text;
  const group = groupOf(known);
  if (groupsOf(choice.toolsets).includes(group)) {
    return `${text} This one changes something, and only reading is on (RELAY_READ_ONLY, ${READ_ONLY_HEADER}, or the owner has approved this client for reading only).`;
  }
  return `${text} This one is in the toolset ${group}, which is off. The user switches it on in the settings of this client (${TOOLSETS_HEADER} or --toolsets) or of relay ("relay config set toolsets", then a restart).`;
}

function makeOffer(choice: ToolChoice): Offer {
  const tools = toolsOf(choice);
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    choice,
    tools: byName,
    entries: tools.map(toolEntry),
    prompts: promptEntries(new Set(byName.keys())),
    instructions: instructionsFor(tools, choice),
  };
}

/** An empty header counts as no header, just as an empty environment variable counts as unset. */
function readHeaders(headers: SentHeaders): Partial<ToolChoice> | { problem: string } {
  const names = splitToolsets(headerOf(headers, TOOLSETS_HEADER));
  const toolsets = names.filter(isToolset);
  if (toolsets.length < names.length) {
    return { problem: `${TOOLSETS_HEADER} must name toolsets out of ${TOOLSETS.join(', ')}.` };
  }
  const flag = headerOf(headers, READ_ONLY_HEADER).trim().toLowerCase();
  const readOnly = FLAGS[flag];
  if (flag !== '' && readOnly === undefined) {
    return { problem: `${READ_ONLY_HEADER} must be true or false.` };
  }
  return {
    ...(toolsets.length === 0 ? {} : { toolsets }),
    ...(readOnly === undefined ? {} : { readOnly }),
  };
}

function headerOf(headers: SentHeaders, name: string): string {
  return String(headers[name.toLowerCase()] ?? '');
}
