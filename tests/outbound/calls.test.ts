import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { parseAllowed } from '../../src/outbound/allowed.ts';
import { type Bounds, guardedCalls } from '../../src/outbound/guard.ts';
import type { OutboundError } from '../../src/outbound/types.ts';

let listener: RequestListener = (_, response) => response.end('{}');
const server = createServer((request, response) => listener(request, response));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
after(() => {
  server.closeAllConnections();
  server.close();
});
const hostAndPort = `localhost:${(server.address() as AddressInfo).port}`;
const base = `http://${hostAndPort}`;

const callsWith = (bounds: Partial<Bounds> = {}, allow = hostAndPort) => guardedCalls({ allowed: parseAllowed(allow), bounds });
const payer = 'payer';

async function refused(work: Promise<unknown>, message: RegExp, mayPass: boolean): Promise<void> {
  await assert.rejects(work, (error: OutboundError) => {
    assert.deepEqual([error.name, error.mayPass], ['OutboundError', mayPass], String(error));
    assert.match(error.message, message);
    return true;
  });
}

test('the given request is sent, and every answer is returned with its status and text', async () => {
  listener = async (request, response) => {
    const { authorization, 'content-type': type, 'transfer-encoding': encoding } = request.headers;
    response
      .writeHead(418)
      .end(JSON.stringify([request.method, request.url, authorization, type, encoding, await text(request)]));
  };
  const headers = { authorization: 'Basic abc', 'content-type': 'application/x-www-form-urlencoded' };
  const [posted, got] = await callsWith()(base, { payer }, async (call) => [
    await call({ method: 'POST', path: '/token', headers, body: 'a=b&c=ü' }),
    await call({ method: 'GET', path: '/user' }),
  ]);
  assert.equal(posted!.status, 418);
  const wanted = ['POST', '/token', 'Basic abc', 'application/x-www-form-urlencoded', null, 'a=b&c=ü'];
  assert.deepEqual(JSON.parse(posted!.body.toString()), wanted);
  assert.deepEqual(JSON.parse(got!.body.toString()), ['GET', '/user', null, null, null, '']);
});

test('no redirect is followed', async () => {
  let asked = 0;
  listener = (_, response) => {
    asked++;
    response.writeHead(307, { location: '/elsewhere' }).end();
  };
  const { status } = await callsWith()(base, { payer }, (call) => call({ method: 'POST', path: '/', body: 'secret' }));
  assert.deepEqual([status, asked], [307, 1]);
});

test('only hosts of the Internet are asked, over https, and those that the operator allowed', async () => {
  const ask = (url: string, allow = '') =>
    callsWith({}, allow)(url, { payer }, (call) => call({ method: 'POST', path: '/token', body: 'secret' }));
  listener = () => assert.fail('it must not be asked');
  await refused(ask(base), /must be called over https/, false);
  for (const host of ['127.0.0.1', '[::1]', '169.254.169.254', '10.0.0.1', '[::ffff:10.0.0.1]', '[fd00::1]'])
    await refused(ask(`https://${host}`), /has no public address/, false);
  await refused(ask(base, 'localhost:1'), /must be called over https/, false);
  const lies = { brought: async () => [{ address: '127.0.0.1', family: 4 }], allowed: async () => [] };
  const dns = guardedCalls({ allowed: parseAllowed(''), resolve: lies });
  await refused(
    dns('https://api.x.com', { payer }, (call) => call({ method: 'GET', path: '/' })),
    /api\.x\.com has no public address/,
    false,
  );
});

test('an answer has an end, in bytes and in time, for both requests together', async () => {
  listener = (_, response) => response.writeHead(400).end('x'.repeat(101));
  const ask = (bounds: Partial<Bounds>) => callsWith(bounds)(base, { payer }, (call) => call({ method: 'GET', path: '/' }));
  await refused(ask({ bytes: 100 }), /more than 100 bytes/, false);
  assert.equal((await ask({ bytes: 101 })).body.length, 101);
  listener = (request, response) => {
    if (request.url === '/first') response.end('{}');
  };
  const both = callsWith({ milliseconds: 300 })(base, { payer }, async (call) => {
    await call({ method: 'GET', path: '/first' });
    return call({ method: 'GET', path: '/second' });
  });
  await refused(both, /could not be reached/, true);
});

test('a conversation takes one place, and gives it back', async () => {
  listener = (_, response) => response.end('{}');
  const calls = callsWith({ payer: 1, payerAtHost: 1 });
  const one = calls(base, { payer }, async (call) => {
    await call({ method: 'GET', path: '/' });
    await refused(
      calls(base, { payer }, (more) => more({ method: 'GET', path: '/' })),
      /too many requests/,
      true,
    );
    return (await call({ method: 'GET', path: '/' })).status;
  });
  assert.equal(await one, 200);
  assert.equal((await calls(base, { payer }, (call) => call({ method: 'GET', path: '/' }))).status, 200);
});
