import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { idOf } from '../../store/names.ts';
import { apiKey, newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { NOBODY } from '../../support/refusals.ts';

function keysOnBothCurves() {
  for (;;) {
    const keys = newKeys();
    try {
      secp256k1.Point.fromHex(keys.publicKey);
      return keys;
    } catch {}
  }
}

const instance = await sharedInstance();

test('the user that the stamp belongs to', async () => {
  const { body } = await instance.root.query('whoami');
  assert.deepEqual(Object.keys(body).sort(), ['organizationId', 'organizationName', 'userId', 'username']);
  assert.equal(body.organizationId, instance.root.organizationId);
  assert.equal(body.userId, instance.credentials.userId);
  const user = await instance.newUser('Ada');
  const who = (await user.client.query('whoami')).body;
  assert.deepEqual([who.userId, who.username], [user.userId, 'Ada']);
});

test('in a sub-organization; asked of the parent, the sub-organization is found by the key', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  const [client] = sub.clients;
  const wanted = { organizationId: sub.organizationId, organizationName: 'Sub', userId: sub.userIds[0], username: 'Sub 0' };
  assert.deepEqual((await client!.query('whoami')).body, wanted);
  assert.deepEqual((await client!.query('whoami', { organizationId: instance.root.organizationId })).body, wanted);
});

test('the parent’s user stays the parent’s when asking of a sub-organization', async () => {
  const sub = await instance.newSubOrganization('Asked', 1, 1);
  const { body } = await instance.root.query('whoami', { organizationId: sub.organizationId });
  assert.deepEqual([body.organizationId, body.userId], [instance.root.organizationId, instance.credentials.userId]);
});

test('a key of two sub-organizations: asked of the parent it is a conflict, asked of one of them it is not', async () => {
  const shared = newKeys();
  const made = await Promise.all(
    ['One', 'Two', 'Three'].map(async (subOrganizationName) => {
      const rootUsers = [userWith(subOrganizationName, [shared])];
      const answer = await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', {
        subOrganizationName,
        rootQuorumThreshold: 1,
        rootUsers,
      });
      return resultOf(answer, 'createSubOrganizationResultV8');
    }),
  );
  const answer = await instance.root.as(shared).query('whoami');
  assert.equal(answer.status, 401);
  assert.equal(answer.body.code, 16);
  assert.equal(answer.body.details[0].turnkeyErrorCode, 'CREDENTIAL_CONFLICT');
  assert.match(answer.body.message, /more than one suborg associated with a public key/);
  for (const { subOrganizationId, rootUserIds } of made) {
    const { body } = await instance.root.as(shared, subOrganizationId).query('whoami');
    assert.deepEqual([body.organizationId, body.userId], [subOrganizationId, rootUserIds[0]]);
  }
  // If one of them is a user of the organization itself, that one comes first.
  const { userId } = instance.credentials;
  resultOf(await instance.root.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(shared)] }), 'createApiKeysResult');
  const own = await instance.root.as(shared).query('whoami');
  assert.deepEqual([own.body.organizationId, own.body.userId], [instance.root.organizationId, userId]);
});

test('an unknown key, an unknown organization and a sibling', async () => {
  const unknown = await instance.root.as(newKeys()).query('whoami');
  assert.deepEqual([unknown.status, unknown.body.details[0].turnkeyErrorCode], [401, 'PUBLIC_KEY_NOT_FOUND']);
  const nowhere = await instance.root.query('whoami', { organizationId: NOBODY });
  assert.deepEqual([nowhere.status, nowhere.body.details[0].turnkeyErrorCode], [404, 'ORGANIZATION_NOT_FOUND']);
  const malformed = await instance.root.query('whoami', { organizationId: 'mine' });
  assert.deepEqual([malformed.status, malformed.body.details[0].turnkeyErrorCode], [400, 'INVALID_ORGANIZATION_ID']);
  const [a, b] = [await instance.newSubOrganization('A', 1, 1), await instance.newSubOrganization('B', 1, 1)];
  const sibling = await a.clients[0]!.query('whoami', { organizationId: b.organizationId });
  assert.deepEqual([sibling.status, sibling.body.details[0].turnkeyErrorCode], [401, 'PUBLIC_KEY_NOT_FOUND']);
});

