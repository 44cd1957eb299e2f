/**
 * Starts the server at login with the Windows Run key. Windows does not supervise the server, so this manager does not start or
 * stop it.
 */
import { systemProgram } from '../base/childProcess.ts';
import {
  homeIn,
  requireOk,
  requireOwn,
  type ServiceFacts,
  type ServiceManager,
  writerOf,
} from './manager.ts';
import {
  APPROVED_KEY,
  addArgs,
  isOurData,
  isSameData,
  isSwitchedOff,
  queriedData,
  RUN_KEY,
  runValue,
  VALUE,
} from './runKeyValue.ts';

const FILE = `${RUN_KEY}\\${VALUE}`;
const NOT_CHANGED = 'Windows did not change the Run key';
const REMEDY = 'Check whether the policy of this computer lets programs start at login.';

/**
 * Returns the command that `reg` printed. If its home may be that of `wanted`, the home is spelled as in `wanted`, since `reg`
 * cannot print every character.
 */
function withHomeOf(printed: string, wanted: string): string {
  const [shown, home] = [homeIn(printed), homeIn(wanted)];
  return isSameData(shown, home) ? printed.replace(shown, () => home) : printed;
}

export function runKeyManager({ env, machine, command }: ServiceFacts): ServiceManager {
  const program = systemProgram('reg.exe', env);
  const reg = (...args: string[]) => machine.run(program, args);

  async function find() {
    const wanted = runValue(command);
    const data = queriedData((await reg('query', RUN_KEY, '/v', VALUE)).out);
    const ours = data !== null && isOurData(data);
    const current = data !== null && isSameData(data, wanted);
    const approved = await reg('query', APPROVED_KEY, '/v', VALUE);
    return {
      file: FILE,
      writtenBy: writerOf(data, ours),
      command: current ? wanted : ours ? withHomeOf(data, wanted) : null,
      wanted,
      current,
      enabled: ours && !isSwitchedOff(approved.out),
      running: null,
      failed: false,
      pid: null,
      silent: null,
    };
  }

  return {
    logCommand: null,
    find,
    async install() {
      const found = await find();
      requireOwn(found);
      const { wanted, current, enabled } = found;
      if (!current) requireOk(await reg(...addArgs(wanted)), NOT_CHANGED, REMEDY);
      if (!enabled) await reg('delete', APPROVED_KEY, '/v', VALUE, '/f');
      return { changed: !current || !enabled, started: 'next login' };
    },
    async uninstall() {
      const found = await find();
      requireOwn(found);
      if (found.writtenBy === 'nobody') return false;
      requireOk(await reg('delete', RUN_KEY, '/v', VALUE, '/f'), NOT_CHANGED, REMEDY);
      return true;
    },
  };
}
