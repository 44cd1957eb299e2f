import { interruptible } from '../base/abort.ts';
import { RelayError } from '../domain/errors.ts';
import type { Context } from './context.ts';
import type { Connection } from './findServer.ts';

/** The running server, for commands that need one. @throws RelayError `NO_SERVER` */
export async function requireServer(context: Context): Promise<Connection> {
  const running = await interruptible(context.signal, context.running());
  if (running) return running;
  throw new RelayError('NO_SERVER', 'No server is running.', {
    remedy: { text: 'Start one with {command}.', command: ['serve'] },
  });
}
