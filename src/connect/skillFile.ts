/**
 * Writes a skill into a directory of skills, and removes it with everything that was created for it. A skill is a directory with
 * a `SKILL.md` (https://agentskills.io). The client shows the skill's name and description to the model. The model reads the rest
 * when a task needs it.
 */
import { readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../base/files.ts';
import { makeDirectories } from '../base/filesSync.ts';
import { pathsOf } from '../base/userDirectories.ts';
import { messageOf, nullIfMissing, RelayError } from '../domain/errors.ts';
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

/** Marks a `SKILL.md` as written by relay. */
export const SKILL_MARK =
  '<!-- Written by relay connect --skill; relay connect --skill --remove takes it away. -->';
/** The new name of a `SKILL.md` that was there before. Later ones also get a number. */
const FORMER = 'SKILL.md.before-relay';
/** The file that lists the directories created for the skill, so that only those are removed with it. */
const MADE = '.made-by-relay';

export function skillPath(folder: string): string {
  return join(folder, SKILL_NAME, 'SKILL.md');
}

/**
 * Writes relay's skill. A `SKILL.md` that relay did not write is renamed first.
 * @returns true if anything changed
 * @throws RelayError `HOME_UNUSABLE`
 */
export async function writeSkill(folder: string, text: string): Promise<boolean> {
  const path = skillPath(folder);
  try {
    const before = await contentOf(path);
    if (before === text) return false;
    const made = before === null ? makeDirectories(dirname(path), 0o777) : null;
    if (before !== null && !before.includes(SKILL_MARK)) {
      const [last] = await formerOnes(dirname(path));
      const number = Number(/-(\d+)$/.exec(last ?? '')?.[1] ?? 1) + 1;
      await rename(path, join(dirname(path), last === undefined ? FORMER : `${FORMER}-${number}`));
    }
    if (made !== null) await replaceFile(join(dirname(path), MADE), made.join('\n'), { mode: 0o644 });
    await replaceFile(path, text, { mode: 0o644 });
    return true;
  } catch (error) {
    throw failed(`${path} cannot be written`, error, 'Give another directory with --skill DIR.');
  }
}

export async function hasSkill(folder: string): Promise<boolean> {
  // A directory that cannot be read holds no skill that relay could remove.
  const text = await readFile(skillPath(folder), 'utf8').catch(() => '');
  return text.includes(SKILL_MARK);
}

/**
 * Removes relay's skill, and gives the `SKILL.md` that was renamed last its name back.
 * @returns true if there was a skill of relay's
 * @throws RelayError `HOME_UNUSABLE`
 */
export async function removeSkill(folder: string): Promise<boolean> {
  const path = skillPath(folder);
  const own = dirname(path);
  try {
    const before = await contentOf(path);
    if (before === null || !before.includes(SKILL_MARK)) return false;
    const made = (await contentOf(join(own, MADE))) ?? '';
    await rm(path);
    await rm(join(own, MADE), { force: true });
    const [last] = await formerOnes(own);
    if (last !== undefined) await rename(join(own, last), path);
    for (const directory of made.split('\n').filter(Boolean)) {
      if ((await readdir(directory).catch(() => ['?'])).length === 0) await rmdir(directory);
    }
    return true;
  } catch (error) {
    throw failed(
      `${path} cannot be removed`,
      error,
      `Check the permissions of ${own}, or remove it yourself.`,
    );
  }
}

/** Returns the file names of former skills, newest first. */
async function formerOnes(own: string): Promise<string[]> {
  const names = (await readdir(own)).filter((name) => name.startsWith(FORMER));
  return names.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }));
}

async function contentOf(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(nullIfMissing);
}

function failed(what: string, error: unknown, remedy: string): RelayError {
  return new RelayError('HOME_UNUSABLE', `${what}: ${messageOf(error)}.`, { remedy, cause: error });
}
