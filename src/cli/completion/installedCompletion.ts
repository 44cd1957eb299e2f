/** Finds and removes the completion that a person added to a shell's startup files, as the help says. */
import { realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularFile, replaceFile } from '../../base/files.ts';

const MAX_BYTES = 1024 * 1024;

/** The lines that `relay completion --help` says to add. */
const LINES: ReadonlyArray<readonly [file: string, line: string]> = [
  ['.bashrc', 'source <(relay completion bash)'],
  ['.bash_profile', 'eval "$(relay completion bash)"'],
  ['.zshrc', 'source <(relay completion zsh)'],
];

const FISH_FILE = ['.config', 'fish', 'completions', 'relay.fish'];
const FISH_START = '# Completion of relay for fish';

export interface InstalledCompletion {
  file: string;
  remove(): Promise<void>;
}

/** @param home the person's home directory */
export async function installedCompletion(home: string): Promise<InstalledCompletion[]> {
  const found: InstalledCompletion[] = [];
  for (const [name, line] of LINES) {
    const file = join(home, name);
    const text = await textOf(file);
    if (text === null || !text.split(/\r?\n/).includes(line)) continue;
    found.push({ file, remove: () => removeLine(file, line) });
  }
  const fish = join(home, ...FISH_FILE);
  if ((await textOf(fish))?.startsWith(FISH_START)) found.push({ file: fish, remove: () => rm(fish) });
  return found;
}

async function textOf(file: string): Promise<string | null> {
  return readRegularFile(file, MAX_BYTES).then(
    ({ bytes }) => bytes.toString('utf8'),
    () => null,
  );
}

/** Startup files are often links into another directory, so the target of a link is replaced. */
async function removeLine(file: string, line: string): Promise<void> {
  const target = await realpath(file);
  const { bytes, mode, uid, gid } = await readRegularFile(target, MAX_BYTES);
  const kept = bytes
    .toString('latin1')
    .split('\n')
    .filter((one) => one.replace(/\r$/, '') !== line);
  await replaceFile(target, Buffer.from(kept.join('\n'), 'latin1'), { mode, owner: { uid, gid } });
}
