/** Starts the browser of this computer. Fails after a moment if there is none. */
import open from 'open';
import { withholdFromChildren } from '../../base/childProcess.ts';
import { SECRET_VARIABLES } from '../../config/table.ts';
import type { World } from '../context.ts';

/** A program that finds no browser exits within this time. A program that has opened one may keep running. */
const GIVES_UP_MS = 1_500;

/** @throws Error if no browser can be started */
export async function startBrowser(
  target: string,
  { env, platform }: Pick<World, 'env' | 'platform'>,
): Promise<void> {
  // Under WSL the browser runs in Windows, so Linux needs no screen.
  const screens = [env.DISPLAY, env.WAYLAND_DISPLAY, env.BROWSER, env.WSL_DISTRO_NAME];
  if (platform === 'linux' && !screens.some(Boolean)) throw new Error('There is no screen.');
  withholdFromChildren(SECRET_VARIABLES);
  const child = await open(target);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, GIVES_UP_MS);
    const ended = (failed: boolean) => {
      clearTimeout(timer);
      if (failed) reject(new Error('No program opens it.'));
      else resolve();
    };
    child.once('error', () => ended(true));
    child.once('exit', (code) => ended(code !== 0 && code !== null));
  });
}
