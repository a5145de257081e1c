// Logos as drawing programs and web pages write them: `/apple-touch-icon.png`, which the build draws, has the colours that a browser shows, or
// the build says that it cannot draw the file.
//
//   node logos.mjs GENERATOR CONTENT LOGOS WORK

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { newContext, start } from './browser/chromium.mjs';
import { Findings } from './findings.mjs';

const [generator, content, logos, work] = process.argv.slice(2);
/** The margin of the drawn icon, and its side, in pixels. */
const MARGIN = 14;
const SIDE = 180;
/** How far a channel of a colour may differ: gradients and edges are drawn in two ways. */
const TOLERANCE = 6;
/** Of how many points another colour is excused, since they are at an edge. */
const AT_EDGES = 8;

const findings = new Findings();
const refused = [];
const browser = await start();
const page = await (await newContext(browser)).newPage();
try {
  for (const file of readdirSync(logos).filter((name) => name.endsWith('.svg')).sort()) {
    const name = file.replace(/\.svg$/, '');
    const { icon, report } = drawn(name, readFileSync(join(logos, file)));
    if (/\[(W0608|E06\d\d)\]/.test(report)) refused.push(name);
    else if (icon) await compare(name, icon, readFileSync(join(logos, file)));
    else findings.add(name, `no icon was drawn, and nothing said so: ${report}`);
  }
} finally {
  await browser.close();
}
console.log(`reported, not drawn: ${refused.join(', ')}`);
findings.end('logos');

/** Builds a site with this icon. */
function drawn(name, logo) {
  const own = join(work, name);
  rmSync(own, { recursive: true, force: true });
  mkdirSync(own, { recursive: true });
  cpSync(content, join(own, 'content'), { recursive: true });
  writeFileSync(join(own, 'content/icon.svg'), logo);
  const settings = join(own, 'content/site.toml');
  writeFileSync(settings, `${readFileSync(settings, 'utf8')}\n[theme]\nicon = "icon.svg"\n`);
  const args = ['build', '--content', join(own, 'content'), '--out', join(own, 'dist'), '--compression', 'none', '--now', '2026-11-01T00:00:00Z'];
  const { stdout, stderr, status } = spawnSync(generator, args, { encoding: 'utf8', timeout: 120_000 });
  const icon = join(own, 'dist/apple-touch-icon.png');
  const report = `${stdout}${stderr}`;
  if (status === null) findings.add(name, 'ends the build');
  return { icon: existsSync(icon) ? readFileSync(icon) : null, report };
}

/** Compares a grid of points, and the middle by itself, with the same file in a browser on the same ground. */
async function compare(name, icon, logo) {
  const differing = await page.evaluate(
    async ({ icon, logo, margin, side, tolerance }) => {
      const load = (source) => new Promise((done, fail) => {
        const image = new Image();
        image.onload = () => done(image);
        image.onerror = () => fail(new Error('the browser does not show it'));
        image.src = source;
      });
      const canvas = () => Object.assign(document.createElement('canvas'), { width: side, height: side }).getContext('2d', { willReadFrequently: true });
      const ours = canvas();
      ours.drawImage(await load(icon), 0, 0);
      const theirs = canvas();
      const ground = ours.getImageData(1, 1, 1, 1).data;
      theirs.fillStyle = `rgb(${ground[0]} ${ground[1]} ${ground[2]})`;
      theirs.fillRect(0, 0, side, side);
      theirs.drawImage(await load(logo), margin, margin, side - 2 * margin, side - 2 * margin);
      const colour = (context, x, y) => [...context.getImageData(x, y, 1, 1).data.slice(0, 3)];
      const found = [];
      for (let x = margin + 4; x < side - margin; x += 12) {
        for (let y = margin + 4; y < side - margin; y += 12) {
          const [one, two] = [colour(ours, x, y), colour(theirs, x, y)];
          if (one.some((channel, at) => Math.abs(channel - two[at]) > tolerance)) found.push(`${x},${y}: ${one} is ${two} in a browser`);
        }
      }
      const middle = [ours, theirs].map((context) => colour(context, side / 2, side / 2));
      const isSame = middle[0].every((channel, at) => Math.abs(channel - middle[1][at]) <= tolerance);
      return { found, middle: isSame ? null : `the middle is ${middle[0]}, in a browser ${middle[1]}` };
    },
    { icon: `data:image/png;base64,${icon.toString('base64')}`, logo: `data:image/svg+xml;base64,${logo.toString('base64')}`, margin: MARGIN, side: SIDE, tolerance: TOLERANCE },
  ).catch((error) => ({ found: [], middle: String(error) }));
  if (differing.middle) findings.add(name, differing.middle);
  findings.expect(differing.found.length <= AT_EDGES, name, `${differing.found.length} points differ: ${differing.found[0]}`);
}
