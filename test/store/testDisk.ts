/** The real disk, with failures. */
import { type Disk, machineDisk } from '../../src/store/disk.ts';

export interface TestDisk {
  disk: Disk;
  /** Renames done so far. */
  saves(): number;
  /** From now on the step fails with this system error; null ends the failure. */
  fail(code: string | null, step?: keyof Disk): void;
  /** Stops the next writes until the returned function is called. */
  hold(): () => void;
}

/** The real disk, with failures. */
export function testDisk(): TestDisk {
  let saves = 0;
  let failing: { code: string; step: keyof Disk } | null = null;
  let gate = Promise.resolve();
  const attempt = async (step: keyof Disk, path: string, work: () => Promise<void>) => {
    if (step === 'writeSynced') await gate;
    if (failing?.step === step) {
      // A full disk leaves half a file.
      if (step === 'writeSynced') await machineDisk.writeSynced(path, Buffer.from('half'));
      throw Object.assign(new Error(`${failing.code}: simulated`), { code: failing.code });
    }
    await work();
    if (step === 'rename') saves++;
  };
  return {
    disk: {
      ...machineDisk,
      writeSynced: (path, bytes) => attempt('writeSynced', path, () => machineDisk.writeSynced(path, bytes)),
      rename: (from, to) => attempt('rename', to, () => machineDisk.rename(from, to)),
      syncDirectory: (path) => attempt('syncDirectory', path, () => machineDisk.syncDirectory(path)),
    },
    saves: () => saves,
    fail(code, step = 'writeSynced') {
      failing = code === null ? null : { code, step };
    },
    hold() {
      let open = () => {};
      gate = new Promise((resolve) => {
        open = resolve;
      });
      return open;
    },
  };
}
