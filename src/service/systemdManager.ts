/** Starts the server at login with systemd, as a user unit. */

import { RelayError } from '../domain/errors.ts';
import { requireOk, requireOwn, type ServiceFacts, type ServiceManager, writerOf } from './manager.ts';
import { linkTarget, putLink, readText, removeFile, replaceText } from './serviceFiles.ts';
import {
  execStart,
  isOurUnit,
  isPackagedUnit,
  UNIT,
  unitCommand,
  unitPaths,
  unitState,
  unitText,
} from './systemdUnit.ts';

/** A stopping server may take a minute to finish its work. */
const STOP_MS = 90_000;
const LOG = 'journalctl --user -u relay -n 20';
const REMEDY = `To see why: ${LOG}`;

export function systemdManager({ env, machine, command }: ServiceFacts): ServiceManager {
  const { unit, link } = unitPaths(env, machine.homeDir);
  const wanted = unitText(command);
  const ask = (verb: string, ...args: string[]) => machine.run('systemctl', ['--user', verb, ...args]);

  /** Returns the package's unit if the person has enabled it. systemd uses it if the person has no unit of their own. */
  async function findPackaged() {
    const file = await linkTarget(link);
    const text = file === null ? null : await readText(file);
    return file !== null && text !== null && isPackagedUnit(text) ? { file, text } : null;
  }

  async function find() {
    const own = await readText(unit);
    const packaged = own === null ? await findPackaged() : null;
    const { file, text } = packaged ?? { file: unit, text: own };
    const ours = text !== null && (packaged !== null || isOurUnit(text));
    const installed = ours ? unitCommand(text) : null;
    const shown = await ask('show', UNIT, '--property=UnitFileState,ActiveState,SubState,MainPID');
    const state = shown.ok
      ? unitState(shown.out)
      : { enabled: (await linkTarget(link)) !== null, running: null, failed: false, pid: null };
    return {
      file,
      writtenBy: writerOf(text, ours),
      command: installed,
      wanted: execStart(command),
      current: packaged === null ? text === wanted : installed === execStart(command),
      ...state,
      enabled: ours && state.enabled,
      silent: shown.ok ? null : shown.err,
    };
  }

  /**
   * Throws if there is no systemd, since nothing would read the unit. If systemd runs but this session cannot reach it, a
   * link to the unit is enough.
   */
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

  return {
    logCommand: LOG,
    find,
    async install(start) {
      const before = await find();
      requireOwn(before);
      if (before.silent !== null) await requireSystemd(before.silent);
      const changed = !before.current || !before.enabled;
      const file = before.current ? before.file : unit;
      if (!before.current) await replaceText(unit, wanted);
      // systemd refuses to enable the unit while the link leads to the package's unit.
      if (!before.current && before.enabled) await putLink(link, file);
      if (!(await ask('daemon-reload')).ok) {
        await putLink(link, file);
        return { changed, started: 'next login' };
      }
      requireOk(await ask('enable', UNIT), 'systemd did not enable the service', REMEDY);
      if (!start) return { changed, started: 'next login' };
      if (before.running && before.current) return { changed, started: 'was running' };
      // After too many failures, systemd refuses to start the unit until they are reset.
      await ask('reset-failed', UNIT);
      const restarted = await machine.run('systemctl', ['--user', 'restart', UNIT], STOP_MS);
      requireOk(restarted, 'systemd did not start the service', REMEDY);
      return { changed, started: 'now' };
    },
    async uninstall() {
      const found = await find();
      requireOwn(found);
      const linked = (await linkTarget(link)) !== null;
      if (found.writtenBy === 'nobody' && !linked) return false;
      // This fails if the unit file is gone. The remaining files are removed anyway.
      await machine.run('systemctl', ['--user', 'disable', '--now', UNIT], STOP_MS);
      await removeFile(unit);
      await removeFile(link);
      await ask('daemon-reload');
      return true;
    },
  };
}
