import assert from 'node:assert/strict';
import { test } from 'node:test';
import { resultOf } from '../../support/client.ts';
import { publishedKey } from '../../support/published.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { encryptionSuite, imported, importOf, openTargets, sealed } from './support.ts';

const { instance, pair } = await sharedPair({ LIMIT_SECRETS: '5' });
const { root } = instance;

const TYPE = 'INIT_IMPORT_SECRETS';
const KEY = 'initImportSecretsResult';
const DAY = 24 * 60 * 60 * 1000;

const innerOf = (message: string) => JSON.parse(Buffer.from(JSON.parse(message).data, 'hex').toString());
const full: [number, string, RegExp] = [429, 'UNSPECIFIED', /limit of 5 secrets and keys for their import \(LIMIT_SECRETS\)/];

test('a key for each secret, for this organization, signed by the published key', async () => {
  const { client } = { client: (await instance.newSubOrganization('Sub', 1, 1)).clients[0]! };
  const messages = await openTargets(client, 3);
  assert.equal(new Set(messages.map((message) => innerOf(message).targetPublic)).size, 3);
  for (const message of messages) {
    assert.deepEqual(Object.keys(innerOf(message)), ['targetPublic', 'organizationId']);
    assert.equal(innerOf(message).organizationId, client.organizationId);
    assert.equal(JSON.parse(message).enclaveQuorumPublic, await publishedKey(instance.url, 'bundle-signer'));
  }
  await assert.rejects(sealed(root, messages[0]!, 'text'), /organization id does not match/);
});

test('open keys count as secrets until they are used or expire', async () => {
  const used = await importOf(root, ['a'], ['b']);
  await openTargets(root, 3);
  refused(await root.submit(TYPE, { encryptionSuite, numSecrets: 1 }), full);
  resultOf(await root.submit('IMPORT_SECRETS', used), 'importSecretsResult');
  refused(await root.submit(TYPE, { encryptionSuite, numSecrets: 1 }), full);
  instance.clock.advance(DAY);
  const [last] = await imported(root, ['c'], ['d'], ['e']);
  refused(await root.submit(TYPE, { encryptionSuite, numSecrets: 1 }), full);
  resultOf(await root.submit('DELETE_SECRETS', { secretIds: [last] }), 'deleteSecretsResult');
  refused(await root.submit(TYPE, { encryptionSuite, numSecrets: 2 }), full);
  await openTargets(root, 1);
});

test('waits for the second root user', async () => {
  const { enclaveTargetMessages } = await waitsForBoth(pair, TYPE, { encryptionSuite, numSecrets: 2 }, KEY);
  assert.equal(enclaveTargetMessages.length, 2);
});

test('a user without permission is refused', () => refusedToNobody(instance, TYPE, { encryptionSuite, numSecrets: 1 }));

test('bad parameters are named', () =>
  refusesEach(root, TYPE, [
    [{ encryptionSuite, numSecrets: 0 }, 'parameters.numSecrets', /must be a whole number from 1 to 100/],
    [{ encryptionSuite, numSecrets: 101 }, 'parameters.numSecrets', /must be a whole number from 1 to 100/],
    [{ encryptionSuite: 'NONE', numSecrets: 1 }, 'parameters.encryptionSuite', /must be TRANSPORT_ENCRYPTION_SUITE_/],
  ]));
