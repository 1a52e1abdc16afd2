import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { generateP256KeyPair } from '@turnkey/crypto';
import { approvedBy, denied, newPolicy } from '../../e2e/authority.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { agreed, refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { encryptionSuite, exported, imported, importOf, openTargets, sealed } from './support.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;

const TYPE = 'IMPORT_SECRETS';
const KEY = 'importSecretsResult';
const NO_KEY: [number, string, RegExp] = [400, 'REQUEST_INVALID', /is no open key of this organization/];
const AT = 'parameters.secrets[0].targetPublicKey';

const list = async (client: Client) =>
  (await client.query('list_secrets', { paginationOptions: { limit: '100' } })).body.secrets as { name?: string }[];

test('a secret comes out as it was, from one character to 16 KiB', async () => {
  const texts = ['x', 'sk-live-ü😀\n', 'a'.repeat(16_384)];
  const ids = await imported(root, ...texts.map((text) => [text] as const));
  assert.deepEqual(await exported(root, ...ids), texts);
  const short = /must hold a secret of 1 to 16384 bytes/;
  for (const text of ['', 'ä'.repeat(8_193)])
    await refusesEach(root, TYPE, [[await importOf(root, [text]), 'parameters.secrets[0].secretPayload', short]]);
});

test('a key serves one import, within 24 hours, in its organization', async () => {
  const once = await importOf(root, ['once']);
  resultOf(await root.submit(TYPE, once), KEY);
  refused(await root.submit(TYPE, once), NO_KEY, AT);

  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  const theirs = await importOf(sub, ['theirs']);
  refused(await root.submit(TYPE, theirs), NO_KEY, AT);
  resultOf(await sub.submit(TYPE, theirs), KEY);

  const [late, expired] = [await importOf(root, ['late']), await importOf(root, ['expired'])];
  instance.clock.advance(24 * 60 * 60 * 1000 - 60_000);
  resultOf(await root.submit(TYPE, late), KEY);
  instance.clock.advance(60_000);
  refused(await root.submit(TYPE, expired), NO_KEY, AT);
});

test('a payload for another key, or a changed one, is refused and leaves the key open', async () => {
  const [first, second] = await openTargets(root, 2);
  const [a, b] = [await sealed(root, first!, 'a'), await sealed(root, second!, 'b')];
  const { encappedPublic, ciphertext } = JSON.parse(a.secretPayload);
  const payload = (more: object) => JSON.stringify({ encappedPublic, ciphertext, ...more });
  const flipped = `${ciphertext.slice(0, -1)}${ciphertext.endsWith('0') ? '1' : '0'}`;
  const cases: [string, RegExp][] = [
    [b.secretPayload, /cannot be decrypted: it is not sealed to the key of this import/],
    [payload({ ciphertext: flipped }), /cannot be decrypted/],
    [payload({ encappedPublic: generateP256KeyPair().publicKeyUncompressed }), /cannot be decrypted/],
    [payload({ ciphertext: '00' }), /ciphertext is not hex of at least 16 bytes/],
    [payload({ more: '' }), /more than 2 fields/],
    ['{', /not valid JSON/],
  ];
  for (const [secretPayload, text] of cases)
    await refusesEach(root, TYPE, [[{ secrets: [{ ...a, secretPayload }] }, 'parameters.secrets[0].secretPayload', text]]);
  const foreign = { ...a, targetPublicKey: generateP256KeyPair().publicKeyUncompressed };
  refused(await root.submit(TYPE, { secrets: [foreign] }), NO_KEY, AT);

  const before = await list(root);
  await refusesEach(root, TYPE, [
    [{ secrets: [a, { ...b, secretPayload: a.secretPayload }] }, 'parameters.secrets[1].secretPayload', /cannot be decrypted/],
    [{ secrets: [a, a] }, 'parameters.secrets[1].targetPublicKey', /must differ from that of each other secret/],
  ]);
  assert.deepEqual(await list(root), before, 'all or none');
  resultOf(await root.submit(TYPE, { secrets: [a, b] }), KEY);
});

