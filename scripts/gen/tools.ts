/** The tool reference, and the exact `tools/list` entry of each tool, from the list of tools. */

import { toolEntry } from '../../src/mcp/surface.ts';
import { ALL_TOOLS } from '../../src/tools/index.ts';
import { toolsMarkdown } from '../../src/tools/markdown.ts';
import type { GeneratedFile } from './file.ts';

export function generateToolReference(): GeneratedFile[] {
  return [
    { path: 'src/tools/README.md', text: toolsMarkdown(ALL_TOOLS) },
    ...ALL_TOOLS.map((tool) => ({
      path: `test/tools/surface/${tool.name}.json`,
      text: `${JSON.stringify(toolEntry(tool), null, 2)}\n`,
    })),
  ];
}
