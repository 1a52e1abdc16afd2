/**
 * A receiver that answers 200 at once, and parses little. So it leaves the processor to the service. Prints its port. A line on its standard
 * input asks for the deliveries since the line before. It prints their number, when the last came, and the age of each event in milliseconds.
 */
import { type AddressInfo, createServer, type Socket } from 'node:net';

export type Received = { count: number; lastAt: number; ages: number[] };

let received: Received = { count: 0, lastAt: 0, ages: [] };
const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i;
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n';
/** Of the activity: those of its voters come before. */
const CREATED_AT = '"createdAt":{"seconds":"';
const TIME = /(\d+)","nanos":"(\d+)"/;

function note(body: Buffer): void {
  const at = body.lastIndexOf(CREATED_AT);
  const [, seconds, nanos] = TIME.exec(body.toString('latin1', at + CREATED_AT.length, at + CREATED_AT.length + 40)) ?? [];
  received.count++;
  received.lastAt = Date.now();
  received.ages.push(received.lastAt - Number(seconds) * 1000 - Number(nanos) / 1e6);
}

function serve(socket: Socket): void {
  let bytes: Buffer = Buffer.alloc(0);
  socket.setNoDelay(true).on('error', () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    const head = bytes.indexOf(HEAD_END);
    if (head < 0) return;
    const end = head + HEAD_END.length + Number(LENGTH.exec(bytes.toString('latin1', 0, head + 2))![1]);
    if (bytes.length < end) return;
    socket.write(ANSWER);
    note(bytes.subarray(head + HEAD_END.length, end));
    // A client sends its next request after this answer.
    bytes = Buffer.alloc(0);
  });
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));

process.stdin.on('data', () => {
  process.stdout.write(`${JSON.stringify(received)}\n`);
  received = { count: 0, lastAt: 0, ages: [] };
});
process.stdin.on('end', () => process.exit());