test('of several at the same instant, one uses the key', async () => {
  const parameters = await importOf(root, ['raced']);
  const answers = await Promise.all(Array.from({ length: 6 }, () => root.submit(TYPE, parameters)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  for (const answer of answers) if (answer.status !== 200) refused(answer, NO_KEY, AT);
});

test('of several of one name at the same instant, one is stored', async () => {
  const all = await Promise.all(Array.from({ length: 4 }, () => importOf(root, ['text', { name: 'at once' }])));
  const answers = await Promise.all(all.map((parameters) => root.submit(TYPE, parameters)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  const taken: [number, string, RegExp] = [400, 'REQUEST_INVALID', /secret name must be unique/];
  for (const answer of answers) if (answer.status !== 200) refused(answer, taken, 'parameters.secrets[0].name');
});

test('a name is unique in the organization, and an import with a taken one brings nothing', async () => {
  await imported(root, ['a', { name: 'taken' }]);
  const before = await list(root);
  const parameters = await importOf(root, ['b', { name: 'free' }], ['c', { name: 'taken' }]);
  await refusesEach(root, TYPE, [[parameters, 'parameters.secrets[1].name', /secret name must be unique/]]);
  const twice = await importOf(root, ['b', { name: 'same' }], ['c', { name: 'same' }]);
  await refusesEach(root, TYPE, [[twice, 'parameters.secrets[1].name', /must differ from that of each other secret/]]);
  assert.deepEqual(await list(root), before);
  const [{ name: _, ...nameless }] = [parameters.secrets[1] as { name?: string }];
  resultOf(await root.submit(TYPE, { secrets: [parameters.secrets[0], nameless] }), KEY);
  const sub = (await instance.newSubOrganization('Same name', 1, 1)).clients[0]!;
  await imported(sub, ['a', { name: 'taken' }]);
});

test('bad parameters are named', async () => {
  const one = (await importOf(root, ['text'])).secrets[0]!;
  const at = (member: string) => `parameters.secrets[0].${member}`;
  const pairs = (n: number) => Array.from({ length: n }, (_, i) => ({ key: `k${i}`, value: 'ä'.repeat(128) }));
  const most = { ...one, name: 'ä'.repeat(128), staticProperties: pairs(16) };
  await refusesEach(root, TYPE, [
    [{ secrets: [] }, 'parameters.secrets', /must name at least one/],
    [{ secrets: Array(101).fill(one) }, 'parameters.secrets', /at most 100/],
    [{ secrets: [{ ...one, name: `${'ä'.repeat(128)}a` }] }, at('name'), /must have at most 256 bytes/],
    [{ secrets: [{ ...one, name: 'a\nb' }] }, at('name'), /must not have control characters/],
    [{ secrets: [{ ...one, staticProperties: pairs(17) }] }, at('staticProperties'), /must have at most 16 entries/],
    [{ secrets: [{ ...one, staticProperties: [{ value: 'a' }] }] }, at('staticProperties[0].key'), /must not be empty/],
    [
      { secrets: [{ ...one, staticProperties: [{ key: 'a', value: 'ä'.repeat(129) }] }] },
      at('staticProperties[0].value'),
      /must have at most 256 bytes/,
    ],
    [
      { secrets: [{ ...one, staticProperties: [{ key: 'a' }, { key: 'a', value: 'b' }] }] },
      at('staticProperties'),
      /must name each key once/,
    ],
    [{ secrets: [{ ...one, targetPublicKey: '04' }] }, AT, /must be a P-256 public key in hex/],
    [{ secrets: [{ ...one, secretPayload: 'a'.repeat(33_793) }] }, at('secretPayload'), /Too big/],
  ]);
  resultOf(await root.submit(TYPE, { secrets: [most] }), KEY);
});

test('policies judge each secret by its name and properties', async () => {
  const { client, userId } = await instance.newUser('Imports');
  await newPolicy(root, { condition: `activity.kind == 'INIT_IMPORT_SECRETS'`, consensus: approvedBy(userId) });
  await newPolicy(root, {
    condition: `activity.kind == 'IMPORT_SECRETS' && secret.static_properties['kind'] == 'token' && activity.params.secret_name != ''`,
    consensus: approvedBy(userId),
  });
  const token = { name: 'one', staticProperties: [{ key: 'kind', value: 'token' }] };
  const denials: object[][] = [
    [{ ...token, name: undefined }],
    [{ name: 'one' }],
    [{ ...token, staticProperties: [{ key: 'kind', value: 'card' }] }],
    [token, { ...token, name: 'two', staticProperties: [{ key: 'kind', value: 'card' }] }],
  ];
  for (const secrets of denials)
    denied(await client.submit(TYPE, await importOf(client, ...secrets.map((more) => ['text', more] as const))));
  await imported(client, ['a', token], ['b', { ...token, name: 'two' }]);
});

test('the payload of an import that waits is shown only to its sender, so others cannot import it', async () => {
  const { client, userId } = await instance.newUser('Stores passwords');
  const { client: other } = await instance.newUser('May have tokens');
  const condition = `activity.kind == '${TYPE}' && secret.static_properties['kind'] == 'password'`;
  await newPolicy(root, { condition, consensus: `${approvedBy(userId)} && approvers.count() > 1` });
  const parameters = await importOf(root, ['hunter2', { staticProperties: [{ key: 'kind', value: 'password' }] }]);
  const { activity } = (await client.submit(TYPE, parameters)).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const ciphertext = JSON.parse(parameters.secrets[0]!.secretPayload).ciphertext as string;
  const read = async (reader: Client) => (await reader.query('get_activity', { activityId: activity.id })).text;
  assert.ok((await read(client)).includes(ciphertext));
  for (const text of [await read(other), (await other.query('list_activities', {})).text]) {
    assert.ok(text.includes(activity.id));
    assert.ok(!text.includes(ciphertext));
  }
  const { fingerprint } = activity;
  const [secretId] = resultOf(await root.submit('APPROVE_ACTIVITY', { fingerprint }), KEY).secretIds;
  assert.deepEqual(await exported(root, secretId), ['hunter2']);
});

test('waits for the second root user', async () => {
  const init = await agreed(pair, 'INIT_IMPORT_SECRETS', { encryptionSuite, numSecrets: 1 });
  const [target] = resultOf(init, 'initImportSecretsResult').enclaveTargetMessages;
  const text = randomBytes(16).toString('hex');
  const parameters = { secrets: [await sealed(pair.clients[0], target, text)] };
  const { secretIds } = await waitsForBoth(pair, TYPE, parameters, KEY);
  assert.equal(secretIds.length, 1);
});

test('a user without permission is refused', async () => refusedToNobody(instance, TYPE, await importOf(root, ['text'])));
