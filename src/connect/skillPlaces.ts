/**
 * Where clients read the user's skills, as data. A skill is a directory with a `SKILL.md` (https://agentskills.io). The client
 * shows the skill's name and description to the model. The model reads the rest when a task needs it. Pure.
 */
import { pathsOf } from '../base/userDirectories.ts';
import type { System } from './configPlaces.ts';

/** The skill's name, which is also the name of its directory, as the specification requires. */
export const SKILL_NAME = 'relay';

/** The skills directory of each client, with the page that documents it. */
const PLACES: Readonly<Record<string, (system: System) => readonly string[]>> = {
  // https://code.claude.com/docs/en/skills
  'claude-code': ({ env, home }) =>
    env.CLAUDE_CONFIG_DIR ? [env.CLAUDE_CONFIG_DIR, 'skills'] : [home, '.claude', 'skills'],
  // https://developers.openai.com/codex/skills
  codex: shared,
  // https://geminicli.com/docs/cli/using-agent-skills/
  gemini: ({ home }) => [home, '.gemini', 'skills'],
  // https://docs.github.com/en/copilot/concepts/agents/about-agent-skills
  copilot: copilot,
  // https://code.visualstudio.com/docs/agent-customization/agent-skills
  vscode: copilot,
  // https://cursor.com/docs/context/skills
  cursor: ({ home }) => [home, '.cursor', 'skills'],
  // https://block.github.io/goose/docs/guides/context-engineering/using-skills
  goose: shared,
  // https://opencode.ai/docs/skills
  opencode: shared,
  // https://docs.cline.bot/customization/skills
  cline: shared,
};

/** Returns the directory that several clients read. */
function shared({ home }: System): readonly string[] {
  return [home, '.agents', 'skills'];
}

function copilot({ home }: System): readonly string[] {
  return [home, '.copilot', 'skills'];
}

/** Clients whose skills directory relay knows. */
export const SKILL_CLIENTS: readonly string[] = Object.keys(PLACES);

/**
 * Returns the directory of a client's skills; null if relay knows none.
 * @param client null for the directory that several clients share
 */
export function skillsFolder(client: string | null, system: System): string | null {
  const place = client === null ? shared : PLACES[client];
  return place ? pathsOf(system).join(...(place(system) as [string, ...string[]])) : null;
}
