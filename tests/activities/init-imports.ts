import assert from 'node:assert/strict';
import { createPublicKey, ECDH, verify } from 'node:crypto';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy } from '../e2e/authority.ts';
import { resultOf, submitPath } from '../support/client.ts';
import { publishedKey } from '../support/published.ts';
import { NOBODY, refused, refusesEach } from '../support/refusals.ts';
import { type Importer, initPrivateKeyImport, initWalletImport, sealKey, sealMnemonic } from './custody.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from './support.ts';

const { instance, pair } = await sharedPair();

const FOR_ONESELF: [number, string, RegExp] = [403, 'REQUEST_NOT_AUTHORIZED', /userId must be the submitting user/];
const root = () => ({ client: instance.root, userId: instance.credentials.userId });
const innerOf = (importBundle: string) => JSON.parse(Buffer.from(JSON.parse(importBundle).data, 'hex').toString());

export const wallets = {
  what: 'WALLET',
  key: 'initImportWalletResult',
  begin: initWalletImport,
  seal: (who: Importer, importBundle: string) => sealMnemonic(who, importBundle, `${'abandon '.repeat(11)}about`),
};
export const privateKeys = {
  what: 'PRIVATE_KEY',
  key: 'initImportPrivateKeyResult',
  begin: initPrivateKeyImport,
  seal: (who: Importer, importBundle: string) => sealKey(who, importBundle, '11'.repeat(32)),
};

type InitImport = typeof wallets;

/** The tests of the key that an import is sealed to: the same for wallets and for private keys. */
export function testInitImport({ what, key: KEY, begin, seal }: InitImport, other: InitImport): void {
  const TYPE = `INIT_IMPORT_${what}`;

  test(`${TYPE}: a key for this user and organization, signed by the published key`, async () => {
    const result = resultOf(await instance.root.submit(TYPE, { userId: root().userId.toUpperCase() }), KEY);
    assert.deepEqual(Object.keys(result), ['importBundle']);
    const bundle = JSON.parse(result.importBundle);
    assert.deepEqual(Object.keys(bundle), ['version', 'data', 'dataSignature', 'enclaveQuorumPublic']);
    assert.equal(bundle.version, 'v1.0.0');
    assert.equal(bundle.enclaveQuorumPublic, await publishedKey(instance.url, 'bundle-signer'));
    const inner = innerOf(result.importBundle);
    assert.deepEqual(Object.keys(inner), ['targetPublic', 'organizationId', 'userId']);
    assert.deepEqual([inner.organizationId, inner.userId], [instance.root.organizationId, root().userId]);
    assert.match(inner.targetPublic, /^04[0-9a-f]{128}$/);
    ECDH.convertKey(inner.targetPublic, 'prime256v1', 'hex', 'hex', 'compressed');
    const point = Buffer.from(bundle.enclaveQuorumPublic, 'hex');
    const jwk = { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33) };
    const key = createPublicKey({ format: 'jwk', key: jwk });
    assert.ok(verify('sha256', Buffer.from(bundle.data, 'hex'), key, Buffer.from(bundle.dataSignature, 'hex')));
  });

  test(`${TYPE}: a new key each time and for each kind, but the same body gives the same one`, async () => {
    const body = instance.root.bodyOf(TYPE, { userId: root().userId });
    const [first, again] = [await instance.root.send(submitPath(TYPE), body), await instance.root.send(submitPath(TYPE), body)];
    assert.deepEqual(again.body, first.body);
    const bundles = [resultOf(first, KEY).importBundle, await begin(root()), await other.begin(root())];
    assert.equal(new Set(bundles.map((bundle) => innerOf(bundle).targetPublic)).size, 3);
  });

  test(`${TYPE}: the published package refuses the bundle for another user or organization`, async () => {
    const importBundle = await begin(root());
    const { userId } = await instance.newUser('Other');
    await assert.rejects(seal({ client: instance.root, userId }, importBundle), /user id does not match/);
    const elsewhere = { client: pair.parent, userId: root().userId };
    await assert.rejects(seal(elsewhere, importBundle), /organization id does not match/);
    assert.deepEqual(Object.keys(JSON.parse(await seal(root(), importBundle))), ['encappedPublic', 'ciphertext']);
  });

  test(`${TYPE}: for nobody but oneself, whatever the root quorum and policies say`, async () => {
    const { client, userId } = await instance.newUser('Imports');
    await newPolicy(instance.root, {
      condition: `activity.resource == '${what}' && activity.action == 'IMPORT'`,
      consensus: approvedBy(userId),
    });
    refused(await instance.root.submit(TYPE, { userId }), FOR_ONESELF);
    refused(await client.submit(TYPE, { userId: root().userId }), FOR_ONESELF);
    refused(await client.submit(TYPE, { userId: NOBODY }), FOR_ONESELF);
    refused(await pair.clients[0].submit(TYPE, { userId: pair.userIds[1] }), FOR_ONESELF);
    assert.equal(innerOf(await begin({ client, userId })).userId, userId);
    denied(await client.submit(`INIT_IMPORT_${other.what}`, { userId }));
  });

  test(`${TYPE}: a user without permission is refused, also for oneself`, async () => {
    const { client, userId } = await instance.newUser('Nobody');
    denied(await client.submit(TYPE, { userId }), /No policies evaluated to outcome: Allow/);
    await refusedToNobody(instance, TYPE, { userId });
  });

  test(`${TYPE}: bad parameters are named`, () =>
    refusesEach(instance.root, TYPE, [
      [{}, 'parameters.userId', /is required/],
      [{ userId: 'x' }, 'parameters.userId', /must be a UUID/],
      [{ userId: null }, 'parameters.userId', /string/],
    ]));

  test(`${TYPE}: waits for the second root user`, async () => {
    const { importBundle } = await waitsForBoth(pair, TYPE, { userId: pair.userIds[0] }, KEY);
    assert.equal(innerOf(importBundle).userId, pair.userIds[0]);
  });

  test(`${TYPE}: who submitted it may be the last to approve it, too`, async () => {
    const later = await instance.newSubOrganization(`Later ${what}`, 2, 2);
    const [first, second] = later.clients;
    const { activity } = (await first!.submit(TYPE, { userId: later.userIds[0] })).body;
    instance.clock.advance(25 * 60 * 60 * 1000);
    const renewed = await second!.submit('APPROVE_ACTIVITY', { fingerprint: activity.fingerprint });
    assert.equal(renewed.body.activity?.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', renewed.text);
    const { importBundle } = resultOf(await first!.submit('APPROVE_ACTIVITY', { fingerprint: activity.fingerprint }), KEY);
    assert.equal(innerOf(importBundle).userId, later.userIds[0]);
  });
}
