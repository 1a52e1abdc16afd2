/**
 * A receiver that answers 200 at once. Prints its port. A line on its standard input asks for the deliveries since the line before.
 * It prints their number, when the last came, and the age of each event in milliseconds.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Received = { count: number; lastAt: number; ages: number[] };

let received: Received = { count: 0, lastAt: 0, ages: [] };
/** Of the activity: those of its voters come before. */
const CREATED_AT = /.*"createdAt":\{"seconds":"(\d+)","nanos":"(\d+)"\}/s;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    response.writeHead(200).end();
    const [, seconds, nanos] = CREATED_AT.exec(Buffer.concat(chunks).toString()) ?? [];
    received.count++;
    received.lastAt = Date.now();
    received.ages.push(received.lastAt - Number(seconds) * 1000 - Number(nanos) / 1e6);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

process.stdin.on('data', () => {
  process.stdout.write(`${JSON.stringify(received)}\n`);
  received = { count: 0, lastAt: 0, ages: [] };
});
process.stdin.on('end', () => process.exit());
