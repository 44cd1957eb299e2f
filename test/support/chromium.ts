/** A headless Chromium for tests of pages: the system's own, driven over its protocol, one for all tests of a process. */
import { existsSync, mkdirSync } from 'node:fs';
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

/** What closing takes on a slow machine. */
const CLOSE_MS = 20_000;
/** What one step on a page may take on a slow machine. */
const PATIENCE_MS = 60_000;

let shared: Promise<Browser> | undefined;

/** Gives `work` a browser whose profiles are its own: they are closed afterwards, the browser continues. */
export async function withChromium(work: (browser: Browser) => Promise<void>): Promise<void> {
  shared ??= launch();
  const browser = await shared;
  try {
    await work(browser);
  } finally {
    await closeProfiles(browser);
  }
}

/** Chromium may never say that a page is closed which was just leaving for another; then the next test gets a new one. */
async function closeProfiles(browser: Browser): Promise<void> {
  const closed = Promise.all(browser.contexts().map((context) => context.close()));
  const late = setTimeout(() => {
    shared = undefined;
    void browser.close();
  }, CLOSE_MS);
  // Closing the browser ends whatever still waits on it.
  await closed.catch(() => {}).finally(() => clearTimeout(late));
}

async function launch(): Promise<Browser> {
  const signals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false };
  const browser = await chromium.launch({
    executablePath: executablePath ?? '',
    args: ARGUMENTS,
    ...signals,
  });
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
  // The process that hands out test files has no more of them.
  process.once('disconnect', () => void browser.close());
  return browser;
}

const FACES = [
  { name: 'desktop-light', colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  { name: 'desktop-dark', colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
  { name: 'phone-light', colorScheme: 'light', viewport: { width: 360, height: 740 } },
  { name: 'phone-dark', colorScheme: 'dark', viewport: { width: 360, height: 740 } },
] as const;

/** Pictures for people to look at are made when somebody says where they go. */
const artifacts = process.env.RELAY_ARTIFACTS;

/** Pictures of the page as it is: light and dark, desktop and phone. */
export async function screenshots(page: Page, subject: string): Promise<void> {
  if (artifacts === undefined) return;
  for (const { name, colorScheme, viewport } of FACES) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await page.screenshot({ path: pathOf(artifacts, `${subject}-${name}`), fullPage: true });
  }
}

/** A picture of what is in view. */
export async function picture(page: Page, name: string): Promise<void> {
  if (artifacts !== undefined) await page.screenshot({ path: pathOf(artifacts, name) });
}

function pathOf(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  return join(folder, `${name}.png`);
}
