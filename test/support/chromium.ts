/** A headless Chromium for tests of pages: the system's own, driven over its protocol. */
import { existsSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const executablePath = process.env.RELAY_CHROMIUM ?? PATHS.find((path) => existsSync(path));

/** Why tests that need Chromium are skipped; false when they run. CI installs it, so there a missing one fails. */
export const withoutChromium =
  executablePath === undefined && process.env.CI !== 'true' ? 'Chromium is not installed' : false;

/** Nothing of its own over the network: everything in these tests is on loopback. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function withChromium(work: (browser: Browser) => Promise<void>): Promise<void> {
  const browser = await chromium.launch({ executablePath: executablePath ?? '', args: ARGUMENTS });
  try {
    await work(browser);
  } finally {
    await browser.close();
  }
}

const FACES = [
  { name: 'desktop-light', colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  { name: 'desktop-dark', colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
  { name: 'phone-light', colorScheme: 'light', viewport: { width: 390, height: 844 } },
  { name: 'phone-dark', colorScheme: 'dark', viewport: { width: 390, height: 844 } },
] as const;

/** Pictures of the page as it is, for people to look at: light and dark, desktop and phone, outside the repository. */
export async function screenshots(page: Page, subject: string): Promise<void> {
  for (const { name, colorScheme, viewport } of FACES) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await page.screenshot({ path: pathOf(`${subject}-${name}`), fullPage: true });
  }
}

/** A picture of what is in view. */
export async function picture(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: pathOf(name) });
}

function pathOf(name: string): string {
  const folder = process.env.RELAY_ARTIFACTS ?? join(tmpdir(), 'relay-screenshots');
  mkdirSync(folder, { recursive: true });
  return join(folder, `${name}.png`);
}