test('an expired key of a sub-organization, asked of the parent', async () => {
  const sub = await instance.newSubOrganization('Expires', 1, 1);
  const short = newKeys();
  const added = { userId: sub.userIds[0], apiKeys: [apiKey(short, { expirationSeconds: '10' })] };
  resultOf(await sub.clients[0]!.submit('CREATE_API_KEYS_V2', added), 'createApiKeysResult');
  const client = instance.root.as(short);
  assert.equal((await client.query('whoami')).body.userId, sub.userIds[0]);
  instance.clock.advance(10_000);
  const answer = await client.query('whoami');
  assert.deepEqual([answer.status, answer.body.details[0].turnkeyErrorCode], [401, 'API_KEY_EXPIRED']);
});

test('asked of the parent, registrations that have expired take no part', async () => {
  const sub = await instance.newSubOrganization('Owner', 1, 1);
  const other = await instance.newSubOrganization('Squatter', 1, 1);
  const keys = sub.clients[0]!.keys;
  const squatted = { userId: other.userIds[0], apiKeys: [apiKey(keys, { expirationSeconds: '10' })] };
  resultOf(await other.clients[0]!.submit('CREATE_API_KEYS_V2', squatted), 'createApiKeysResult');
  const asked = instance.root.as(keys);
  assert.equal((await asked.query('whoami')).body.details?.[0].turnkeyErrorCode, 'CREDENTIAL_CONFLICT');
  instance.clock.advance(10_000);
  assert.equal((await asked.query('whoami')).body.organizationId, sub.organizationId);
});

test('asked of the parent, more registrations than are looked at are a conflict', async () => {
  const sub = await instance.newSubOrganization('Crowded', 1, 1);
  const keys = sub.clients[0]!.keys;
  const [row] = await instance.raw('SELECT * FROM credentials WHERE public_key = $1', Buffer.from(keys.publicKey, 'hex'));
  const columns = Object.keys(row!);
  for (let n = 1; n < 100; n++) {
    const values = columns.map((name) =>
      name === 'organization_id' ? idOf(`gone ${n}`) : name === 'expires_at' ? 1 : row![name],
    );
    const marks = columns.map((_, i) => `$${i + 1}`).join(', ');
    await instance.raw(`INSERT INTO credentials (${columns.join(', ')}) VALUES (${marks})`, ...values);
  }
  const { body } = await instance.root.as(keys).query('whoami');
  assert.equal(body.details?.[0].turnkeyErrorCode, 'CREDENTIAL_CONFLICT');
});

test('an own key that has expired does not shut out the same key of the parent', async () => {
  const sub = await instance.newSubOrganization('Both', 1, 1);
  const parents = await instance.newUser('Parent’s');
  const mine = { userId: sub.userIds[0], apiKeys: [apiKey(parents.keys, { expirationSeconds: '10' })] };
  resultOf(await sub.clients[0]!.submit('CREATE_API_KEYS_V2', mine), 'createApiKeysResult');
  const client = instance.root.as(parents.keys, sub.organizationId);
  assert.equal((await client.query('whoami')).body.userId, sub.userIds[0]);
  instance.clock.advance(10_000);
  assert.equal((await client.query('whoami')).body.userId, parents.userId);
  // The parent's user may read, but not act.
  const acted = await client.submit('CREATE_WALLET', { walletName: 'Mine', accounts: [] });
  assert.equal(acted.body.details?.[0].turnkeyErrorCode, 'ORGANIZATION_MISMATCH');
});

test('an own key on another curve does not shut out the same key of the parent', async () => {
  const sub = await instance.newSubOrganization('Curves', 1, 1);
  // Half of all points' coordinates are on the other curve as well.
  const keys = keysOnBothCurves();
  const parents = resultOf(
    await instance.root.submit('CREATE_USERS_V4', { users: [{ ...userWith('On P-256', [keys]), userTags: [] }] }),
    'createUsersResult',
  );
  const twin = { userId: sub.userIds[0], apiKeys: [apiKey(keys, { curveType: 'API_KEY_CURVE_SECP256K1' })] };
  resultOf(await sub.clients[0]!.submit('CREATE_API_KEYS_V2', twin), 'createApiKeysResult');
  const { body } = await instance.root.as(keys, sub.organizationId).query('whoami');
  assert.equal(body.userId, parents.userIds[0]);
});
