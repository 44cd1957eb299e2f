import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { interruptible } from '../../base/abort.ts';
import { RelayError } from '../../domain/errors.ts';
import { remedyText } from '../../domain/remedy.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode, type Finish } from '../exit.ts';
import { note, printJson, printLine } from '../terminal/output.ts';
import { HELP_GROUPS, parentCommand } from '../usage/commandGroups.ts';
import { commandLine } from '../usage/commandLine.ts';
import type { OpenService } from './serviceSetup.ts';

const EXPLANATION = `
The service runs \`relay serve\` as you: a systemd user unit on Linux, a launchd
agent on macOS, an entry in the Run key on Windows. It gets its settings from
config.json, not from your environment. On Linux \`loginctl enable-linger\` lets
it run while nobody is logged in.

Exit code of status: 0 if it starts at login, 1 if something is left to do

Examples:
  $ relay service install
  $ relay service
  $ relay service uninstall`;

export function serviceCommand(context: Context, finish: Finish): Command {
  const status = async () => finish(await runServiceStatus(context));
  return parentCommand('service', 'Start the server at every login, as a service', status)
    .helpGroup(HELP_GROUPS.server)
    .addHelpText('after', EXPLANATION)
    .addCommand(
      new Command('install')
        .description('Start the server now and at every login')
        .action(() => runServiceInstall(context)),
    )
    .addCommand(
      new Command('uninstall')
        .description('Stop the service and remove it')
        .action(() => runServiceUninstall(context)),
    )
    .addCommand(
      new Command('status').description('Show whether the service is installed and running').action(status),
    );
}

async function runServiceInstall(context: Context): Promise<void> {
  const { checkInstallable, openService } = await import('./serviceSetup.ts');
  const service = await openService(context);
  const left = checkInstallable(context, service);
  const { manager } = service;
  const [before, server] = await Promise.all([manager.find(), service.server()]);
  const other = server !== null && server.pid !== before.pid ? server : null;
  const { changed, started } = await interruptible(context.signal, manager.install(other === null));
  const up =
    started === 'now' ? await interruptible(context.signal, waitForServer(context, service)) : server;
  const { file, enabled, command, silent } = await manager.find();

  const url = up === null ? null : `${up.baseUrl}/mcp`;
  if (context.json) {
    const running = started !== 'next login';
    const done = { installed: true, changed, enabled, running, started, file, command, url };
    return printJson(context.io, { ...done, other, silent, left });
  }
  const { installedText } = await import('./serviceText.ts');
  const { platform } = context;
  const serve = commandLine(context, 'serve');
  const text = installedText({ file, changed, started, url, other, silent, left, platform, serve });
  for (const line of text.lines) printLine(context.io, line);
  for (const line of text.notes) note(context.io, line);
}

async function runServiceUninstall(context: Context): Promise<void> {
  const { openService, refuseSudo } = await import('./serviceSetup.ts');
  const service = await openService(context);
  refuseSudo(context, service.machine);
  const { file } = await service.manager.find();
  const removed = await interruptible(context.signal, service.manager.uninstall());
  const server = await service.server();
  if (context.json) return printJson(context.io, { installed: false, removed, file, server });
  // The file of a package stays until the package is removed.
  const done = existsSync(file) ? `Stopped and disabled ${file}` : `Removed ${file}`;
  printLine(context.io, removed ? done : 'The service was not installed.');
  if (server)
    note(context.io, `A server is still running for this home (pid ${server.pid}). Stop it with Ctrl-C.`);
}

async function runServiceStatus(context: Context): Promise<ExitCode> {
  const { openService } = await import('./serviceSetup.ts');
  const { problemsOf, serviceText } = await import('./serviceText.ts');
  const service = await openService(context);
  const [found, server] = await Promise.all([service.manager.find(), service.server()]);
  const problems = problemsOf(found, service.manager.logCommand).map((problem) => ({
    ...problem,
    remedy: remedyText(problem.remedy, (words) => commandLine(context, ...words)),
  }));
  const { writtenBy, wanted: expectedCommand, silent, ...rest } = found;
  const installed = writtenBy === 'relay';
  const running = found.running ?? (context.platform === 'win32' ? server !== null : null);
  if (context.json)
    printJson(context.io, { installed, ...rest, running, expectedCommand, silent, server, problems });
  else for (const line of serviceText({ ...found, running }, server, problems)) printLine(context.io, line);
  return problems.length === 0 ? EXIT.done : EXIT.failed;
}

const MAX_WAIT_MS = 15_000;
const POLL_MS = 300;

/**
 * Waits for the server that the service has started. Returns null if the server is not ready in time. Throws `SERVICE_FAILED`
 * if the server has stopped.
 */
async function waitForServer(context: Context, { manager, server }: OpenService) {
  const end = context.clock.monotonic() + MAX_WAIT_MS;
  while (context.clock.monotonic() < end) {
    const up = await server();
    if (up) return up;
    if ((await manager.find()).failed) throw ended(manager.logCommand);
    await context.clock.sleep(POLL_MS, context.signal);
  }
  return null;
}

function ended(logCommand: string | null): RelayError {
  const message = 'The service is installed, but the server that it started has stopped.';
  const remedy = logCommand === null ? {} : { remedy: `To see why: ${logCommand}` };
  return new RelayError('SERVICE_FAILED', message, remedy);
}
