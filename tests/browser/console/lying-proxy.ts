/** A service that lies: a proxy in front of the real one. It changes what the service says about an activity, or what policies see. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

// biome-ignore lint/suspicious/noExplicitAny: tests change answers freely
export type Lie = (activity: any) => void;

export type LyingProxy = { origin: string; lie: Lie | undefined; sees: Lie | undefined; close(): void };

export async function lyingProxy(url: string): Promise<LyingProxy> {
  const { hostname, port } = new URL(url);
  const server = createServer((asked, answer) => {
    const name = asked.url!.replace('/public/v1/query/', '');
    const lie = name === 'get_activity' ? proxy.lie : name === 'review_activity' ? proxy.sees : undefined;
    const { 'accept-encoding': _, ...headers } = asked.headers;
    const passed = request({ hostname, port, path: asked.url, method: asked.method, headers }, async (real) => {
      if (!lie || real.statusCode !== 200) return void real.pipe(answer.writeHead(real.statusCode!, real.headers));
      const parts = await real.toArray().catch(() => undefined);
      // The page was left, which ended the request.
      if (parts === undefined) return void answer.destroy();
      const body = JSON.parse(Buffer.concat(parts).toString());
      lie(body.activity ?? body);
      const { 'content-length': _length, ...others } = real.headers;
      answer.writeHead(200, others).end(JSON.stringify(body));
    });
    passed.on('error', () => answer.destroy());
    answer.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const proxy: LyingProxy = {
    origin: `http://localhost:${(server.address() as AddressInfo).port}`,
    lie: undefined,
    sees: undefined,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  return proxy;
}
