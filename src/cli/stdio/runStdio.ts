/** Runs `relay stdio`, both for the whole program and for the small script in an executable. */
import { aborted, either } from '../../base/abort.ts';
import type { Settings } from '../../config/settings.ts';
import { isWorking, type JobStatus } from '../../domain/job.ts';
import type { RunningServer } from '../../server/start.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { endOfInput } from '../terminal/endOfInput.ts';
import { note } from '../terminal/output.ts';
import { type ToolOptions, toolChoice } from '../usage/toolFlags.ts';

const LOOK_AGAIN_MS = 1_000;

/**
 * Carries messages until the client closes stdin or the context's signal aborts.
 * @param host starts the server in this process
 */
export async function runStdio(
  context: Context,
  options: ToolOptions,
  host: (settings: Settings) => Promise<RunningServer>,
): Promise<ExitCode> {
  // A wrong flag is an error of the command line, not an answer to the client.
  toolChoice(options);
  // This comes first, since modules that are loaded later may print, and stdout must carry only messages.
  const pipe = context.pipe();
  const { createServerLink } = await import('./serverLink.ts');
  const { createCarrier } = await import('./carrier.ts');
  const { readLines } = await import('./lines.ts');
  if (pipe.terminal) {
    note(context.io, `Waiting for messages of an MCP client. ${endOfInput(context.platform)} ends it.`);
  }
  const link = createServerLink(context, { tools: options, host });
  const carrier = createCarrier(link, pipe.write);
  const over = either(context.signal, pipe.closed);
  link.begin();
  await readLines(pipe.input, { line: carrier.take, open: () => carrier.open }, over);
  await Promise.race([carrier.idle(), aborted(over)]);
  if (pipe.closed.aborted) carrier.stop();
  if (link.hosted && !context.signal.aborted) await whileNeeded(context, link.hosted);
  // A stopping server still answers the requests that it has begun.
  await link.close();
  carrier.stop();
  await carrier.idle();
  await pipe.flushed();
  return EXIT.done;
}

/** Keeps the server running after its own client has gone, while other clients use it or a job is working. */
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
