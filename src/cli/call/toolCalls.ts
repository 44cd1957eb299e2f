/** The running server's tools, for commands that call some. */
import { RelayError } from '../../domain/errors.ts';
import { type Context, interruptible } from '../context.ts';
import type { McpConnection } from './mcpClient.ts';

/** @throws RelayError `NO_SERVER` */
export async function connectTools(context: Context): Promise<McpConnection> {
  const running = await interruptible(context.signal, context.running());
  if (!running) {
    throw new RelayError('NO_SERVER', 'No server is running.', {
      remedy: { text: 'Start one with {command}.', command: ['serve'] },
    });
  }
  const { token } = await running.local.mcpToken();
  // Not the public URL: this machine may not reach it.
  const url = `${running.baseUrl}/mcp`;
  const { connectMcp } = await import('./mcpClient.ts');
  const { version, signal } = context;
  return interruptible(signal, connectMcp({ url, token, version, signal }));
}
