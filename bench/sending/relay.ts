/** A relay between the service and a node, which notes when each signed transaction arrives. */
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Relay = {
  url: string;
  /** Resolves with the time, as performance.now() has it, at which the next transaction arrives. */
  nextArrival(): Promise<number>;
  close(): Promise<void>;
};

export async function startRelay(nodeUrl: string): Promise<Relay> {
  const agent = new Agent({ keepAlive: true });
  let waiting: ((at: number) => void) | undefined;

  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks);
      if (body.includes('"eth_sendRawTransaction"')) {
        waiting?.(performance.now());
        waiting = undefined;
      }
      const headers = { 'content-type': 'application/json', 'content-length': body.length };
      const passed = request(nodeUrl, { method: 'POST', agent, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(outgoing);
      });
      passed.on('error', () => outgoing.destroy());
      passed.end(body);
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    nextArrival: () =>
      new Promise((resolve) => {
        waiting = resolve;
      }),
    async close() {
      server.closeAllConnections();
      await new Promise<void>((closed) => server.close(() => closed()));
      agent.destroy();
    },
  };
}
