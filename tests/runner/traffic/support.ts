import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { connect, type Server as NetServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { startIngress } from '../../../src/runner/traffic/ingress.ts';
import type { Ingress, IngressBounds } from '../../../src/runner/traffic/types.ts';

export const DOMAIN = 'apps.example.net';
export const APP = '0194a1b2-0000-7000-8000-000000000001';
export const OTHER = '0194a1b2-0000-7000-8000-000000000002';
export const hostOf = (appId: string) => `app-${appId}.${DOMAIN}`;

const closers: (() => unknown)[] = [];
after(async () => {
  for (const close of closers.reverse()) await close();
});

export function folderOf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cs-traffic-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Closes the server at the end, with the connections that it then has. */
export function closing<S extends NetServer>(server: S): S {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  closers.push(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  return server;
}

export const atEnd = (close: () => unknown) => void closers.push(close);

export type Lines = { fields: Record<string, unknown>; message: string }[];
export function logOf(lines: Lines) {
  const line = (fields: Record<string, unknown>, message: string) => void lines.push({ fields, message });
  return { info: line, warn: line, error: line };
}

/** An app: a real HTTP server on a Unix socket. */
export async function appAt(path: string, handle: RequestListener): Promise<Server> {
  const server = closing(createServer(handle)).listen(path);
  await once(server, 'listening');
  return server;
}

/** An ingress for these apps: undefined is an app that is not ready. */
export async function ingressOf(
  apps: Record<string, string | undefined>,
  more: { bounds?: Partial<IngressBounds>; trustedProxies?: string[]; lines?: Lines } = {},
): Promise<Ingress> {
  const routes = { knows: (id: string) => id in apps, socketOf: (id: string) => apps[id] };
  const { lines = [], ...options } = more;
  const ingress = await startIngress({ host: '127.0.0.1', port: 0, domain: DOMAIN, routes, log: logOf(lines), ...options });
  closers.push(() => ingress.close());
  return ingress;
}

export type Raw = { socket: Socket; text: string; until(part: string): Promise<string>; ended: Promise<string> };

/** A connection that sends bytes as they are, and reads the rest as text. */
export function raw(to: number | string, text: string): Raw {
  const socket = typeof to === 'number' ? connect(to, '127.0.0.1') : connect(to);
  atEnd(() => socket.destroy());
  const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(one.text)));
  const one: Raw = {
    socket,
    text: '',
    ended,
    async until(part) {
      while (!one.text.includes(part)) {
        if (socket.closed) throw new Error(`it ended with: ${one.text}`);
        const { promise, resolve } = Promise.withResolvers<void>();
        socket.once('data', () => resolve()).once('close', () => resolve());
        await promise;
      }
      return one.text;
    },
  };
  socket.setEncoding('latin1').on('data', (chunk) => {
    one.text += chunk;
  });
  socket.on('error', () => {});
  socket.write(text);
  return one;
}

export const ask = (port: number, host: string, rest = '', line = 'GET / HTTP/1.1') =>
  raw(port, `${line}\r\nHost: ${host}\r\nConnection: close\r\n${rest}\r\n`).ended;

export const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
