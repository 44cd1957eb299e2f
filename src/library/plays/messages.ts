/** What the server and the thread that reads an export say to each other. */
import type { PlayBatch } from './stagedPlays.ts';

export interface ImportStart {
  path: string;
  /** The name of the export in errors. */
  label: string;
  /** User name, in lower case, of the only account whose history may be imported; null for any account. */
  only: string | null;
}

/** What the thread sends. It sends a `batch` only after the server has sent `next`. */
export type ImportReply =
  | { kind: 'progress'; done: number; total: number }
  | {
      kind: 'read';
      count: number;
      range: { from: number; to: number } | null;
      unreadable: number;
      account: string | null;
    }
  | { kind: 'batch'; batch: PlayBatch }
  | { kind: 'end' }
  | { kind: 'foreign'; account: string }
  | { kind: 'refused'; message: string; remedy: string };
