import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { it } from 'node:test';
import { guardedConnect } from '../../../src/outbound/connect.ts';
import { startEgress } from '../../../src/runner/traffic/egress.ts';
import type { EgressBounds } from '../../../src/runner/traffic/types.ts';
import { waitFor } from '../../support/wait.ts';
import { atEnd, closing, folderOf, type Lines, logOf, raw, statusOf } from './support.ts';

const folder = folderOf();
const deploymentId = '0194a1b2-0000-7000-8000-000000000009';
const echo = closing(createServer({ allowHalfOpen: true }, (socket) => void socket.on('error', () => {}).pipe(socket))).listen(
  0,
  '127.0.0.1',
);
await once(echo, 'listening');
const { port } = echo.address() as AddressInfo;

/** Names of the test. Others have no address. */
const NAMES: Record<string, LookupAddress[]> = {
  'private.test': [{ address: '10.0.0.1', family: 4 }],
  'mixed.test': [
    { address: '8.8.8.8', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ],
  'local.test': [{ address: '127.0.0.1', family: 4 }],
};
const find = async (name: string) => NAMES[name] ?? [];

let made = 0;
async function egressOf(more: { allowed?: string[]; bounds?: Partial<EgressBounds>; lines?: Lines; resolve?: typeof find } = {}) {
  const { allowed = [], bounds = {}, lines = [], resolve = find } = more;
  const guard = guardedConnect({ allowed: new Set(allowed), resolve: { brought: resolve, allowed: resolve } });
  const socket = join(folder, `${++made}.sock`);
  const egress = await startEgress({ socket, guard, deploymentId, log: logOf(lines), bounds });
  atEnd(() => egress.close());
  return egress;
}
const connectTo = (socket: string, target: string, more = '') =>
  raw(socket, `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n${more}`);

it('a CONNECT to a host that the operator allowed is joined to it, with bytes sent early and after a half close', async () => {
  const { socket } = await egressOf({ allowed: [`local.test:${port}`, `127.0.0.1:${port}`] });
  for (const host of ['local.test', 'LOCAL.test', '127.0.0.1']) {
    const one = connectTo(socket, `${host}:${port}`, 'early ');
    assert.match(await one.until('early '), /^HTTP\/1\.1 200 Connection Established\r\n\r\nearly /);
    one.socket.write('x'.repeat(1_000_000));
    one.socket.end('last');
    assert.match(await one.ended, /xlast$/);
    assert.ok(one.text.length > 1_000_000);
  }
});

it('every other target is refused with its reason, and without an address that the app did not name', async () => {
  const lines: Lines = [];
  const egress = await egressOf({ allowed: [`local.test:${port}`], lines });
  const refused: [string, RegExp][] = [
    [`127.0.0.1:${port}`, /^127\.0\.0\.1:\d+ has another port than 443/],
    ['local.test:80', /^local\.test:80 has another port/],
    ['8.8.8.8:25', /has another port/],
    ...['127.0.0.1', '127.1', '2130706433', '0x7f.1', '169.254.169.254', '[::1]', '[::ffff:10.0.0.1]', '[64:ff9b::7f00:1]'].map(
      (host) => [`${host}:443`, /has no public address/] as [string, RegExp],
    ),
    ...['private.test', 'mixed.test', 'local.test', 'none.test'].map(
      (host) =>
        [`${host}:443`, new RegExp(`^${host.replace('.', '\\.')}:443 has no public address: the operator [^0-9]*$`)] as [
          string,
          RegExp,
        ],
    ),
  ];
  for (const [target, reason] of refused) {
    const answer = await connectTo(egress.socket, target).ended;
    assert.equal(statusOf(answer), 403, `${target}: ${answer}`);
    assert.match(answer.split('\r\n\r\n')[1]!, reason, target);
  }
  for (const target of ['x', 'x:0', 'x:65536', 'x:-1', 'user@x:443', 'http://x:443', 'x:443/', '[x]:443', ':443'])
    assert.equal(statusOf(await connectTo(egress.socket, target).ended), 400, target);
  for (const line of ['GET / HTTP/1.1', 'GET http://example.com/ HTTP/1.1', 'POST / HTTP/1.1'])
    assert.equal(statusOf(await raw(egress.socket, `${line}\r\nHost: x\r\nContent-Length: 0\r\n\r\n`).ended), 405, line);
  await egress.close();
  assert.deepEqual(lines[0]!.fields, { deploymentId, refused: { forbidden: refused.length, malformed: 9, 'no CONNECT': 3 } });
});

it('a name that changes its address between the check and the connection leads to the checked one', async () => {
  let asked = 0;
  const resolve = async (): Promise<LookupAddress[]> => {
    asked += 1;
    return [{ address: asked === 1 ? '127.0.0.1' : '10.0.0.1', family: 4 }];
  };
  const { socket } = await egressOf({ allowed: [`local.test:${port}`], resolve });
  await connectTo(socket, `local.test:${port}`, 'here').until('here');
  assert.equal(asked, 1);
});

it('a target that cannot be reached, or does not answer in time, is told without details', async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await once(closed, 'listening');
  const { port: none } = closed.address() as AddressInfo;
  closed.close();
  const { socket } = await egressOf({ allowed: [`local.test:${none}`] });
  assert.match(
    await connectTo(socket, `local.test:${none}`).ended,
    /^HTTP\/1\.1 502 [\s\S]*\r\n\r\nlocal\.test:\d+ could not be reached\n$/,
  );
  const slow = await egressOf({ bounds: { connectMs: 50 }, resolve: () => new Promise(() => {}) });
  assert.match(
    await connectTo(slow.socket, 'never.test:443').ended,
    /^HTTP\/1\.1 502 [\s\S]*\r\n\r\nnever\.test:443 could not be reached\n$/,
  );
});

