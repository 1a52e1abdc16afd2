import assert from 'node:assert/strict';
import { test } from 'node:test';
import { approvedBy, denied, newPolicy } from '../../e2e/authority.ts';
import { resultOf, submitPath } from '../../support/client.ts';
import { engineName } from '../../support/database.ts';
import { newTarget } from '../../support/published.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { encryptionSuite, exportOf, imported, opened, sealed } from './support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'EXPORT_SECRETS';
const KEY = 'exportSecretsResult';
const target = newTarget();

/** An id as the engine stores it. */
const idForm = (id: string) => (engineName === 'postgres' ? id : Buffer.from(id.replaceAll('-', ''), 'hex'));

const kind = (value: string, more: object = {}) => ({ staticProperties: [{ key: 'kind', value }], ...more });

test('each secret is sealed to its own key, in the order of the request', async () => {
  const ids = await imported(root, ['one'], ['two']);
  const targets = [newTarget(), newTarget(), newTarget()];
  const wanted = [ids[1]!, ids[0]!, ids[1]!];
  const secrets = targets.map((to, i) => exportOf(to, [wanted[i]!.toUpperCase()]).secrets[0]!);
  const { secretPayloads } = resultOf(await root.submit(TYPE, { secrets }), KEY);
  const texts = await Promise.all(targets.map((to, i) => opened(root, secretPayloads[i], to)));
  assert.deepEqual(texts, ['two', 'one', 'two']);
  await assert.rejects(opened(root, secretPayloads[0], targets[1]!));
  await assert.rejects(opened(pair.parent, secretPayloads[0], targets[0]!), /organization id does not match/);
  const bundle = JSON.parse(secretPayloads[0]);
  const changed = JSON.stringify({ ...bundle, data: bundle.data.replace(/.$/, (digit: string) => (digit === '0' ? '1' : '0')) });
  await assert.rejects(opened(root, changed, targets[0]!), /verify enclave signature/);
});

test('the payloads are shown with the activity, in no list, and are stored sealed', async () => {
  const [id] = await imported(root, ['listed']);
  const { activity } = (await root.submit(TYPE, exportOf(target, [id!]))).body;
  const [payload] = activity.result[KEY].secretPayloads;
  const { client: reader } = await instance.newUser('Reader');
  const seen = (await reader.query('get_activity', { activityId: activity.id })).body.activity;
  assert.deepEqual(seen.result[KEY].secretPayloads, [payload]);
  const { activities } = (await root.query('list_activities')).body;
  assert.deepEqual(activities.find((one: { id: string }) => one.id === activity.id).result[KEY].secretPayloads, []);
  const [row] = await instance.raw('SELECT result FROM activities WHERE id = $1', idForm(activity.id));
  assert.match(String(row!.result), /^sealed:/);
});

test('policies judge each element: one that may not come out keeps the others in', async () => {
  const { client, userId } = await instance.newUser('Agent');
  await newPolicy(root, {
    condition: `activity.type == 'ACTIVITY_TYPE_EXPORT_SECRETS' && secret.static_properties['kind'] == 'token'`,
    consensus: approvedBy(userId),
  });
  const [token, card, plain] = await imported(root, ['token', kind('token')], ['card', kind('creditCard')], ['plain']);
  for (const ids of [[card], [plain], [token, card], [card, token], [token, plain]] as string[][]) {
    const answer = await client.submit(TYPE, exportOf(target, ids));
    denied(answer);
    assert.doesNotMatch(answer.text, /encappedPublic|enclaveQuorumPublic/);
  }
  const { secretPayloads } = resultOf(await client.submit(TYPE, exportOf(target, [token!, token!])), KEY);
  assert.equal(secretPayloads.length, 2);
});

test('policies read the key, the id, the name and the context of each element', async () => {
  const [id, other, nameless] = await imported(root, ['a', { name: 'agent' }], ['b', { name: 'other' }], ['c']);
  const context = [{ key: 'purpose', value: 'deploy' }];
  const good = exportOf(target, [id!], { requestContext: context });
  const conditions: [string, object][] = [
    [`activity.params.target_public_key == '${target.publicKeyUncompressed}'`, exportOf(newTarget(), [id!])],
    [`activity.params.secret_id == '${id}'`, exportOf(target, [other!])],
    [`activity.params.secret_name == 'agent'`, exportOf(target, [nameless!])],
    [`activity.params.request_context['purpose'] == 'deploy'`, exportOf(target, [id!])],
  ];
  for (const [condition, bad] of conditions) {
    const { client, userId } = await instance.newUser(condition.slice(0, 60));
    await newPolicy(root, { condition: `activity.kind == '${TYPE}' && ${condition}`, consensus: approvedBy(userId) });
    denied(await client.submit(TYPE, bad));
    denied(await client.submit(TYPE, { secrets: [...good.secrets, ...exportOf(newTarget(), [other!]).secrets] }));
    // 33 bytes name the same key.
    const secrets = good.secrets.map((one) => ({ ...one, targetPublicKey: target.publicKey }));
    const { secretPayloads } = resultOf(await client.submit(TYPE, { secrets }), KEY);
    assert.equal(await opened(root, secretPayloads[0], target), 'a');
  }
});

