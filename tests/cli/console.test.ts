import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

test('a refusal and a wrong word are told', async () => {
  const refused = await run('--credentials', fileOf(pair.outsider, 'outsider'));
  assert.deepEqual([refused.code, refused.out], [1, '']);
  assert.match(refused.err, /sufficient permissions/);
  const wrong = await run('nothing');
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /there is no "console nothing"/);
});
