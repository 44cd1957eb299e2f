/** Copies the state of a home into one file, with versions and plays. */
import { memoryCompanion } from '../../library/files/files.ts';
import { type Backup, type BackupOptions, backUpState } from '../../store/copies/backup.ts';

/** @throws as `backUpState` does */
export function backUpHome(options: BackupOptions & { home: string }): Promise<Backup> {
  return backUpState({ ...options, companion: memoryCompanion(options.home) });
}
