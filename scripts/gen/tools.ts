/** Generates the tool reference, and for each tool a file with its exact entry in `tools/list`. */

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