it('connections of an app are bounded in number, head and idle time, and all end with the proxy', async () => {
  const allowed = [`local.test:${port}`];
  const egress = await egressOf({ allowed, bounds: { connections: 2, headersMs: 60_000, idleMs: 60_000 } });
  const idle = raw(egress.socket, 'CONNECT local');
  const two = [1, 2].map(() => connectTo(egress.socket, `local.test:${port}`, 'here'));
  for (const one of two) await one.until('here');
  assert.equal(await idle.ended, '');
  assert.equal(await connectTo(egress.socket, `local.test:${port}`).ended, '');
  two[0]!.socket.destroy();
  await waitFor('a free place', async () => {
    const one = connectTo(egress.socket, `local.test:${port}`, 'here');
    const isJoined = await one.until('here').catch(() => false);
    return isJoined !== false;
  });
  await egress.close();
  await Promise.all(two.map(({ ended }) => ended));
  assert.ok(!existsSync(egress.socket));

  const short = await egressOf({ allowed, bounds: { headersMs: 50, idleMs: 1000 } });
  assert.match(await raw(short.socket, 'CONNECT local').ended, /^HTTP\/1\.1 408 /);
  const quiet = connectTo(short.socket, `local.test:${port}`, 'here');
  await quiet.ended;
  assert.match(quiet.text, /here$/);
});

it("a killed runner's socket is replaced, and no other file is", async () => {
  const egress = await egressOf();
  assert.equal(statSync(egress.socket).mode & 0o777, 0o666);
  const guard = guardedConnect({ allowed: new Set() });
  const again = await startEgress({ socket: egress.socket, guard, deploymentId, log: logOf([]) });
  atEnd(() => again.close());
  assert.equal(statusOf(await connectTo(again.socket, '10.0.0.1:443').ended), 403);
  const file = join(folder, 'file');
  writeFileSync(file, 'kept');
  await assert.rejects(startEgress({ socket: file, guard, deploymentId, log: logOf([]) }), { code: 'EADDRINUSE' });
});
