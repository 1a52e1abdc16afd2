/** The attackers of bench/hold-up.ts, on a thread of their own: what they cost themselves must not count as latency. */
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

export type Attack =
  | { name: 'refused' | 'silent'; connections: number }
  | { name: 'pipelined'; connections: number; requests: number; path: string }
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

/** Sends all requests at once, and reads until the connection ends or all are answered. */
function pipelined(path: string, requests: number): Promise<number> {
  const socket = dial();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(requests));
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
      answers += text.split('HTTP/1.1 200').length - 1;
      rest = text.slice(-11);
      if (answers === requests) end();
    });
    socket.once('end', end).once('close', end);
  });
}

/** A body that arrives in small chunks and never ends; gone once all of it is sent, or refused. Counts refusals. */
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

const unreadOnes: Socket[] = [];

/** Asks, and reads no more than that an answer has begun. Counts answers. */
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
      return sum(await each(attack.connections, () => pipelined(attack.path, attack.requests)));
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
