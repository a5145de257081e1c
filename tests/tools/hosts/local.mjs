// A server on this machine for hosts whose code runs in this process.

import { createServer } from 'node:http';

/** Serves the result of `answer` for a standard `Request`. After `drop`, every connection is closed. */
export function listen(answer) {
  const server = createServer(async (asked, said) => {
    try {
      const { port } = server.address();
      const headers = new Headers();
      for (let at = 0; at < asked.rawHeaders.length; at += 2) headers.append(asked.rawHeaders[at], asked.rawHeaders[at + 1]);
      const url = new URL(`http://127.0.0.1:${port}${asked.url}`);
      const hasBody = !['GET', 'HEAD'].includes(asked.method);
      const body = hasBody ? Buffer.concat(await asked.toArray()) : undefined;
      const { status, headers: fields, body: stream } = await answer(new Request(url, { method: asked.method, headers, body }));
      const bytes = stream === null ? Buffer.alloc(0) : Buffer.from(await new Response(stream).arrayBuffer());
      said.writeHead(status, Object.fromEntries(fields)).end(asked.method === 'HEAD' ? undefined : bytes);
    } catch (error) {
      said.writeHead(500).end(String(error.stack));
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
