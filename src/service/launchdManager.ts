/** Starts the server at login with launchd, as an agent of the user. */

import {
  agentPaths,
  agentState,
  isDisabled,
  isOurPlist,
  LABEL,
  plistCommand,
  plistText,
} from './launchdPlist.ts';
import { requireOk, requireOwn, type ServiceFacts, type ServiceManager, writerOf } from './manager.ts';
import { shellText } from './serveCommand.ts';
import { readText, removeFile, replaceText } from './serviceFiles.ts';

/** A stopping server may take a minute to finish its work. */
const STOP_MS = 90_000;
/** `bootout` does not wait until the old agent has ended, and `bootstrap` fails until then. */
const BOOTSTRAP_TRIES = 20;
const BOOTSTRAP_PAUSE_MS = 500;

export function launchdManager({ machine, command, sleep }: ServiceFacts): ServiceManager {
  const { plist, log } = agentPaths(machine.homeDir);
  const wanted = plistText(command, log);
  const domain = `gui/${machine.uid ?? ''}`;
  const target = `${domain}/${LABEL}`;
  const ask = (...args: string[]) => machine.run('launchctl', args);

  async function find() {
    const text = await readText(plist);
    const ours = text !== null && isOurPlist(text);
    const printed = await ask('print', target);
    const disabled = await ask('print-disabled', domain);
    return {
      file: plist,
      writtenBy: writerOf(text, ours),
      command: ours ? plistCommand(text) : null,
      wanted: shellText(command),
      current: text === wanted,
      enabled: ours && !isDisabled(disabled.out),
      ...(printed.ok ? agentState(printed.out) : { running: false, failed: false, pid: null }),
      silent: disabled.ok ? null : disabled.err,
      loaded: printed.ok,
    };
  }

  /** Loads the agent, which also starts it. */
  async function bootstrap() {
    for (let tries = 1; ; tries++) {
      const ran = await ask('bootstrap', domain, plist);
      if (ran.ok || tries === BOOTSTRAP_TRIES) return ran;
      await sleep(BOOTSTRAP_PAUSE_MS);
    }
  }

  return {
    logCommand: 'tail ~/Library/Logs/relay.log',
    find,
    async install(start) {
      const before = await find();
      requireOwn(before);
      const changed = !before.current || !before.enabled;
      if (!before.current) await replaceText(plist, wanted);
      if (before.silent !== null) return { changed, started: 'next login' };
      await ask('enable', target);
      if (!start) return { changed, started: 'next login' };
      if (before.running && before.current) return { changed, started: 'was running' };
      if (before.loaded) await machine.run('launchctl', ['bootout', target], STOP_MS);
      requireOk(await bootstrap(), 'launchd did not start the service', `To see why: tail ${log}`);
      return { changed, started: 'now' };
    },
    async uninstall() {
      const found = await find();
      requireOwn(found);
      if (found.writtenBy === 'nobody' && !found.loaded) return false;
      if (found.loaded) await machine.run('launchctl', ['bootout', target], STOP_MS);
      await removeFile(plist);
      return true;
    },
  };
}