test('an unknown secret and one of another organization are not found, and a policy that reads it fails', async () => {
  const [own] = await imported(root, ['own', kind('token')]);
  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  const [foreign] = await imported(sub, ['foreign', kind('token')]);
  for (const id of [NOBODY, foreign!]) {
    const missing: [number, string, RegExp] = [404, 'UNSPECIFIED', new RegExp(`secret not found: .* ${id}$`)];
    refused(await root.submit(TYPE, exportOf(target, [id])), missing);
    refused(await root.submit(TYPE, exportOf(target, [own!, id])), missing);
    const { client, userId } = await instance.newUser(`Asks for ${id}`);
    const condition = `activity.kind == '${TYPE}' && secret.static_properties['kind'] != 'card' && activity.params.secret_name != 'x'`;
    await newPolicy(root, { condition, consensus: approvedBy(userId) });
    denied(await client.submit(TYPE, exportOf(target, [id])));
    resultOf(await client.submit(TYPE, exportOf(target, [own!])), KEY);
  }
});

test('a DENY that reads what an element lacks denies, and keys of a prototype are missing', async () => {
  const [own, bare] = await imported(root, ['own', kind('token')], ['bare']);
  const context = [{ key: '__proto__', value: 'a' }];
  const denies: [string, object, object][] = [
    [`secret.static_properties['kind'] == 'card'`, exportOf(target, [own!]), exportOf(target, [bare!])],
    [`secret.static_properties['kind'] == 'card'`, exportOf(target, [own!]), exportOf(target, [own!, NOBODY])],
    [`activity.params.secret_name == 'x'`, exportOf(target, [own!]), exportOf(target, [own!, NOBODY])],
    [
      `activity.params.request_context['__proto__'] == 'b'`,
      exportOf(target, [own!], { requestContext: context }),
      exportOf(target, [own!]),
    ],
  ];
  for (const [bad, good, refusedOne] of denies) {
    const { client, userId } = await instance.newUser('Denied');
    const mine = approvedBy(userId);
    await newPolicy(root, { condition: `activity.kind == '${TYPE}'`, consensus: mine });
    await newPolicy(root, { effect: 'EFFECT_DENY', condition: `activity.kind == '${TYPE}' && ${bad}`, consensus: mine });
    resultOf(await client.submit(TYPE, good), KEY);
    denied(await client.submit(TYPE, refusedOne));
  }
});

test('a policy that two must meet makes an export wait, and nothing comes out before', async () => {
  const [{ client, userId }, approver] = [await instance.newUser('Asks'), await instance.newUser('Approves')];
  const condition = `activity.kind == '${TYPE}' && secret.static_properties['requiresConsensus'] == 'true'`;
  await newPolicy(root, { condition, consensus: `${approvedBy(userId)} && ${approvedBy(approver.userId)}` });
  const [id, free] = await imported(
    root,
    ['shared', { staticProperties: [{ key: 'requiresConsensus', value: 'true' }] }],
    ['free'],
  );
  denied(await client.submit(TYPE, exportOf(target, [id!, free!])));
  const waiting = (await client.submit(TYPE, exportOf(target, [id!]))).body.activity;
  assert.equal(waiting.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  assert.equal(waiting.result[KEY], undefined);
  const { fingerprint } = waiting;
  resultOf(await approver.client.submit('APPROVE_ACTIVITY', { fingerprint }), KEY);
  const { activity } = (await client.query('get_activity', { activityId: waiting.id })).body;
  assert.equal(await opened(root, activity.result[KEY].secretPayloads[0], target), 'shared');
});

test('waits for the second root user', async () => {
  const init = await agreed(pair, 'INIT_IMPORT_SECRETS', { encryptionSuite, numSecrets: 1 });
  const [bundle] = resultOf(init, 'initImportSecretsResult').enclaveTargetMessages;
  const import_ = await agreed(pair, 'IMPORT_SECRETS', { secrets: [await sealed(pair.clients[0], bundle, 'both')] });
  const { secretIds } = resultOf(import_, 'importSecretsResult');
  const { secretPayloads } = await waitsForBoth(pair, TYPE, exportOf(target, secretIds), KEY);
  assert.equal(await opened(pair.parent, secretPayloads[0], target), 'both');
});

test('the same body gives the same answer, and an export has at most 256 KiB', async () => {
  const text = 'a'.repeat(16_384);
  const ids = await imported(root, ...Array.from({ length: 15 }, () => [text] as const));
  const [last] = await imported(root, [text]);
  const body = root.bodyOf(TYPE, exportOf(target, ids));
  const [first, again] = [await root.send(submitPath(TYPE), body), await root.send(submitPath(TYPE), body)];
  assert.deepEqual(again.body, first.body);
  assert.equal(await opened(root, resultOf(first, KEY).secretPayloads[14], target), text);
  await refusesEach(root, TYPE, [
    [exportOf(target, [...ids, last!]), 'parameters.secrets', /at most 262144 bytes of secrets together/],
  ]);
});

test('a secret does not open in the place of another', async () => {
  const [one, two] = await imported(root, ['one'], ['two']);
  await instance.raw(
    'UPDATE secrets SET sealed = (SELECT o.sealed FROM secrets o WHERE o.id = $1) WHERE id = $2',
    idForm(one!),
    idForm(two!),
  );
  const answer = await root.submit(TYPE, exportOf(target, [two!]));
  assert.equal(answer.status, 500, answer.text);
});

test('a user without permission is refused', async () => {
  const [id] = await imported(root, ['text']);
  await refusedToNobody(instance, TYPE, exportOf(target, [id!]));
});
