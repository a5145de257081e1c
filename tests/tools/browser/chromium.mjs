// Debian's Chromium, headless and without requests to other hosts.

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { PATIENCE } from '../extent.mjs';

/** The log folder of the browser, which Playwright reads when it is loaded. */
const folder = mkdtempSync(join(tmpdir(), 'mecelle-browser.'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.env.DEBUG ??= 'pw:browser';
process.env.DEBUG_FILE ??= join(folder, 'log');
const { chromium } = await import('playwright-core');

/** The first on the path is used: the shell draws the same pages without windows. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser'];

/** How many of these lines are printed when a browser ends by itself. */
const LAST_LINES = 12;

/** Starts a browser, which is replaced when it ends by itself. */
export async function start() {
  const browser = new Browser();
  await browser.replace(null);
  return browser;
}

/** Returns a new profile with time limits for a busy machine. */
export async function newContext(browser, options = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  return context;
}

/** A browser, and those before it. */
class Browser {
  #all = [];
  #starting = null;
  #isClosing = false;

  /** The current process, for `replace`. */
  get current() {
    return this.#all.at(-1) ?? null;
  }

  async newContext(options) {
    if (!this.current.isConnected()) await this.replace(this.current);
    return this.current.newContext(options);
  }

  /** Starts another process unless `used` is already replaced; pages of `used` may still be in use. */
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
    const launched = () => chromium.launch({
      executablePath: installed(),
      headless: true,
      timeout: PATIENCE,
      // The sandbox needs a privilege that root in a container does not have; every page comes from this machine. The process that draws
      // is ended on a busy machine, also by its watchdog; after six times the browser would end.
      args: [
        '--no-sandbox', '--disable-gpu', '--disable-gpu-watchdog', '--disable-gpu-process-crash-limit', '--disable-quic', '--no-first-run',
        '--disable-background-networking', '--disable-component-update', '--disable-sync',
      ],
    });
    const browser = await launched().catch((error) => {
      console.log(`the browser did not start, and is started once more: ${error.message.split('\n')[0]}`);
      return launched();
    });
    browser.on('disconnected', () => {
      if (!this.#isClosing) console.log(`the browser ended by itself; its last lines:\n${lastLines()}`);
    });
    this.#all.push(browser);
  }
}

function lastLines() {
  const { DEBUG_FILE: path } = process.env;
  const lines = existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
  return lines.slice(-LAST_LINES).map((line) => `  ${line.slice(0, 300)}`).join('\n');
}

function installed() {
  const folders = process.env.PATH.split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  if (!found) throw new Error(`none of ${NAMES.join(', ')} is on the path`);
  return found;
}
