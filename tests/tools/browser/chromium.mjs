// Debian's Chromium, without a window and without contacting anybody.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

import { chromium } from 'playwright-core';

import { PATIENCE } from '../extent.mjs';

/** The first that is on the path is used: the shell draws the same pages, and makes no window for each of them. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser'];

/** How many of its last lines are printed when a browser ends by itself. */
const LAST_LINES = 12;

/** Starts a browser, which is replaced when it ends by itself. */
export async function start() {
  const browser = new Browser();
  await browser.replace(null);
  return browser;
}

/** Returns the profile of a reader who has never been here, whose pages wait as long as a busy machine needs. */
export async function newContext(browser, options = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  return context;
}

/** A browser, and those that it replaced. */
class Browser {
  #all = [];
  #starting = null;
  #isClosing = false;

  /** The process that is in use, for `replace`. */
  get current() {
    return this.#all.at(-1) ?? null;
  }

  async newContext(options) {
    if (!this.current.isConnected()) await this.replace(this.current);
    return this.current.newContext(options);
  }

  /** Starts another process unless that has happened since `used` was in use, whose pages may still be looked at. */
  async replace(used) {
    if (this.current !== used) return;
    this.#starting ??= this.#launch().finally(() => (this.#starting = null));
    await this.#starting;
  }

  async close() {
    this.#isClosing = true;
    await Promise.all(this.#all.map((it) => it.close().catch(() => {})));
  }

  async #launch() {
    const lines = [];
    const browser = await chromium.launch({
      executablePath: installed(),
      headless: true,
      timeout: PATIENCE,
      logger: { isEnabled: (name) => name === 'browser', log: (name, severity, line) => lines.push(String(line)) && lines.length > LAST_LINES && lines.shift() },
      // The sandbox needs a privilege that root in a container does not have; every page comes from this machine.
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    browser.on('disconnected', () => {
      if (!this.#isClosing) console.log(`the browser ended by itself; its last lines:\n  ${lines.join('\n  ')}`);
    });
    this.#all.push(browser);
  }
}

function installed() {
  const folders = process.env.PATH.split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (!found) throw new Error(`none of ${NAMES.join(', ')} is on the path`);
  return found;
}
