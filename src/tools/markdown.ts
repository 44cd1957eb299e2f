/** The tool reference as Markdown, from the tool objects themselves. */
import * as z from 'zod';
import { groupOf } from './index.ts';
import type { Tool } from './tool.ts';

interface Parameter {
  description?: string;
  type?: string;
  default?: unknown;
  enum?: unknown[];
}

export function toolsMarkdown(tools: readonly Tool[]): string {
  const head = [
    '# Tools',
    '',
    `The ${tools.length} tools that this version offers.`,
    '',
    '| tool | toolset | kind | what it does |',
    '|---|---|---|---|',
    ...tools.map(
      (tool) =>
        `| [\`${tool.name}\`](#${tool.name}) | ${groupOf(tool)} | ${tool.kind} | ${firstSentence(tool.description)} |`,
    ),
  ];
  return `${[...head, ...tools.flatMap(section)].join('\n')}\n`;
}

/** The section of one tool. */
export function toolMarkdown(tool: Tool): string {
  return `${section(tool).slice(1).join('\n')}\n`;
}

function section(tool: Tool): string[] {
  const schema = z.toJSONSchema(tool.input, { io: 'input' }) as {
    properties?: Record<string, Parameter>;
    required?: string[];
  };
  const parameters = Object.entries(schema.properties ?? {});
  const rows = parameters.map(([name, parameter]) => {
    const need = schema.required?.includes(name) ? 'required' : 'optional';
    return `| \`${name}\` | ${typeOf(parameter)} | ${need} | ${cell(parameter.description ?? '')} |`;
  });
  return [
    '',
    `## ${tool.name}`,
    '',
    `**${tool.title}** (${tool.kind}). ${tool.description}`,
    '',
    ...(rows.length === 0
      ? ['No arguments.']
      : ['| argument | type | | meaning |', '|---|---|---|---|', ...rows]),
    '',
    `Result: ${Object.keys(tool.output.shape)
      .map((name) => `\`${name}\``)
      .join(', ')}.`,
  ];
}

function typeOf(parameter: Parameter): string {
  if (parameter.enum) return parameter.enum.map((value) => `\`${String(value)}\``).join(', ');
  return parameter.type ?? 'any';
}

function firstSentence(text: string): string {
  return cell(/^.*?[.:](?=\s|$)/.exec(text)?.[0].replace(/:$/, '.') ?? text);
}

function cell(text: string): string {
  return text.replace(/\|/g, '\\|').replace(/\n/g, ' ');
}
