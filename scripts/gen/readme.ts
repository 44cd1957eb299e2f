/** The parts of `README.md` that come from the code: everything between a pair of `generated` markers. */
import { readFileSync } from 'node:fs';
import { settingsMarkdown } from '../../src/config/markdown.ts';
import { TOOLS } from '../../src/tools/index.ts';
import type { GeneratedFile } from './all.ts';
import { inRepository } from './paths.ts';

const parts: Record<string, () => string> = {
  settings: settingsMarkdown,
  tools: () => TOOLS.map((tool) => `\`${tool.name}\``).join(', '),
};

export function generateReadme(): GeneratedFile {
  const path = inRepository('README.md');
  const text = readFileSync(path, 'utf8').replace(
    /(<!-- generated: (\w+) -->\n)[\s\S]*?(\n<!-- end -->)/g,
    (whole, start: string, name: string, end: string) => {
      const make = parts[name];
      return make ? `${start}${make().trim()}${end}` : whole;
    },
  );
  return { path, text };
}
