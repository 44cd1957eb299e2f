/** Starts the server at login with systemd, as a user unit. */

import { RelayError } from '../domain/errors.ts';
import {
  type Ran,
  refused,
  type ServiceFacts,
  type ServiceManager,
  type ServiceStatus,
  type Start,
  writtenByOther,
} from './manager.ts';
import { linkTarget, putLink, readText, removeFile, replaceText } from './serviceFiles.ts';
import { execStart, isOurUnit, UNIT, unitCommand, unitPaths, unitState, unitText } from './systemdUnit.ts';

/** A stopping server may take a minute to finish its work. */
const STOP_MS = 90_000;
const LOG = 'journalctl --user -u relay -n 20';

export function systemdManager({ env, machine, command }: ServiceFacts): ServiceManager {
  const { unit, link } = unitPaths(env, machine.homeDir);
  const wanted = unitText(command);
  const ask = (verb: string, ...args: string[]) => machine.run('systemctl', ['--user', verb, ...args]);

  async function find(): Promise<ServiceStatus> {
    const text = await readText(unit);
    const ours = text !== null && isOurUnit(text);
    const shown = await ask('show', UNIT, '--property=UnitFileState,ActiveState,SubState,MainPID');
    const state = shown.ok
      ? unitState(shown.out)
      : { enabled: (await linkTarget(link)) !== null, running: null, failed: false, pid: null };
    return {
      file: unit,
      writtenBy: text === null ? 'nobody' : ours ? 'relay' : 'other',
      command: ours ? unitCommand(text) : null,
      wanted: execStart(command),
      current: text === wanted,
      ...state,
      enabled: ours && state.enabled,
      silent: shown.ok ? null : shown.err,
    };
  }

  async function install(start: boolean): Promise<{ changed: boolean; started: Start }> {
    const before = await find();
    if (before.writtenBy === 'other') throw writtenByOther(unit);
    if (before.silent !== null) await requireSystemd(before.silent);
    const changed = !before.current || !before.enabled;
    if (!before.current) await replaceText(unit, wanted);
    if (!(await ask('daemon-reload')).ok) {
      await putLink(link, unit);
      return { changed, started: 'next login' };
    }
    check(await ask('enable', UNIT), 'systemd did not enable the service');
    if (!start) return { changed, started: 'next login' };
    if (before.running && before.current) return { changed, started: 'was running' };
    // After too many failures systemd refuses to start the unit without this.
    await ask('reset-failed', UNIT);
    const restarted = await machine.run('systemctl', ['--user', 'restart', UNIT], STOP_MS);
    check(restarted, 'systemd did not start the service');
    return { changed, started: 'now' };
  }

  /** If systemd runs but this session cannot reach it, a link is enough; without systemd nothing would read it. */
  async function requireSystemd(silent: string): Promise<void> {
    // sd_booted(3): the directory exists if and only if systemd started the system.
    if ((await machine.run('test', ['-d', '/run/systemd/system'])).ok) return;
    throw new RelayError('SERVICE_FAILED', `There is no systemd here to start relay at login: ${silent}`, {
      remedy: {
        text: 'Nothing was installed. Start it with {command}, or add it to whatever starts your other programs.',
        command: ['serve'],
      },
    });
  }

  async function uninstall(): Promise<boolean> {
    const { writtenBy } = await find();
    if (writtenBy === 'other') throw writtenByOther(unit);
    const linked = (await linkTarget(link)) !== null;
    if (writtenBy === 'nobody' && !linked) return false;
    // This fails if the unit file is gone. What is left is removed anyway.
    await machine.run('systemctl', ['--user', 'disable', '--now', UNIT], STOP_MS);
    await removeFile(unit);
    await removeFile(link);
    await ask('daemon-reload');
    return true;
  }

  return { logCommand: LOG, find, install, uninstall };
}

function check(ran: Ran, what: string): void {
  if (!ran.ok) throw refused(what, ran, `To see why: ${LOG}`);
}
