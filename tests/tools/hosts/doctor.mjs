// Findings of `generator doctor` on a local host.

import { execFile } from 'node:child_process';
import { connect, createServer } from 'node:net';

/**
 * Starts a TCP proxy to the server that `lead` has named last, so that a site can be built for its address before its
 * host runs.
 */
export function front() {
  let target;
  const sockets = new Set();
  const server = createServer((client) => {
    const host = connect(target, '127.0.0.1');
    for (const [one, other] of [[client, host], [host, client]]) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => sockets.delete(one)).pipe(other);
    }
  });
  return new Promise((done, fail) => {
    server.on('error', fail).listen(0, '127.0.0.1', () => {
      const lead = (url) => (target = new URL(url).port);
      const stop = () => {
        for (const socket of sockets) socket.destroy();
        return new Promise((closed) => server.close(closed));
      };
      done({ url: `http://127.0.0.1:${server.address().port}`, lead, stop });
    });
  });
}

/** Returns the kind of the site, and every fault with the name of its check. */
export function diagnosis(generator, url) {
  return new Promise((done, fail) => {
    // The status is a failure if there is a fault.
    execFile(generator, ['doctor', url, '--format', 'json'], (error, output, complaint) => {
      if (!output) return fail(new Error(complaint, { cause: error }));
      const { kind, checks } = JSON.parse(output);
      done({ kind, faults: checks.flatMap(({ name, faults }) => faults.map(({ fault }) => `${name}: ${fault}`)) });
    });
  });
}
