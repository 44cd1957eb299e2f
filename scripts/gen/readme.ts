/** Fills the generated parts of documents, between pairs of `generated` markers. */
import { readFileSync } from 'node:fs';
import { ALL_TOOLS, TOOLS } from '../../src/tools/index.ts';
import { benchMarkdown } from '../bench/recorded.ts';
import { commandsMarkdown } from './commands.ts';
import { figuresMarkdown } from './figures.ts';
import { type GeneratedFile, inRepository } from './file.ts';
import { settingsMarkdown } from './settings.ts';

function toolsMarkdown(): string {
  const names = ALL_TOOLS.map((tool) => `\`${tool.name}\``);
  const extras = names.slice(TOOLS.length).join(', ');
  return `${names.slice(0, TOOLS.length).join(', ')}\n\nThe toolset \`extras\` adds: ${extras}`;
}

/**
 * Returns the documents that have generated parts, with these parts filled in. Throws if a marker names an unknown part, or a
 * part has no marker.
 */
export async function generateReadmes(): Promise<GeneratedFile[]> {
  const manual = {
    commands: await commandsMarkdown(),
    settings: settingsMarkdown(),
    tools: toolsMarkdown(),
  };
  const readme = filled('README.md', {});
  // This is the only sentence of the README that gives the number of tools.
  const text = readme.text.replace(/gets \d+ tools/, `gets ${TOOLS.length} tools`);
  return [
    { ...readme, text },
    filled('src/cli/README.md', manual),
    filled('scripts/measure/README.md', { figures: figuresMarkdown() }),
    filled('scripts/bench/README.md', { bench: benchMarkdown() }),
  ];
}

function filled(path: string, given: Readonly<Record<string, string>>): GeneratedFile {
  const parts = new Map(Object.entries(given));
  const text = readFileSync(inRepository(path), 'utf8').replace(
    /(<!-- generated: (\w+) -->\n)[\s\S]*?(\n<!-- end -->)/g,
    (_whole, start: string, name: string, end: string) => {
      const part = parts.get(name);
      if (part === undefined) throw new Error(`${path}: nothing is generated for "${name}".`);
      parts.delete(name);
      return `${start}${part.trim()}${end}`;
    },
  );
  if (parts.size > 0) throw new Error(`${path} has no place for: ${[...parts.keys()].join(', ')}.`);
  return { path, text };
}
