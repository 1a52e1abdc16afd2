import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { sharedPair } from '../activities/support.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { cli } from '../support/cli.ts';
import { type Client, clientOf } from '../support/client.ts';

const { instance, pair } = await sharedPair();
const folder = mkdtempSync(join(tmpdir(), 'countersign-console-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(client: Client, name: string): string {
  const { keys, organizationId, url } = client;
  const file = join(folder, `${name}.json`);
  writeFileSync(
    file,
    JSON.stringify({ apiPublicKey: keys.publicKey, apiPrivateKey: keys.privateKey, organizationId, baseUrl: url }),
  );
  return file;
}

/** What the console takes from a link. */
function contentOf(link: string) {
  const [, page, fragment] = /^(.*)#([\w-]+)$/.exec(link.trim())!;
  const content = JSON.parse(Buffer.from(fragment!, 'base64url').toString());
  const keys = { publicKey: content.apiPublicKey, privateKey: content.apiPrivateKey };
  return { page, ...content, client: clientOf(instance.url, keys, content.organizationId) as Client };
}

const run = (...args: string[]) => cli(['console', ...args], { env: { DATA_DIR: folder } });

test('the link adds one passkey to the user of the credentials', async () => {
  const { userId } = (await instance.root.query('whoami')).body;
  const { code, out, err } = await run('--credentials', fileOf(instance.root, 'root'));
  assert.equal(code, 0, err);
  assert.match(err, /works once, for 15 minutes/);
  const { page, client, ...content } = contentOf(out);
  assert.deepEqual(
    [page, content.userId, content.organizationId],
    [`${instance.url}/console/enrol`, userId, instance.root.organizationId],
  );
  const authenticators = [new SoftAuthenticator().register()];
  const added = await client.submit('CREATE_AUTHENTICATORS_V2', { userId, authenticators });
  assert.equal(added.body.activity.status, 'ACTIVITY_STATUS_COMPLETED', added.text);
  assert.equal((await client.query('whoami')).status, 401);
});

test('where two root users must agree, the link works once the other approved', async () => {
  const [first, second] = pair.clients;
  const { code, out, err } = await run('--json', '--credentials', fileOf(first, 'first'));
  assert.equal(code, 0, err);
  const { link, activityId, isWaiting } = JSON.parse(out);
  assert.equal(isWaiting, true);
  const { client } = contentOf(link);
  assert.equal((await client.query('whoami')).status, 401);
  const { fingerprint } = (await second.query('get_activity', { activityId })).body.activity;
  await second.submit('APPROVE_ACTIVITY', { fingerprint });
  assert.equal((await client.query('whoami')).body.userId, pair.userIds[0]);
});

/** The service, as if its first page led elsewhere. '': it leads nowhere. */
async function leadingTo(location: string) {
  const submits: string[] = [];
  const server = createServer(async (asked, answer) => {
    if (asked.url === '/') return void answer.writeHead(location === '' ? 200 : 302, { location }).end();
    submits.push(asked.url!);
    const headers = { 'x-stamp': String(asked.headers['x-stamp']) };
    const reply = await fetch(instance.url + asked.url, { method: 'POST', headers, body: await text(asked) });
    answer.writeHead(reply.status).end(await reply.text());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, submits, close: () => void server.close() };
}

test('the link leads to the console that the service names, and no key is made where that is none of its own', async (t) => {
  const credentials = ['--credentials', fileOf(instance.root, 'elsewhere')];
  const own = await leadingTo('http://localhost:8092/console/');
  t.after(own.close);
  const made = await run('--url', own.url, ...credentials);
  assert.equal(contentOf(made.out).page, 'http://localhost:8092/console/enrol', made.err);
  const refused = [
    ['', /leads to no console: its setting CONSOLE is off/],
    ['http://sign.example.com/console/', /leads to http:\/\/sign\.example\.com\/console\/, which is no console of that host/],
    ['http://localhost:8092/other/', /no console of that host/],
  ] as const;
  for (const [location, reason] of refused) {
    const service = await leadingTo(location);
    t.after(service.close);
    const { code, err } = await run('--url', service.url, ...credentials);
    assert.equal(code, 1, location);
    assert.match(err, reason);
    assert.deepEqual(service.submits, []);
  }
  const before = own.submits.length;
  const off = await cli(['console', ...credentials], { env: { DATA_DIR: folder, BASE_URL: own.url, CONSOLE: 'off' } });
  assert.deepEqual([off.code, own.submits.length], [1, before]);
  assert.match(off.err, /CONSOLE is off in the settings/);
});

test('a refusal and a wrong word are told', async () => {
  const refused = await run('--credentials', fileOf(pair.outsider, 'outsider'));
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.err, /sufficient permissions/);
  const wrong = await run('nothing');
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /there is no "console nothing"/);
});
