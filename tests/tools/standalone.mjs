// A build stands alone: every file of the manifest comes from a plain web server with the bytes that the sidecar
// sends, at its own address, and every page and document at the public one.

import { Findings } from './findings.mjs';
import { Site } from './site.mjs';

const [url, dist, host] = process.argv.slice(2);
const site = new Site(url, dist);
const plain = new Site(host, dist);
const findings = new Findings();
const identity = { 'accept-encoding': 'identity' };
let files = 0;

for (const route of site.routes()) {
  for (const [at, variant] of route.variants.entries()) {
    const ours = await site.get(address(route, variant), { ...identity, ...wishes(route, variant) });
    const theirs = await plain.get(encodeURI(`/${variant.file}`), identity);
    compare(ours, theirs, variant.file);
    findings.expect(ours.bytes.length === variant.size, route.path, `has ${ours.bytes.length} octets, the manifest says ${variant.size}`);
    files += 1;
    // What selects a variant needs the sidecar; the default one has the public address here too.
    if (at === 0 && route.axis !== 'locale') compare(ours, await plain.get(encodeURI(route.path), identity), route.path);
  }
}
findings.end(`${files} variants of ${site.routes().length} routes`);

function address(route, variant) {
  return encodeURI(route.path) + (route.axis === 'locale' ? `?locale=${variant.locale}` : '');
}

function wishes(route, variant) {
  return route.axis === 'accept' ? { accept: variant.media_type.split(';')[0] } : {};
}

function compare(ours, theirs, what) {
  findings.expect(ours.status === 200, what, `the sidecar answers ${ours.status}`);
  if (findings.expect(theirs.status === 200, what, `the plain server answers ${theirs.status}`)) {
    findings.expect(ours.bytes.equals(theirs.bytes), what, 'differs between the two');
  }
}
