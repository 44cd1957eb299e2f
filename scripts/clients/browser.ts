/** Approves clients in Chromium, as the owner would, when they sign in. */
import { chmod, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Browser, chromium } from 'playwright-core';

/** Names of the programs that clients on Linux call to open the browser. */
const OPENERS = ['xdg-open', 'x-www-browser', 'www-browser', 'sensible-browser'];

/**
 * Makes a program in `folder` for each name in `OPENERS`. The programs write the address into the file `noted` instead of
 * opening it.
 */
export async function makeOpeners(folder: string, noted: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const [first = '', ...others] = OPENERS;
  const path = join(folder, first);
  await writeFile(path, `#!/bin/sh\nprintf '%s\\n' "$1" >> '${noted}'\n`);
  await chmod(path, 0o755);
  for (const name of others) await symlink(first, join(folder, name));
}

export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: process.env.RELAY_CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
  });
}

/**
 * Approves with the owner code on each approval page that is opened, until `signal` aborts.
 * @returns for each approval page, the text of the page after it, or the message of the error if approving failed
 */
export async function approveAll(
  browser: Browser,
  { noted, ownerCode, signal }: { noted: string; ownerCode: string; signal: AbortSignal },
): Promise<string[]> {
  const pages: string[] = [];
  for (;;) {
    const url = await openedUrl(noted, signal);
    if (url === null) return pages;
    pages.push(await approve(browser, url, ownerCode).catch((error: Error) => error.message));
  }
}

async function approve(browser: Browser, url: string, ownerCode: string): Promise<string> {
  const profile = await browser.newContext();
  try {
    const page = await profile.newPage();
    await page.goto(url);
    await page.getByLabel('Owner code').fill(ownerCode);
    await page.locator('#approve:enabled').click();
    await page.waitForURL((to) => to.origin !== new URL(url).origin, { waitUntil: 'domcontentloaded' });
    return await page.locator('body').innerText();
  } finally {
    await profile.close();
  }
}

async function openedUrl(noted: string, signal: AbortSignal): Promise<string | null> {
  while (!signal.aborted) {
    const text = await readFile(noted, 'utf8').catch(() => '');
    const url = text.split('\n').find((line) => line.includes('/oauth/authorize?'));
    if (url !== undefined) {
      await rm(noted);
      return url;
    }
    await pause(100, undefined, { signal }).catch(() => {});
  }
  return null;
}
