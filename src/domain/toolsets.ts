/** Toolsets: which tools a server offers, and which of them one request asks for. Pure. */

/** The groups that tools are in, in the order of the reference. The last two are outside `standard`. */
export const TOOL_GROUPS = [
  'catalog',
  'playlists',
  'library',
  'history',
  'playback',
  'jobs',
  'diagnostics',
  'extras',
  'library_sql',
] as const;

export type ToolGroup = (typeof TOOL_GROUPS)[number];

/** What settings and headers may name: groups, and `standard` and `all` for several of them. */
export const TOOLSETS = ['standard', ...TOOL_GROUPS, 'all'] as const;

/** Groups that are offered only if asked for. `library_sql` is a part of `extras` that can be asked for alone. */
const OPTIONAL: readonly ToolGroup[] = ['extras', 'library_sql'];

export type Toolset = (typeof TOOLSETS)[number];

/** With these headers a client leaves out tools that the settings offer; neither header adds a tool. */
export const TOOLSETS_HEADER = 'X-MCP-Toolsets';
export const READ_ONLY_HEADER = 'X-MCP-Readonly';

/** Makes the headers that state a choice of tools. */
export function choiceHeaders({ toolsets, readOnly }: Partial<ToolChoice>): Record<string, string> {
  return {
    ...(toolsets === undefined ? {} : { [TOOLSETS_HEADER]: toolsets.join(',') }),
    ...(readOnly === true ? { [READ_ONLY_HEADER]: 'true' } : {}),
  };
}

/** Which tools are offered: the tools of the toolsets. With `readOnly`, only tools that change nothing. */
export interface ToolChoice {
  toolsets: readonly Toolset[];
  readOnly: boolean;
}

/** Splits a list with commas into names, without spaces around them and in lower case. */
export function splitToolsets(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
}

export function isToolset(name: string): name is Toolset {
  return (TOOLSETS as readonly string[]).includes(name);
}

/** Returns the groups that the toolsets stand for, each once, in the order of the reference. */
export function groupsOf(toolsets: readonly Toolset[]): ToolGroup[] {
  const asked = (group: ToolGroup): boolean => {
    if (toolsets.includes('all') || toolsets.includes(group)) return true;
    return toolsets.includes(OPTIONAL.includes(group) ? 'extras' : 'standard');
  };
  return TOOL_GROUPS.filter(asked);
}

/** Returns the tools that both choices offer. A request can leave tools out, but cannot add a tool that the settings leave out. */
export function narrowed(choice: ToolChoice, by: Partial<ToolChoice>): ToolChoice {
  const asked = groupsOf(by.toolsets ?? ['all']);
  return {
    toolsets: groupsOf(choice.toolsets).filter((group) => asked.includes(group)),
    readOnly: choice.readOnly || by.readOnly === true,
  };
}

/** The question when a client is set up, unless toolsets are set. The default answer is yes. */
export const EXTRAS_QUESTION = 'Also offer undo, the queue, shuffle and albums to AI clients?';

/** Returns the setting `toolsets` for an answer to `EXTRAS_QUESTION`. */
export function toolsetsFor(extras: boolean): string {
  return extras ? 'standard,extras' : 'standard';
}
