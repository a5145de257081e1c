// Debian's Chromium, without a window and without contacting anybody.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { chromium } from 'playwright-core';

export function start() {
  const executablePath = process.env.PATH.split(delimiter)
    .flatMap((folder) => ['chromium', 'chromium-browser'].map((name) => join(folder, name)))
    .find((path) => existsSync(path));
  return chromium.launch({
    executablePath,
    headless: true,
    // The sandbox needs a privilege that root in a container does not have; every page comes from this machine.
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
}
