/**
 * Generates the list of commands and the manual's table of commands, from the files below `src/cli` that end in `Command.ts`.
 */

import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { type Context, createContext } from '../../src/cli/context.ts';
import type { Finish } from '../../src/cli/exit.ts';
import { byHelpGroup } from '../../src/cli/usage/commandGroups.ts';
import { systemWorld } from '../../src/cli/world.ts';
import { type GeneratedFile, inRepository } from './file.ts';

/** Returns the paths of the command files, relative to `src/cli`. Each file exports a function that has the name of the file. */
function commandFiles(): string[] {
  return readdirSync(inRepository('src', 'cli'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('Command.ts'))
    .sort();
}

function factoryName(path: string): string {
  return basename(path, '.ts');
}

/** Generates `src/cli/commandList.ts`. */
export function generateCommandList(): GeneratedFile {
  const files = commandFiles();
  const imports = files.map((path) => `import { ${factoryName(path)} } from './${path}';\n`);
  const names = files.map((path) => `  ${factoryName(path)},\n`);
  return {
    path: 'src/cli/commandList.ts',
    text: `// Made by "npm run gen" from the files that end in Command.ts.\n\n${imports.join('')}\nexport const COMMANDS = [\n${names.join('')}];\n`,
  };
}

/** Returns the manual's table of commands. Reads the command files rather than the generated list, which may be outdated. */
export async function commandsMarkdown(): Promise<string> {
  const context = createContext(systemWorld(new AbortController().signal), () => ({}));
  const commands = await Promise.all(
    commandFiles().map(async (path): Promise<Command> => {
      const module = await import(pathToFileURL(inRepository('src', 'cli', path)).href);
      const create: (context: Context, finish: Finish) => Command = module[factoryName(path)];
      return create(context, () => {});
    }),
  );
  const rows = commands
    .sort(byHelpGroup)
    .map((command) => `| \`relay ${command.name()}\` | ${command.description()} |\n`);
  return `| command | what it does |\n|---|---|\n${rows.join('')}`;
}
