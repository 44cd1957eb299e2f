/** Opens a file or an address in the default browser. Fails if the launcher reports an error, which is not noticed on Windows. */
import open from 'open';
import { withholdFromChildren } from '../../base/childProcess.ts';
import { SECRET_VARIABLES } from '../../config/table.ts';
import type { World } from '../context.ts';

/**
 * How long the launcher, such as `xdg-open`, has to report a failure. A launcher that still runs after that has opened a
 * browser.
 */
const LAUNCH_MS = 1_500;

/** @throws Error if no browser can be started */
export async function startBrowser(
  target: string,
  { env, platform }: Pick<World, 'env' | 'platform'>,
): Promise<void> {
  // Under WSL the browser runs in Windows, so Linux needs no display.
  const signsOfBrowser = [env.DISPLAY, env.WAYLAND_DISPLAY, env.BROWSER, env.WSL_DISTRO_NAME];
  if (platform === 'linux' && !signsOfBrowser.some(Boolean))
    throw new Error('There is no graphical display.');
  withholdFromChildren(SECRET_VARIABLES);
  const child = await open(target);
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, LAUNCH_MS);
    const ended = (failed: boolean) => {
      clearTimeout(timer);
      if (failed) reject(new Error('The browser could not be opened.'));
      else resolve();
    };
    child.once('error', () => ended(true));
    child.once('exit', (code) => ended(code !== 0 && code !== null));
  });
}
