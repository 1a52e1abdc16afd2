import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Between two looks. The tables have a line for each connection of this machine. */
const EVERY_MS = { first: 5, most: 200 };

const hex = (port = 0): string => port.toString(16).toUpperCase().padStart(4, '0');
const table = (name: string) => readFile(`/proc/self/net/${name}`, 'latin1').catch(() => '');

/** Bytes that the other system has not acknowledged. NaN: Linux has no such connection now. */
async function unacknowledged({ localPort, remotePort }: Socket): Promise<number> {
  const text = (await Promise.all(['tcp', 'tcp6'].map(table))).join('');
  if (text === '') return 0;
  const row = new RegExp(`:${hex(localPort)} [0-9A-F]+:${hex(remotePort)} [0-9A-F]{2} ([0-9A-F]+):`);
  return Number.parseInt(row.exec(text)?.[1] ?? '', 16);
}

/** Resolves when the other system has all bytes that were written, or the socket is closed. Only Linux tells, so others do not wait. */
export async function acknowledged(socket: Socket): Promise<void> {
  for (let ms = EVERY_MS.first; !socket.destroyed && (await unacknowledged(socket)) !== 0; ms = Math.min(2 * ms, EVERY_MS.most))
    await sleep(ms);
}
