/** The console, as the service sends it. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { ROOT } from '../../scripts/bundle-place.ts';
import { BUNDLES, digestOf } from '../../src/app/bundled.ts';
import { type BuiltConsole, CONSOLE_FILE, consoleIn, digestOfConsole } from '../../src/app/console/built.ts';
import { consoleAt } from '../../src/app/console/serve.ts';
import { missingConsole } from '../../src/app/console/waiting.ts';
import { readConfig } from '../../src/config.ts';
import { temporaryFolder, write } from '../scripts/setup.ts';
import { buildConsoleOnce, noConsole } from '../support/console.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { get as asked, raw } from './raw.ts';

let instance: Instance;
let built: BuiltConsole;

before(async () => {
  await buildConsoleOnce();
  instance = await startInstance();
  if (noConsole === false) built = consoleIn(ROOT)!;
});
after(() => instance?.close());

const get = (path: string, headers: Record<string, string> = {}, url = instance.url) =>
  fetch(url + path, { headers, redirect: 'manual' });

const POLICY = (styles: readonly string[]) =>
  [
    "default-src 'none'; script-src 'self'",
    ["style-src 'self'", ...styles].join(' '),
    "connect-src 'self'; img-src 'self' data:; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'",
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  ].join('; ');

test('every file is served in three forms, each with a strong tag, under a strict policy', { skip: noConsole }, async () => {
  for (const [name, { type, gzip, br, plain }] of Object.entries(built.files)) {
    const path = `/console/${name === 'index.html' ? '' : name}`;
    const tags = new Set<string>();
    for (const [accepts, encoding] of [
      ['identity', null],
      ['gzip, br;q=0', gzip === undefined ? null : 'gzip'],
      ['gzip;q=0.5, br', br === undefined ? null : 'br'],
    ] as const) {
      const answer = await get(path, { 'accept-encoding': accepts });
      assert.deepEqual([answer.status, answer.headers.get('content-encoding')], [200, encoding], `${path} ${accepts}`);
      assert.equal(Buffer.from(await answer.arrayBuffer()).toString('base64'), plain);
      const { headers } = answer;
      assert.equal(headers.get('content-type'), type);
      assert.equal(headers.get('content-security-policy'), POLICY(built.styles));
      assert.deepEqual(
        ['x-content-type-options', 'referrer-policy', 'cross-origin-opener-policy', 'cross-origin-resource-policy'].map((one) =>
          headers.get(one),
        ),
        ['nosniff', 'no-referrer', 'same-origin', 'same-origin'],
      );
      const isHashed = name.startsWith('assets/');
      assert.equal(headers.get('cache-control'), isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      const etag = headers.get('etag')!;
      assert.match(etag, /^"[\w-]{43}"$/);
      tags.add(etag);
      const again = await get(path, { 'accept-encoding': accepts, 'if-none-match': etag });
      assert.deepEqual([again.status, await again.text()], [304, '']);
    }
    assert.equal(tags.size, gzip === undefined ? 1 : 3, path);
  }
});

test('a path of a page answers the page, and a file that is not there is not found', { skip: noConsole }, async () => {
  const page = await (await get('/console/')).text();
  for (const path of ['/console/approvals', '/console/activities/a-b?status=x', '/console/enrol', '/console/a/b/c'])
    assert.equal(await (await get(path)).text(), page, path);
  for (const path of [
    '/console/assets/main-00000000.js',
    '/console/assets/',
    '/console/assets/x',
    '/console/other.js',
    '/console/a/.env',
  ])
    assert.equal((await get(path)).status, 404, path);
  for (const path of ['/', '/console']) {
    const { status, headers } = await get(path);
    assert.deepEqual([status, headers.get('location')], [302, '/console/'], path);
  }
  assert.deepEqual(await (await get('/console/service.json')).json(), {
    url: readConfig({ PORT: '0', HOST: '127.0.0.1' }).baseUrl,
    elsewhere: false,
  });
  const head = await fetch(`${instance.url}/console/`, { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
  assert.equal((await fetch(`${instance.url}/console/`, { method: 'POST' })).status, 405);
});

test('links of invitations that were mailed go on working', async () => {
  const { status, headers } = await get('/accept-invitation');
  if (noConsole === false) assert.deepEqual([status, headers.get('location')], [302, '/console/join']);
  else assert.equal(status, 200);
  for (const path of ['/console/style.css', '/console/accept-invitation.js']) assert.equal((await get(path)).status, 200, path);
});

test('with CONSOLE=off there is no console, and / says that the service runs', async () => {
  const off = await startInstance({ CONSOLE: 'off' });
  try {
    assert.match(await (await get('/', {}, off.url)).text(), /The service runs\./);
    assert.match(await (await get('/accept-invitation', {}, off.url)).text(), /Accept your invitation/);
    for (const path of ['/console/', '/console/approvals', '/console/index.html']) {
      const answer = await get(path, {}, off.url);
      assert.equal(answer.status, 404);
      assert.match(await answer.text(), /the console is off, or has its own port on this service: see CONSOLE and CONSOLE_PORT/);
    }
  } finally {
    await off.close();
  }
});

/** A console of two files, of the source `source.ts`. */
function builtOf(text: string): BuiltConsole {
  const file = { type: 'text/html; charset=utf-8', plain: Buffer.from(text).toString('base64') };
  return { files: { 'index.html': file, [`assets/${text}.js`]: file }, styles: [], loads: { first: [], later: {} } };
}

