// Debian's Chromium, without a window and without contacting anybody.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { chromium } from 'playwright-core';

import { PATIENCE } from '../extent.mjs';

export function start() {
  const executablePath = process.env.PATH.split(delimiter)
    .flatMap((folder) => ['chromium', 'chromium-browser'].map((name) => join(folder, name)))
    .find((path) => existsSync(path));
  return chromium.launch({
    executablePath,
    headless: true,
    timeout: PATIENCE,
    // The sandbox needs a privilege that root in a container does not have; every page comes from this machine.
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}

/** Returns the profile of a reader who has never been here, whose pages wait as long as a busy machine needs. */
export async function newContext(browser, options = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  return context;
}
