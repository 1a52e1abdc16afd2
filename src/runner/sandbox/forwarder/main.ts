/**
 * A process of its own, in the network namespace of one app and in no other of its namespaces. It joins Unix sockets outside to
 * ports of the app's loopback. The app cannot see or signal it. It ends with the runner, which holds the other end of its stdin.
 */
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { ForwarderSettings } from './settings.ts';

/** More connections are closed at once. */
const CONNECTIONS = 256;

/** Idle connections are closed after this time: an app that answers nothing would use them all up. */
const IDLE_MS = 120_000;

function joinSockets(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one);
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.setTimeout(idleMs ?? IDLE_MS, () => from.destroy());
    from.on('error', () => to.destroy());
    // After a whole end the other side may still have bytes to take.
    from.on('close', () => {
      if (!from.readableEnded || !from.writableFinished) to.destroy();
    });
  }
}

function forward(to: NetConnectOpts): Server {
  const server = createServer({ allowHalfOpen: true }, (socket) =>
    joinSockets(socket, connect({ ...to, allowHalfOpen: true } as NetConnectOpts)),
  );
  server.maxConnections = CONNECTIONS;
  return server;
}

const listening = (server: Server, at: string | number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    if (typeof at === 'string') server.listen(at, resolve);
    else server.listen(at, '127.0.0.1', resolve);
  });

const { folder, ports, egress, uid, idleMs } = JSON.parse(process.argv[2]!) as ForwarderSettings;
for (const port of new Set(ports)) await listening(forward({ host: '127.0.0.1', port }), join(folder, `${port}.sock`));
if (egress !== undefined) await listening(forward({ path: egress.socket }), egress.port);

process.setgroups!([]);
process.setgid!(uid);
process.setuid!(uid);

process.stdin.resume();
process.stdin.once('close', () => process.exit());
process.stdout.write('ready\n');