function place(root: string, built: BuiltConsole, madeOf = digestOf(['source.ts'], () => Buffer.from('1'))): void {
  const made = { sources: ['source.ts'], madeOf, digest: digestOfConsole(built), built };
  write(`${root}/${BUNDLES}/${CONSOLE_FILE}`, JSON.stringify(made));
}

test('until the console is there, its page shows what set-up does, and then the console without a restart', async (t) => {
  const root = temporaryFolder();
  write(`${root}/src/one.ts`, '');
  write(`${root}/source.ts`, '1');
  const clock = { now: Date.now };
  const at = consoleAt(readConfig({}), clock, root);
  const server = createServer(
    (request, response) => void (at(request.url!) ?? (() => response.writeHead(404).end()))(request, response),
  );
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const text = async (path = '/console/') => (await get(path, {}, url)).text();
  const state = (one: object) => write(`${root}/.cache/console-state.json`, JSON.stringify(one));
  const banner = () => missingConsole(root, clock);
  const command = ' (not built: npm run console)';

  const none = await get('/console/x', {}, url);
  assert.deepEqual([none.status, none.headers.get('retry-after'), none.headers.get('cache-control')], [503, '2', 'no-store']);
  assert.match(none.headers.get('content-security-policy')!, /^default-src 'none'; .*frame-ancestors 'none'$/);
  assert.equal((await get('/accept-invitation', {}, url)).status, 404, 'the page of the service answers it');
  const page = await none.text();
  assert.match(page, /<meta http-equiv="refresh" content="30" \/>[\s\S]*It is not built[\s\S]*npm run console/);
  assert.doesNotMatch(page, /<script|style=/);
  assert.equal(banner(), command);

  state({ doing: '40 of some 55 MB <b>&"' });
  assert.match(await text(), /It is being built: 40 of some 55 MB &#60;b&#62;&#38;&#34;\./);
  assert.equal(banner(), ' (is being built)');
  clock.now = () => Date.now() + 30_000;
  assert.match(await text(), /It is not built/);
  assert.equal(banner(), command);
  state({ failed: 'npm ci failed' });
  assert.match(await text(), /npm run console<\/pre><p>The last attempt failed:<\/p><pre>npm ci failed<\/pre>/);
  assert.equal(banner(), command);
  for (const odd of ['{', '[]', 'null', '{"doing":1}', `{"failed":"${'x'.repeat(5000)}"}`]) {
    write(`${root}/.cache/console-state.json`, odd);
    assert.match(await text(), /It is not built/, odd);
  }

  // One of other sources, and one that was cut off, are none.
  place(root, builtOf('older'), 'f'.repeat(64));
  assert.match(await text(), /It is not built/);
  write(`${root}/${BUNDLES}/${CONSOLE_FILE}`, '{"built":');
  assert.match(await text(), /It is not built/);
  place(root, builtOf('first'));
  assert.equal(await text(), 'first');
  assert.equal(banner(), '');
  place(root, builtOf('second one'));
  assert.equal(await text(), 'second one');
  // A page that is open still loads its files.
  assert.equal(await text('/console/assets/first.js'), 'first');
  write(`${root}/${BUNDLES}/${CONSOLE_FILE}`, '{}');
  assert.equal(await text(), 'second one');
});

test('of a thousand requests for the page on one connection at most sixteen are answered', { skip: noConsole }, async () => {
  const answers = (said: string) => said.split('HTTP/1.1 200').length - 1;
  const { text, closed } = await raw(instance.url, asked('/console/').repeat(1000), (said) => answers(said) > 16);
  assert.ok(closed && answers(text) <= 16);
});
