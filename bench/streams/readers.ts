/**
 * Clients of streams, one connection each, which parse as little as they can. Reads a port, and then tickets, a line each, from its standard
 * input. Prints a line when all streams are ready. Each further line asks for what came since the line before: the number of events, and their
 * ages in milliseconds.
 */
import { connect } from 'node:net';
import { createInterface } from 'node:readline';

export type Told = { count: number; ages: number[] };

let told: Told = { count: 0, ages: [] };
let ready = 0;
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

const lines = createInterface({ input: process.stdin });
let port: number | undefined;
let tickets: string[] | undefined = [];
lines.on('line', async (line) => {
  if (port === undefined) port = Number(line);
  else if (tickets !== undefined && line !== '') tickets.push(line);
  else if (tickets !== undefined) {
    const all = tickets;
    tickets = undefined;
    // A share of a top-level organization is taken in the order of these.
    for (const ticket of all) {
      await open(port, ticket);
      ready++;
    }
    process.stdout.write(`${ready}\n`);
  } else {
    process.stdout.write(`${JSON.stringify(told)}\n`);
    told = { count: 0, ages: [] };
  }
});
lines.on('close', () => process.exit());
