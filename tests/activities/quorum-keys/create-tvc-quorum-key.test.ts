import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy } from '../../e2e/authority.ts';
import { resultOf } from '../../support/client.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { TARGET } from '../../support/samples.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { newDeployment, newHosted, newQuorumKey, Outsider, outsideQuorumKey, severalHosted } from './support.ts';

const { instance, pair } = await sharedPair({ LIMIT_TVC_QUORUM_KEYS: '4' });
const { root } = instance;

const TYPE = 'CREATE_TVC_QUORUM_KEY';
const KEY = 'createTvcQuorumKeyResult';
const hosted = await severalHosted(root, 3);
const keys = hosted.map(({ encryptPublicKey }) => encryptPublicKey);

test('a quorum key is listed with its operators, and nothing of it but sealed shares is stored', async () => {
  const made = await newQuorumKey(root, hosted);
  assert.match(made.quorumPublicKey, /^04[0-9a-f]{128}04[0-9a-f]{128}$/);
  assert.equal(new Set(made.shareIds).size, 3);
  const { tvcQuorumKeys } = (await root.query('list_tvc_quorum_keys')).body;
  const { createdAt, updatedAt, ...rest } = tvcQuorumKeys[0];
  assert.deepEqual(createdAt, updatedAt);
  const operatorIds = hosted.map(({ operatorId }) => operatorId);
  assert.deepEqual(rest, { id: made.quorumKeyId, publicKey: made.quorumPublicKey, threshold: 2, operatorIds });
  const rows = await instance.raw('SELECT sealed FROM tvc_quorum_shares');
  assert.deepEqual(
    rows.map(({ sealed }) => (sealed as Uint8Array).length),
    [130, 130, 130],
  );
});

test('keys must be of operators whose keys the organization’s service has', async () => {
  const outsiders = [new Outsider('a'), new Outsider('b')];
  await newDeployment(root, { quorumPublicKey: outsideQuorumKey(outsiders), outsiders });
  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  const theirs = await newHosted(sub);
  const problem = /must be the encrypt key of an operator of CREATE_TVC_OPERATOR/;
  await refusesEach(
    root,
    TYPE,
    [TARGET, outsiders[0]!.publicKey.slice(0, 130), theirs.encryptPublicKey, hosted[0]!.signPublicKey].map(
      (key) => [{ threshold: 2, operatorEncryptKeys: [keys[0], key] }, 'parameters.operatorEncryptKeys[1]', problem] as const,
    ),
  );
});

test('an operator whose wallet was deleted gets no share, because nothing could open it', async () => {
  const gone = await newHosted(root);
  const walletIds = [gone.walletId];
  resultOf(await root.submit('DELETE_WALLETS', { walletIds, deleteWithoutExport: true }), 'deleteWalletsResult');
  const operatorEncryptKeys = [keys[0], gone.encryptPublicKey];
  const problem = /is of an operator whose wallet was deleted/;
  await refusesEach(root, TYPE, [[{ threshold: 2, operatorEncryptKeys }, 'parameters.operatorEncryptKeys[1]', problem]]);
});

test('a policy sees the threshold and the keys', async () => {
  const { client, userId } = await instance.newUser('Creator');
  const condition = `activity.kind == '${TYPE}' && activity.params.threshold >= 3`;
  await newPolicy(root, { condition, consensus: approvedBy(userId) });
  denied(await client.submit(TYPE, { threshold: 2, operatorEncryptKeys: keys }));
  resultOf(await client.submit(TYPE, { threshold: 3, operatorEncryptKeys: keys }), KEY);
});

test('waits for the second root user', async () => {
  const [first] = pair.clients;
  const { walletId } = (await waitsForBoth(
    pair,
    'CREATE_TVC_OPERATOR',
    { walletName: 'w', path: "m/0'", operatorName: 'one' },
    'createTvcOperatorResult',
  )) as { walletId: string };
  const second = { walletId, path: "m/1'", operatorName: 'two' };
  await waitsForBoth(pair, 'CREATE_TVC_OPERATOR', second, 'createTvcOperatorResult');
  const { tvcOperators } = (await first.query('list_tvc_operators')).body;
  const operatorEncryptKeys = tvcOperators.map((one: { encryptPublicKey: string }) => one.encryptPublicKey);
  await waitsForBoth(pair, TYPE, { threshold: 2, operatorEncryptKeys }, KEY);
});

test('a user without permission is refused', () => refusedToNobody(instance, TYPE, { threshold: 2, operatorEncryptKeys: keys }));

test('bad parameters are named, and a full organization is refused', async () => {
  const field = 'parameters.operatorEncryptKeys';
  await refusesEach(root, TYPE, [
    [{ threshold: 1, operatorEncryptKeys: keys }, 'parameters.threshold', /must be a whole number from 2 to 254/],
    [{ threshold: 4, operatorEncryptKeys: keys }, 'parameters.threshold', /must be at most the number of keys, which is 3/],
    [{ threshold: 2, operatorEncryptKeys: [keys[0], keys[0]!.toUpperCase()] }, `${field}[1]`, /must differ/],
    [{ threshold: 2, operatorEncryptKeys: keys.slice(1, 2) }, field, /must have from 2 to 254 keys/],
    [{ threshold: 2, operatorEncryptKeys: Array(255).fill(keys[0]) }, field, /must have from 2 to 254 keys/],
  ]);
  for (let i = 0; i < 2; i++) await newQuorumKey(root, hosted);
  refused(await root.submit(TYPE, { threshold: 2, operatorEncryptKeys: keys }), [429, 'UNSPECIFIED', /limit of 4 quorum keys/]);
});
