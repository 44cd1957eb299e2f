import { Command } from 'commander';
import { aborted } from '../../base/abort.ts';
import type { Settings } from '../../config/settings.ts';
import { isWorking, type JobStatus } from '../../domain/job.ts';
import { choiceHeaders } from '../../domain/toolsets.ts';
import type { RunningServer } from '../../server/start.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode, type Finish } from '../exit.ts';
import { note } from '../terminal/output.ts';
import { HELP_GROUPS } from '../usage/commandGroups.ts';
import { type ToolOptions, toolChoice } from '../usage/toolFlags.ts';

export function stdioCommand(context: Context, finish: Finish): Command {
  return new Command('stdio')
    .helpGroup(HELP_GROUPS.clients)
    .description('Speak MCP on stdin and stdout, for clients that start programs')
    .option('--toolsets <list>', 'Limit the client to these toolsets')
    .option('--read-only', 'Limit the client to tools that change nothing')
    .addHelpText(
      'after',
      `
Uses the running server. Without one, it becomes the server, for as long as
clients need it.

Examples:
  $ relay connect claude-desktop --write
  $ relay stdio --demo`,
    )
    .action(async (options: ToolOptions) => finish(await runStdio(context, options)));
}

const LOOK_AGAIN_MS = 1_000;

/** Carries until the client closes stdin or the context's signal aborts. */
async function runStdio(context: Context, options: ToolOptions): Promise<ExitCode> {
  const headers = choiceHeaders(toolChoice(options));
  // First of all: what is loaded from here on may print.
  const pipe = context.pipe();
  const { createServerLink } = await import('./serverLink.ts');
  const { createCarrier } = await import('./carrier.ts');
  const { readLines } = await import('./lines.ts');
  if (pipe.terminal) note(context.io, 'Waiting for messages of an MCP client. Ctrl-D ends it.');
  const link = createServerLink(context, {
    demo: context.demo,
    headers,
    host: (settings) => host(context, settings),
  });
  const carrier = createCarrier(link, pipe.write);
  const over = AbortSignal.any([context.signal, pipe.closed]);
  link.begin();
  await readLines(pipe.input, { line: carrier.take, open: () => carrier.open }, over);
  await Promise.race([carrier.idle(), aborted(over)]);
  if (pipe.closed.aborted) carrier.stop();
  if (link.hosted && !context.signal.aborted) await whileNeeded(context, link.hosted);
  // A server that is stopped still answers what it has begun.
  await link.close();
  carrier.stop();
  await carrier.idle();
  await pipe.flushed();
  return EXIT.done;
}

async function host(context: Context, settings: Settings): Promise<RunningServer> {
  const { openServer } = await import('../serve/openServer.ts');
  try {
    return await openServer(context, settings, 'relay stdio');
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'PORT_TAKEN') throw error;
    note(context.io, `Another program is using port ${settings.port}, so relay takes a free one.`);
    return await openServer(context, { ...settings, port: 0 }, 'relay stdio');
  }
}

/** The server outlives its own client while others use it or a job is being worked on. */
async function whileNeeded({ clock, signal }: Context, server: RunningServer): Promise<void> {
  while (!signal.aborted && (server.isUsed() || (await isBusy(server)))) {
    await clock.sleep(LOOK_AGAIN_MS, signal).catch(() => {});
  }
}

async function isBusy({ local }: RunningServer): Promise<boolean> {
  const jobs = await local.status().then(
    (report) => report.jobs,
    () => null,
  );
  if (jobs === null) return false;
  return Object.keys(jobs.byStatus).some((status) => isWorking(status as JobStatus));
}
