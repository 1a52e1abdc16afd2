/**
 * Clients of streams at a port, one connection each, which parse as little as they can. A line of tickets on the standard input opens a stream
 * with each, and is answered when they are ready. The line `read` asks for the number of events since the last time, and their ages in
 * milliseconds.
 */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

export type Told = { count: number; ages: number[] };

let told: Told = { count: 0, ages: [] };
const EVENT = 'event: activity';
const CREATED_AT = /"createdAt":\{"seconds":"(\d+)","nanos":"(\d+)"\}/g;

function note(event: string): void {
  // Of the activity: those of its voters come before.
  const [, seconds, nanos] = [...event.matchAll(CREATED_AT)].at(-1) ?? [];
  told.count++;
  told.ages.push(Date.now() - Number(seconds) * 1000 - Number(nanos) / 1e6);
}

function open(port: number, ticket: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET /public/v1/stream/activities HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${ticket}\r\n\r\n`);
    let rest = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop()!;
      for (const block of blocks) {
        if (block.includes(EVENT)) note(block);
        else if (block.includes('event: ready')) resolve();
      }
      if (/^HTTP\/1\.1 [^2]/.test(rest)) reject(new Error(rest.slice(0, 1000)));
    });
    socket.on('error', reject).on('close', () => reject(new Error('a stream ended')));
  });
}

const [port] = process.argv.slice(2).map(Number) as [number];
const lines = createInterface({ input: process.stdin });
lines.on('line', async (line) => {
  if (line === 'read') {
    process.stdout.write(`${JSON.stringify(told)}\n`);
    told = { count: 0, ages: [] };
    return;
  }
  // One after the other: the share of a top-level organization is taken in this order.
  for (const ticket of line.split(' ')) await open(port, ticket);
  process.stdout.write('ready\n');
});
lines.on('close', () => process.exit());
