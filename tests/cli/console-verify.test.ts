/** A host that serves the console of this checkout, and one that changes it. */
import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { before, test } from 'node:test';
import { consoleServer } from '../../src/cli/console-serve.ts';
import { isOwn } from '../../src/cli/console-verify.ts';
import { cli } from '../support/cli.ts';
import { buildConsoleOnce, noConsole } from '../support/console.ts';
import { sharedInstance } from '../support/instance.ts';
import { NOBODY } from '../support/refusals.ts';

const instance = await sharedInstance();
before(buildConsoleOnce);

const verify = (...args: string[]) => cli(['console', 'verify', ...args]);

/** Passes requests on, and changes an answer. */
async function between(
  change: (path: string, body: Buffer, headers: Record<string, unknown>) => Buffer,
): Promise<{ url: string; close(): void }> {
  const server = createServer((asked, answer) => {
    const { 'accept-encoding': _, ...headers } = asked.headers;
    request(`${instance.url}${asked.url}`, { headers }, async (reply) => {
      const parts: Buffer[] = [];
      for await (const part of reply as AsyncIterable<Buffer>) parts.push(part);
      const { 'content-length': length, ...given } = reply.headers;
      const body = change(asked.url!, Buffer.concat(parts), given);
      answer.writeHead(reply.statusCode!, given as Record<string, string>).end(body);
    }).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => void server.close() };
}

test('the files of an honest host are those of the checkout, and a changed byte or policy is named', {
  skip: noConsole,
}, async (t) => {
  const same = await verify(instance.url);
  assert.deepEqual([same.code, same.err], [0, '']);
  assert.match(
    same.out,
    /^All \d+ files of http:\/\/127\.0\.0\.1:\d+\/console\/ are those of this folder\. They send to http:\/\/127\.0\.0\.1:\d+\.\n$/,
  );
  const changed = await between((path, body) => (/main-/.test(path) ? Buffer.concat([body, Buffer.from(' ')]) : body));
  t.after(changed.close);
  const { code, out } = await verify(changed.url);
  assert.equal(code, 1);
  assert.match(out, /^differs {2}assets\/main-\w+\.js\n$/);
  const loose = await between((_, body, headers) => {
    headers['content-security-policy'] = "default-src 'self'";
    return body;
  });
  t.after(loose.close);
  const told = await verify(loose.url, '--json');
  assert.deepEqual([told.code, JSON.parse(told.out).differing], [1, ['Content-Security-Policy']]);
});

test('logins that no file of the console has are printed', { skip: noConsole }, async (t) => {
  const said = { oidcUrl: 'https://login.example.com/authorize?client_id=console', authProxy: NOBODY };
  const host = await between((path, body, headers) => {
    if (!path.endsWith('/service.json')) return body;
    const changed = Buffer.from(JSON.stringify({ ...JSON.parse(body.toString()), ...said }));
    headers['content-length'] = String(changed.length);
    return changed;
  });
  t.after(host.close);
  const { code, out } = await verify(host.url);
  assert.equal(code, 0, out);
  assert.match(
    out,
    /\.\nSign-in by a provider goes to https:\/\/login\.example\.com\/authorize\?client_id=console\.\nCodes by mail .* [0-9a-f-]{36}\.\n$/,
  );
  const { oidcUrl, authProxy } = JSON.parse((await verify(host.url, '--json')).out);
  assert.deepEqual({ oidcUrl, authProxy }, said);
  Object.assign(said, { oidcUrl: ['https://login.example.com/'] });
  assert.match((await verify(host.url)).err, /service\.json is not of a console/);
  const { out: without } = await verify(instance.url, '--json');
  assert.deepEqual(Object.keys(JSON.parse(without)), ['url', 'service', 'files', 'differing']);
});

test('a page may send its requests to its own host, to one that it is below, and from the own machine', () => {
  const may = (page: string, service: string) => isOwn(new URL(page), new URL(service));
  assert.ok(may('https://sign.example.com', 'https://sign.example.com'));
  assert.ok(may('https://console.sign.example.com', 'https://sign.example.com'));
  assert.ok(may('http://localhost:8089', 'https://sign.example.com'));
  for (const service of [
    'https://evil.com',
    'https://evilsign.example.com',
    'http://sign.example.com',
    'https://a.sign.example.com',
  ])
    assert.ok(!may('https://sign.example.com', service), service);
});

test('an address that is none, or does not answer, is told', async () => {
  for (const args of [[], ['sign.example.com']]) assert.match((await verify(...args)).err, /needs the address of a service/);
  if (noConsole !== false) return;
  const { code, err } = await verify('http://127.0.0.1:9');
  assert.equal(code, 1);
  assert.match(err, /service\.json does not answer/);
});

test('the console of a checkout is served for a service elsewhere', { skip: noConsole }, async (t) => {
  const server = consoleServer('https://sign.example.com/');
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const page = await fetch(url);
  assert.match(page.headers.get('content-security-policy')!, /; connect-src 'self' https:\/\/sign\.example\.com; /);
  assert.deepEqual(await (await fetch(`${url}/console/service.json`)).json(), {
    url: 'https://sign.example.com',
    elsewhere: true,
  });
  assert.deepEqual([(await fetch(`${url}/x`)).status, (await fetch(url, { method: 'POST' })).status], [404, 405]);
  assert.equal((await verify(url)).code, 0);
});

test('a served console says whether the service elsewhere is ready', async (t) => {
  for (const [service, ...expected] of [
    [instance.url, 200, 'ready'],
    ['http://127.0.0.1:9', 503, 'not ready'],
  ] as const) {
    const server = consoleServer(service);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    t.after(() => server.close());
    const ready = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/ready`);
    assert.deepEqual([ready.status, ((await ready.json()) as { status: string }).status], expected);
  }
});
