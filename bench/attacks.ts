/** The attackers of bench/hold-up.ts, on a thread of their own, so that their own cost does not count as latency. */
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

export type Attack =
  | { name: 'refused' | 'silent'; connections: number }
  | { name: 'pipelined'; connections: number; requests: number; path: string }
  | { name: 'wrong'; connections: number; requests: number; path: string }
  | { name: 'trickling'; connections: number; path: string; ms: number }
  | { name: 'unfinished'; connections: number; path: string; bytes: number; chunk: number }
  | { name: 'unread'; connections: number; request: string }
  | { name: 'go away' }
  | { name: 'polling'; connections: number; path: string }
  | { name: 'stop polling' };
export type Attacked = { answers: number };

/** Longer than any attack should take. */
const GIVE_UP_MS = 60_000;

/** How long unfinished bodies are held. */
const HELD_MS = 2000;

const { port } = workerData as { port: number };
/** The attackers never close a connection: only the service does. */
const kept: Socket[] = [];

function dial(): Socket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  kept.push(socket);
  return socket.on('error', () => {});
}

const each = <T>(count: number, one: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, one));

function refused(): Promise<number> {
  const socket = dial();
  socket.write('nonsense\r\n\r\n');
  return new Promise((done) => socket.once('data', () => done(1)).once('close', () => done(0)));
}

function silent(): Promise<number> {
  const socket = dial();
  return new Promise((done) => socket.once('connect', () => done(0)).once('close', () => done(0)));
}

const getOf = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const postOf = (path: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

/** Bodies that are refused at different depths: no JSON, nested too deeply, empty, of an unknown type, without a stamp. */
const WRONG = [
  '{"organizationId":',
  '['.repeat(2000),
  '{}',
  '{"type":"ACTIVITY_TYPE_NONE","timestampMs":"1","organizationId":"00000000-0000-4000-8000-000000000000","parameters":{}}',
  '{"type":"ACTIVITY_TYPE_CREATE_USER_TAG","timestampMs":"1","organizationId":"00000000-0000-4000-8000-000000000000","parameters":{"userTagName":7}}',
];

/** Sends all requests at once, and reads until the connection ends or all are answered. `status`: how that of each answer begins. */
function pipelined(text: string, requests: number, status = '200'): Promise<number> {
  const socket = dial();
  const answered = `HTTP/1.1 ${status}`;
  socket.write(text);
  let answers = 0;
  let rest = '';
  return new Promise((done) => {
    const giveUp = setTimeout(() => done(answers), GIVE_UP_MS);
    const end = () => {
      clearTimeout(giveUp);
      done(answers);
    };
    socket.on('data', (chunk) => {
      const text = rest + chunk.toString('latin1');
      answers += text.split(answered).length - 1;
      rest = text.slice(1 - answered.length);
      if (answers < requests) return;
      // The service would keep it for further requests.
      socket.destroy();
      end();
    });
    socket.once('end', end).once('close', end);
  });
}

/** A body in small chunks. The connection ends when all of it is sent, or it is refused. Counts refusals. */
function unfinished({ path, bytes, chunk }: Extract<Attack, { name: 'unfinished' }>): Promise<number> {
  const socket = dial();
  const one = `${chunk.toString(16)}\r\n${'x'.repeat(chunk)}\r\n`;
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`);
  return new Promise((done) => {
    const end = (refused: number) => {
      clearTimeout(giveUp);
      socket.destroy();
      done(refused);
    };
    const giveUp = setTimeout(end, GIVE_UP_MS, 0);
    socket.once('data', () => end(1)).once('close', () => end(0));
    socket.write(one.repeat(Math.ceil(bytes / chunk)), () => setTimeout(end, HELD_MS, 0));
  });
}

/** A body of one byte in each chunk, without an end; a new connection when the service closes it. Counts connections. */
function trickling({ path, ms }: Extract<Attack, { name: 'trickling' }>): Promise<number> {
  const until = performance.now() + ms;
  const chunks = '1\r\nx\r\n'.repeat(1000);
  let dialled = 0;
  return new Promise((done) => {
    const again = () => {
      if (performance.now() >= until) return done(dialled);
      dialled += 1;
      const socket = dial();
      // After an error each further write fails immediately.
      const more = (error?: Error | null) => {
        if (error) return;
        if (performance.now() >= until) socket.destroy();
        else if (!socket.destroyed) socket.write(chunks, more);
      };
      socket.once('close', again).once('end', () => socket.destroy());
      // A refusal is read, and nothing more is sent.
      socket.once('data', () => socket.destroy());
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`, more);
    };
    again();
  });
}

const unreadOnes: Socket[] = [];

/** Sends a request, and reads only the beginning of the answer. Counts answers. */
function unread(request: string): Promise<number> {
  const socket = dial();
  unreadOnes.push(socket);
  socket.write(request);
  return new Promise((done) => {
    const giveUp = setTimeout(done, GIVE_UP_MS, 0);
    const end = (answers: number) => {
      clearTimeout(giveUp);
      done(answers);
    };
    // Without a listener for data it reads one buffer and stops.
    socket.once('readable', () => end(1)).once('close', () => end(0));
  });
}

let polls = false;
let polled = 0;

async function polling(path: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while (polls) {
    await new Promise<void>((done) => {
      const request = get({ port, host: '127.0.0.1', path, agent }, (answer) => {
        polled += 1;
        answer.resume().once('close', done);
      });
      request.once('error', () => setTimeout(done, 10));
    });
  }
  agent.destroy();
}

async function run(attack: Attack): Promise<number> {
  const sum = (counts: number[]) => counts.reduce((a, b) => a + b, 0);
  switch (attack.name) {
    case 'refused':
      return sum(await each(attack.connections, refused));
    case 'silent':
      return sum(await each(attack.connections, silent));
    case 'pipelined':
      return sum(await each(attack.connections, () => pipelined(getOf(attack.path).repeat(attack.requests), attack.requests)));
    case 'wrong': {
      const texts = WRONG.map((body) => postOf(attack.path, body))
        .join('')
        .repeat(attack.requests / WRONG.length);
      return sum(await each(attack.connections, () => pipelined(texts, attack.requests, '4')));
    }
    case 'trickling':
      return sum(await each(attack.connections, () => trickling(attack)));
    case 'unfinished':
      return sum(await each(attack.connections, () => unfinished(attack)));
    case 'unread':
      return sum(await each(attack.connections, () => unread(attack.request)));
    case 'go away':
      for (const socket of unreadOnes.splice(0)) socket.destroy();
      return 0;
    case 'polling':
      polls = true;
      void each(attack.connections, () => polling(attack.path));
      return 0;
    case 'stop polling':
      polls = false;
      return polled;
  }
}

parentPort!.on('message', async (attack: Attack) => parentPort!.postMessage({ answers: await run(attack) } satisfies Attacked));
