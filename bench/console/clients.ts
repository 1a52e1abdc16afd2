/**
 * Ten consoles without a browser, as a process of its own. Each has a stream, and asks what a page asks, as often
 * (console/src/service/refresh.ts, waiting.ts). Prints a line when all listen, and ends at the end of its standard input.
 *
 *   node bench/console/clients.ts --port=8080 --credentials=FILE [--clients=10]
 */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { readCredentials, stamper } from '../stamp.ts';

const { values } = parseArgs({
  options: { port: { type: 'string' }, credentials: { type: 'string' }, clients: { type: 'string', default: '10' } },
});

/** As pages do. */
const APART_MS = 2000;
const LIST_ANYWAY_MS = 15_000;
const WAITING_ANYWAY_MS = 60_000;
const NEWEST = { paginationOptions: { limit: '50' } };

const credentials = readCredentials(values.credentials!);
const stampOf = stamper(credentials);
const origin = `http://127.0.0.1:${values.port}/public/v1`;

async function query<T>(name: string, parameters: object = {}): Promise<T> {
  const body = Buffer.from(JSON.stringify({ organizationId: credentials.organizationId, ...parameters }));
  const headers = { 'x-stamp': stampOf(body) };
  const answer = await fetch(`${origin}/query/${name}`, { method: 'POST', body: new Uint8Array(body), headers });
  if (!answer.ok) throw new Error(`${name} was answered ${answer.status}`);
  return (await answer.json()) as T;
}

/** Resolves when the stream is ready. `news` is called at each activity. */
async function listen(news: () => void): Promise<void> {
  const { ticket } = await query<{ ticket: string }>('create_stream_ticket');
  const answer = await fetch(`${origin}/stream/activities?${new URLSearchParams({ ticket, lastEventId: '' })}`);
  if (!answer.ok || answer.body === null) throw new Error(`the stream was answered ${answer.status}`);
  const ready = Promise.withResolvers<void>();
  void (async () => {
    const text = new TextDecoder();
    for await (const part of answer.body!) {
      const lines = text.decode(part, { stream: true });
      if (lines.includes('event: ready') || lines.includes('event:ready')) ready.resolve();
      if (/event: ?activity/.test(lines)) news();
    }
    throw new Error('a stream ended');
  })().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
  await ready.promise;
}

async function page(): Promise<void> {
  await query('whoami');
  await query('list_waiting_activities');
  await query('list_activities', NEWEST);
  let last = 0;
  let pending = false;
  const list = async () => {
    pending = false;
    last = performance.now();
    await query('list_activities', NEWEST);
  };
  setInterval(() => void query('list_activities', NEWEST), LIST_ANYWAY_MS);
  setInterval(() => void query('list_waiting_activities'), WAITING_ANYWAY_MS);
  await listen(() => {
    if (pending) return;
    pending = true;
    setTimeout(() => void list(), Math.max(0, last + APART_MS - performance.now()));
  });
}

await Promise.all(Array.from({ length: Number(values.clients) }, page));
process.stdout.write('ready\n');
await once(process.stdin.resume(), 'end');
process.exit(0);
