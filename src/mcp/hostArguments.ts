/** Arguments that a host adds to each call for its own use and then passes on to the server. Pure. */
import { isObject } from '../base/parsing.ts';
import type { Tool } from '../tools/tool.ts';

/** To add an argument, add its name and host, with the place where it was seen. @internal */
export const HOST_ARGUMENTS: ReadonlyArray<{ name: string; host: string; source: string }> = [
  {
    name: 'wait_for_previous',
    host: 'Gemini CLI',
    source: 'https://github.com/google-gemini/gemini-cli/issues/27403',
  },
  { name: 'task_progress', host: 'Cline', source: 'https://github.com/cline/cline/issues/10426' },
  { name: 'toolCallId', host: 'n8n', source: 'https://github.com/n8n-io/n8n/issues/21500' },
];

/** `args` without the arguments that hosts add. An argument that the tool itself defines stays. */
export function withoutHostArguments({ input }: Tool, args: unknown): unknown {
  if (!isObject(args)) return args;
  const added = HOST_ARGUMENTS.filter(
    ({ name }) => Object.hasOwn(args, name) && !Object.hasOwn(input.shape, name),
  );
  if (added.length === 0) return args;
  return Object.fromEntries(Object.entries(args).filter(([key]) => !added.some(({ name }) => name === key)));
}
