import assert from 'node:assert/strict';
import { createPublicKey, ECDH, verify } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type App, createApp } from '../../src/app/compose.ts';
import { readConfig } from '../../src/config.ts';
import type { Opened } from '../store/fixture.ts';
import { type Older, openVersion4 } from '../store/older/database.ts';
import { type Client, clientOf, resultOf } from '../support/client.ts';
import { engineName } from '../support/database.ts';

let opened: Opened;
let older: Older;
let app: App;
let root: Client;
before(async () => {
  ({ opened, older } = await openVersion4());
  await opened.store.close();
  for (const [name, text] of Object.entries(older.files)) writeFileSync(join(opened.folder, name), text, { mode: 0o600 });
  const { folder, url } = opened;
  const config = readConfig({ PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'fatal', ...(url ? { DATABASE_URL: url } : {}) });
  app = await createApp(config);
  const { organizationId } = JSON.parse(older.files['root-credentials.json']!);
  root = clientOf(await app.http.listen({ host: '127.0.0.1', port: 0 }), older.root, organizationId);
});
after(async () => {
  await app?.close();
  await opened?.drop();
});

test(`every list and look-up answers what the older program answered, on ${engineName}`, async () => {
  for (const { keys, query, parameters, answer } of older.answers) {
    const { status, body } = await root.as(keys).query(query, parameters);
    assert.equal(status, 200, query);
    assert.partialDeepStrictEqual(body, answer as object, `${query} ${JSON.stringify(parameters)}`);
  }
});

/** P-256, as every stamp of the database. */
function isSigned({ publicKey, signature, message }: Record<string, string>): boolean {
  const point = ECDH.convertKey(publicKey!, 'prime256v1', 'hex', 'hex', 'uncompressed') as string;
  const part = (from: number) => Buffer.from(point.slice(from, from + 64), 'hex').toString('base64url');
  const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: part(2), y: part(66) } });
  return verify('sha256', Buffer.from(message!), key, Buffer.from(signature!, 'hex'));
}

test(`every vote of every activity verifies, and each activity is found alone, on ${engineName}`, async () => {
  let votes = 0;
  for (const { keys, parameters } of older.answers.filter(({ query }) => query === 'list_activities')) {
    const client = root.as(keys);
    for (const activity of (await client.query('list_activities', parameters)).body.activities) {
      const { organizationId, id } = activity;
      assert.deepEqual((await client.query('get_activity', { organizationId, activityId: id })).body.activity, activity);
      for (const vote of activity.votes) {
        assert.ok(isSigned(vote), `${activity.type} ${vote.id}`);
        votes++;
      }
    }
  }
  assert.ok(votes > 60, `${votes} votes`);
});

test(`keys open and sign, bundles are sealed, and a body sent again is the activity of before, on ${engineName}`, async () => {
  for (const signWith of older.signers) {
    const hashFunction = signWith.startsWith('0x') ? 'HASH_FUNCTION_SHA256' : 'HASH_FUNCTION_NOT_APPLICABLE';
    const payload = { payload: '00'.repeat(32), encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction };
    const known = older.signers.indexOf(signWith) === 2 ? { ...payload, hashFunction: 'HASH_FUNCTION_SHA256' } : payload;
    resultOf(await root.submit('SIGN_RAW_PAYLOAD_V2', { signWith, ...known }), 'signRawPayloadResult');
  }
  const [wallet] = (await root.query('list_wallets')).body.wallets;
  const targetPublicKey = ECDH.convertKey(root.keys.publicKey, 'prime256v1', 'hex', 'hex', 'uncompressed');
  resultOf(await root.submit('EXPORT_WALLET', { walletId: wallet.walletId, targetPublicKey }), 'exportWalletResult');
  const again = await root.send(older.repeated.path, older.repeated.body);
  assert.equal(again.body.activity.id, older.repeated.id);
});
