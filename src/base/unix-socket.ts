import { lstat, unlink } from 'node:fs/promises';
import { connect, type Server, type Socket } from 'node:net';

/** The kernel takes no longer paths. */
export const LONGEST_SOCKET_PATH = 107;

/** A socket file that no process serves is left by one that was killed. Anything else at the path is not ours. */
async function removeLeft(path: string, name: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isSocket()) throw new Error(`${name} names ${path}, which exists and is not a socket`);
  const served = await new Promise<boolean>((done) => {
    const probe = connect(path, () => done(true)).once('error', ({ code }: NodeJS.ErrnoException) =>
      done(code !== 'ECONNREFUSED'),
    );
    probe.once('connect', () => probe.destroy());
  });
  if (served) throw new Error(`${name} names ${path}, which another process serves`);
  await unlink(path);
}

/** Listens on a Unix socket that has this mode from its first moment. `name`: of the setting, for errors. */
export async function listenOnSocket(server: Server, path: string, mode: number, name: string): Promise<void> {
  await removeLeft(path, name);
  await new Promise<void>((done, fail) => {
    // Node.js makes the file before listen() returns, so others cannot connect even for a moment.
    const umask = process.umask(0o777 & ~mode);
    server.once('error', fail).listen(path, done);
    process.umask(umask);
  });
}

/** The first line that a client sends. A client that sends more bytes, or takes longer, is disconnected. */
export function firstLine(socket: Socket, { longest, patienceMs }: { longest: number; patienceMs: number }): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const late = setTimeout(() => socket.destroy(), patienceMs);
    // A passphrase may have characters of several bytes, which two chunks divide.
    socket.setEncoding('utf8');
    socket.on('close', () => {
      clearTimeout(late);
      reject(new Error('it ended early'));
    });
    socket.on('data', (chunk: string) => {
      text += chunk;
      const end = text.indexOf('\n');
      if ((end < 0 ? text.length : end) > longest) return void socket.destroy();
      if (end < 0) return;
      clearTimeout(late);
      socket.removeAllListeners('data').resume();
      resolve(text.slice(0, end));
    });
  });
}
