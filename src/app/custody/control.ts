import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { firstLine, LONGEST_SOCKET_PATH, listenOnSocket } from '../../base/unix-socket.ts';
import type { Log } from '../../engine/ports.ts';
import { type CustodyDone, type CustodyJob, type JobParts, runCustodyJob } from './jobs.ts';

/** A line of the answer. The last one is `done` or `failed`. `beat`: the service still works. */
export type ControlLine = { say: string } | { beat: true } | { done: CustodyDone } | { failed: string };

export const controlSocket = (dataDir: string): string => join(dataDir, 'control.sock');

/** A command is small, and comes at once. */
const BOUNDS = { longest: 65_536, patienceMs: 10_000 };
/** A pass over a large table says nothing for a long time. */
export const BEAT_MS = 5_000;

const WITHOUT = 'stop the service for custody rotate-root and rotate-master, sends release, and instance adopt';

export type Control = { close(): Promise<void> };

/**
 * Takes commands of the operator that must run in this process, because no other may open its SQLite database. Only the user that runs
 * the service may connect. One command runs at a time.
 */
export async function openControl(
  dataDir: string,
  parts: Omit<JobParts, 'say' | 'isStopping'>,
  log: Log,
): Promise<Control | undefined> {
  const path = controlSocket(dataDir);
  if (Buffer.byteLength(path) > LONGEST_SOCKET_PATH) {
    log.warn({ path }, `the path of DATA_DIR is too long for a socket: ${WITHOUT}`);
    return undefined;
  }
  const sockets = new Set<Socket>();
  let last: Promise<unknown> = Promise.resolve();
  let stopping = false;

  async function serve(socket: Socket): Promise<void> {
    const send = (line: ControlLine) => void socket.write(`${JSON.stringify(line)}\n`);
    const job = JSON.parse(await firstLine(socket, BOUNDS)) as CustodyJob;
    const say = (text: string) => send({ say: text });
    const beating = setInterval(() => send({ beat: true }), BEAT_MS);
    const run = last.then(() => runCustodyJob(job, { ...parts, say, isStopping: () => stopping }));
    last = run.catch(() => {});
    try {
      const done = await run;
      const told = done.command === 'release' ? {} : done.rotation;
      log.info({ command: job.command, ...told }, 'a command of the operator has ended');
      send({ done });
    } catch (error) {
      log.warn({ command: job.command, reason: (error as Error).message }, 'a command of the operator failed');
      send({ failed: (error as Error).message });
    } finally {
      clearInterval(beating);
    }
    socket.end();
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    // The client may be killed.
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    serve(socket).catch(() => socket.destroy());
  });
  server.maxConnections = 8;
  try {
    await listenOnSocket(server, path, 0o600, 'DATA_DIR');
  } catch (error) {
    log.warn({ path, reason: (error as Error).message }, `the socket of DATA_DIR cannot be made: ${WITHOUT}`);
    return undefined;
  }
  return {
    async close() {
      stopping = true;
      const closed = new Promise<void>((done) => server.close(() => done()));
      await last;
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
