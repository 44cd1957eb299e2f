/** What the server and the thread of an import say to each other. */
import type { ErrorCode } from '../../domain/errors.ts';
import type { PlaysProgress } from '../../domain/plays.ts';
import type { Remedy } from '../../domain/remedy.ts';
import type { CompiledWasm } from '../../store/sql/wasm.ts';

/** What the thread is given when it starts. */
export interface ImportStart {
  task: 'import';
  /** The compiled SQLite of this process. */
  module: CompiledWasm;
  home: string;
  /** Path of the export. */
  path: string;
  /** The name of the export in errors. */
  label: string;
}

/** What the thread tells: how far it is, and at last the result or why there is none. */
export type ImportReply =
  | { kind: 'progress'; progress: PlaysProgress }
  | { kind: 'failed'; code: ErrorCode; message: string; remedy: Remedy | undefined };
