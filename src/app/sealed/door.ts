import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { firstLine, LONGEST_SOCKET_PATH, listenOnSocket } from '../../base/unix-socket.ts';
import { ConfigError } from '../../config.ts';
import type { Given, ShareCollector } from './share-collector.ts';

export const unsealSocket = (dataDir: string): string => join(dataDir, 'unseal.sock');

/** What a client sends: nothing but a question, or one share. */
export type UnsealAsk = { share?: string };
/** The one line of the answer. */
export type UnsealLine = { state: string } | { given: Given } | { failed: string };

/** A share has 33 words of at most 8 letters. */
const BOUNDS = { longest: 1024, patienceMs: 10_000 };
const MOST_CLIENTS = 4;

export type Door = { close(): Promise<void> };

/** Takes shares from the user that runs the service, and from no other. */
export async function openDoor(dataDir: string, shares: ShareCollector): Promise<Door> {
  const path = unsealSocket(dataDir);
  if (Buffer.byteLength(path) > LONGEST_SOCKET_PATH)
    throw new ConfigError(`DATA_DIR: ${path} is too long for a socket: ROOT_KEY_PROVIDER=shares needs a shorter DATA_DIR`);
  let last: Promise<unknown> = Promise.resolve();

  async function answerTo({ share }: UnsealAsk): Promise<UnsealLine> {
    if (typeof share !== 'string') return { state: shares.state() };
    const giving = last.then(() => shares.give(share));
    last = giving.catch(() => {});
    try {
      return { given: await giving };
    } catch (error) {
      return { failed: (error as Error).message };
    }
  }

  async function serve(socket: Socket): Promise<void> {
    const asked = JSON.parse(await firstLine(socket, BOUNDS)) as UnsealAsk;
    const line = await answerTo(asked);
    socket.setTimeout(BOUNDS.patienceMs, () => socket.destroy());
    socket.end(`${JSON.stringify(line)}\n`);
  }

  const server = createServer((socket) => {
    socket.on('error', () => {});
    serve(socket).catch(() => socket.destroy());
  });
  server.maxConnections = MOST_CLIENTS;
  try {
    await listenOnSocket(server, path, 0o600, 'DATA_DIR');
  } catch (error) {
    throw new ConfigError(
      `DATA_DIR: ROOT_KEY_PROVIDER=shares needs the socket ${path}: ${(error as Error).message}. Each process needs its own DATA_DIR, which it can write`,
    );
  }
  return { close: () => new Promise((done) => server.close(() => done())) };
}
