/** The system's Chromium, headless, for tests of pages. One browser serves all tests of a process. */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';

const PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const executablePath = process.env.RELAY_CHROMIUM ?? PATHS.find((path) => existsSync(path));

/**
 * Why tests that need Chromium are skipped; false if they run. CI installs Chromium, so a missing Chromium is a failure there.
 */
export const withoutChromium =
  executablePath === undefined && process.env.CI !== 'true' ? 'Chromium is not installed' : false;

/** Arguments for a machine without a display. Most of them turn off the browser's own network use: tests only need loopback. */
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Time limit for closing on a slow machine, in milliseconds. */
const CLOSE_MS = 20_000;
/** Time limit for one step on a page on a slow machine, in milliseconds. */
const PATIENCE_MS = 60_000;

let shared: Promise<Browser> | undefined;
after(async () => (await shared)?.close());

/** Runs `work` with the browser, and then closes the profiles that `work` opened. */
export async function withChromium(work: (browser: Browser) => Promise<void>): Promise<void> {
  shared ??= launch();
  const browser = await shared;
  try {
    await work(browser);
  } finally {
    await closeProfiles(browser);
  }
}

/** Chromium may never report that a page is closed if the page was just navigating. Then the next test gets a new browser. */
async function closeProfiles(browser: Browser): Promise<void> {
  const closed = Promise.all(browser.contexts().map((context) => context.close()));
  const late = setTimeout(() => {
    shared = undefined;
    void browser.close();
  }, CLOSE_MS);
  // If closing the profiles takes too long, the browser is closed, and then the promise settles too.
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
  return browser;
}

const FACES = [
  { name: 'desktop-light', colorScheme: 'light', viewport: { width: 1280, height: 860 } },
  { name: 'desktop-dark', colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
  { name: 'phone-light', colorScheme: 'light', viewport: { width: 360, height: 740 } },
  { name: 'phone-dark', colorScheme: 'dark', viewport: { width: 360, height: 740 } },
] as const;

/** Directory for pictures that people look at; without it, no pictures are taken. */
const artifacts = process.env.RELAY_ARTIFACTS;

/** Takes pictures of the page in its present state: light and dark, desktop and phone. */
export async function screenshots(page: Page, subject: string): Promise<void> {
  if (artifacts === undefined) return;
  for (const { name, colorScheme, viewport } of FACES) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(viewport);
    await page.screenshot({ path: pathOf(artifacts, `${subject}-${name}`), fullPage: true });
  }
}

/** Takes a picture of what is in view, if `RELAY_ARTIFACTS` is set. */
export async function picture(page: Page, name: string): Promise<void> {
  if (artifacts !== undefined) await page.screenshot({ path: pathOf(artifacts, name) });
}

function pathOf(folder: string, name: string): string {
  mkdirSync(folder, { recursive: true });
  return join(folder, `${name}.png`);
}
