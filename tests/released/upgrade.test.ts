/**
 * The time without an answer while a released version is upgraded, and while a process is replaced without a migration. The old program is
 * not in this folder: TEST_RELEASED_PROGRAM names a folder with its sources, and then it runs before. Without it the time counts from the
 * start of the new program.
 */
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { clientOf } from '../support/client.ts';
import { engineName } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { isFull } from '../support/full.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { waitFor } from '../support/wait.ts';
import { copyOf, factsOf, versions } from './copies.ts';
import { signatureOf } from './frozen.ts';

const PROGRAM = process.env.TEST_RELEASED_PROGRAM;
/** SQLite has one process. */
const PROCESSES = engineName === 'sqlite' ? 1 : 2;
const PAUSE_MS = 5;

type Headers = Record<string, string>;

/** The answer of a process. Undefined: it took no request, or gave none back. */
const askedOf = (port: number, path: string, headers: Headers, body: Buffer) =>
  new Promise<{ status: number; body: Buffer } | undefined>((resolve) => {
    const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers }, async (answer) => {
      const bytes = await buffer(answer).catch(() => undefined);
      resolve(bytes && { status: answer.statusCode!, body: bytes });
    });
    sent.on('error', () => resolve(undefined)).end(body);
  });

/** Gives a request to the next process after a failure or 503, as the nginx of deploy/ does. */
async function startProxy(ports: readonly number[]): Promise<{ url: string; close(): void }> {
  const server = createServer(async (asked, response) => {
    const body = await buffer(asked);
    const headers = { 'x-stamp': String(asked.headers['x-stamp']) };
    let last: Awaited<ReturnType<typeof askedOf>>;
    for (const port of ports) {
      last = (await askedOf(port, asked.url!, headers, body)) ?? last;
      if (last !== undefined && last.status !== 503) break;
    }
    response.writeHead(last?.status ?? 502).end(last?.body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

/** Signs again and again. `longest`: the longest time between two signatures since the last question, or since the first one. */
function signing(sign: () => Promise<boolean>) {
  let going = true;
  let since = performance.now();
  let longestMs = 0;
  let signed = 0;
  const ended = (async () => {
    for (; going; await sleep(PAUSE_MS)) {
      if (!(await sign().catch(() => false))) continue;
      signed++;
      longestMs = Math.max(longestMs, performance.now() - since);
      since = performance.now();
    }
  })();
  return {
    async longest(): Promise<number> {
      const before = signed;
      await waitFor('signatures', () => signed > before + 20);
      const found = longestMs;
      longestMs = 0;
      return Math.round(found);
    },
    async stop() {
      going = false;
      await ended;
    },
  };
}

for (const version of versions)
  test(`${version} is upgraded under requests on ${engineName}`, { skip: !isFull && 'with --full' }, async (t) => {
    const copy = await copyOf(version);
    const ports = await Promise.all(Array.from({ length: PROCESSES }, freePort));
    const proxy = await startProxy(ports);
    const running: (ServiceProcess | undefined)[] = [];
    async function start(i: number, main?: string): Promise<void> {
      running[i] = await startProcess({ ...copy.env, PORT: `${ports[i]}` }, undefined, [], main);
      await running[i].ready();
    }
    async function replace(): Promise<void> {
      for (const i of ports.keys()) {
        running[i]?.child.kill('SIGTERM');
        await running[i]?.exited;
        await start(i);
      }
    }
    const { holders, signatures } = factsOf(version);
    const { holder, signWith, ...signature } = signatures[0]!;
    const client = clientOf(proxy.url, holders[holder]!.keys, holders[holder]!.organizationId);
    let wrong = 0;
    const sign = async () => {
      const made = await signatureOf(client, signWith);
      if (made !== undefined && made.s !== signature.s) wrong++;
      return made !== undefined;
    };
    try {
      if (PROGRAM !== undefined) for (const i of ports.keys()) await start(i, join(PROGRAM, 'src/main.ts'));
      const load = signing(sign);
      if (PROGRAM !== undefined) await load.longest();
      await replace();
      const migrated = await load.longest();
      await replace();
      const replaced = await load.longest();
      await load.stop();
      const how = PROGRAM === undefined ? 'from the start of the new program' : `of ${PROCESSES} processes`;
      t.diagnostic(`no signature for ${migrated} ms with the migration, ${how}; for ${replaced} ms without one`);
      assert.equal(wrong, 0);
      if (PROCESSES > 1) assert.ok(replaced < 2_000, `${replaced} ms without an answer, and without a migration`);
    } finally {
      for (const service of running) service?.child.kill('SIGKILL');
      for (const service of running) await service?.exited;
      proxy.close();
      await copy.remove();
    }
  });
