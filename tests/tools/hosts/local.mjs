// A server on this machine for hosts whose code runs in this process.

import { createServer } from 'node:http';

/** Serves the result of `answer` for a standard `Request` and its field lines as they came, names and values in turn. After `drop`, every connection is closed. */
export function listen(answer) {
  const server = createServer(async (incoming, outgoing) => {
    try {
      const { port } = server.address();
      const headers = new Headers();
      for (let at = 0; at < incoming.rawHeaders.length; at += 2) headers.append(incoming.rawHeaders[at], incoming.rawHeaders[at + 1]);
      const url = new URL(`http://127.0.0.1:${port}${incoming.url}`);
      const hasBody = !['GET', 'HEAD'].includes(incoming.method);
      const body = hasBody ? Buffer.concat(await incoming.toArray()) : undefined;
      const { status, headers: fields, body: stream } = await answer(new Request(url, { method: incoming.method, headers, body }), incoming.rawHeaders);
      const bytes = stream === null ? Buffer.alloc(0) : Buffer.from(await new Response(stream).arrayBuffer());
      outgoing.writeHead(status, Object.fromEntries(fields)).end(incoming.method === 'HEAD' ? undefined : bytes);
    } catch (error) {
      outgoing.writeHead(500).end(String(error.stack));
    }
  });
  return new Promise((done, fail) => {
    server.on('error', fail).listen(0, '127.0.0.1', () => {
      const stop = () => new Promise((closed) => server.close(closed).closeAllConnections());
      // Keep the port: another process might take it and answer.
      const drop = () => server.on('connection', (socket) => socket.destroy()).closeAllConnections();
      done({ url: `http://127.0.0.1:${server.address().port}`, stop, drop });
    });
  });
}
