import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { newKeys, resultOf, submitPath, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { leaf } from './samples.ts';
import {
  account,
  aggregate,
  bytes,
  Fn,
  keyOf,
  leafPath,
  operatorFor,
  type PartialSignature,
  pointOf,
  type SparkWallet,
  sparkWallet,
  text,
  USER_ID,
} from './support.ts';

const instance = await sharedInstance();
const TYPE = 'SPARK_SIGN_FROST';
const KEY = 'sparkSignFrostResult';
const LEAF = '019a0f3e-0000-7000-8000-000000000001';

let wallet: SparkWallet;
before(async () => {
  wallet = await sparkWallet(instance.root, 3);
});

/** A request whose signature is complete with the share of one operator. */
function session(name: string, derivation: object = { identity: {} }, path = "0'", adaptor?: string) {
  const { secret, nonces: _, ...commitment } = operatorFor(name);
  const own = secp256k1.Point.fromBytes(secp256k1.getPublicKey(wallet.keyAt(path)));
  return {
    derivation,
    message: text(keyOf(`${name} message`)),
    verifyingKey: own.add(secp256k1.Point.BASE.multiply(secret)).toHex(),
    operatorCommitments: [commitment],
    ...(adaptor && { adaptorPublicKey: pointOf(adaptor) }),
  };
}

const params = (...signatures: object[]) => ({ signWith: wallet.address, signatures });

async function sign(...signatures: object[]): Promise<PartialSignature[]> {
  return resultOf(await instance.root.submit(TYPE, params(...signatures)), KEY).signatures;
}

test('with the operator’s share, each key of the account signs by BIP-340', async () => {
  const keys: [object, string][] = [
    [{ identity: {} }, "0'"],
    [leaf(LEAF), leafPath(LEAF)],
    [{ deposit: {} }, "2'"],
    [{ staticDeposit: { index: 0 } }, "3'/0'"],
    [{ staticDeposit: { index: 2 ** 31 - 1 } }, "3'/2147483647'"],
  ];
  const names = Array.from({ length: 20 }, (_, i) => `operator ${i}`);
  const requests = names.map((name, i) => session(name, ...keys[i % keys.length]!));
  const shares = await sign(...requests);
  assert.equal(shares.length, names.length);
  for (const [i, request] of requests.entries()) {
    const { signature, publicKey } = aggregate(operatorFor(names[i]!), shares[i]!, request);
    assert.ok(schnorr.verify(signature, bytes(request.message), publicKey), names[i]);
  }
});

test('a signature with an adaptor is complete with the adaptor’s secret, and only with it', async () => {
  const names = Array.from({ length: 8 }, (_, i) => `adapted ${i}`);
  const requests = names.map((name) => session(name, { deposit: {} }, "2'", 'adaptor'));
  const shares = await sign(...requests);
  for (const [i, request] of requests.entries()) {
    const complete = (adaptorSecret: bigint) => {
      const { signature, publicKey } = aggregate(operatorFor(names[i]!), shares[i]!, { ...request, adaptorSecret });
      return schnorr.verify(signature, bytes(request.message), publicKey);
    };
    assert.ok(complete(Fn.fromBytes(keyOf('adaptor'))));
    assert.equal(complete(Fn.fromBytes(keyOf('other'))), false);
  }
});

test('the same body has one result, also when it is sent at once, and equal requests never share a nonce', async () => {
  const request = session('again');
  const body = instance.root.bodyOf(TYPE, params(request, request));
  const answers = await Promise.all([1, 2, 3].map(() => instance.root.send(submitPath(TYPE), body)));
  const results = answers.map((answer) => resultOf(answer, KEY).signatures as PartialSignature[]);
  assert.deepEqual(results[1], results[0]);
  assert.deepEqual(results[2], results[0]);
  const { activity } = (await instance.root.query('get_activity', { activityId: answers[0]!.body.activity.id })).body;
  assert.deepEqual(activity.result[KEY].signatures, results[0]);

  const all = [...results[0]!, ...(await sign(request, request)), ...(await sign(request))];
  const commitments = all.flatMap(({ hiding, binding }) => [hiding, binding]);
  assert.equal(new Set(commitments).size, 10);
});

test('as many as a hundred signatures, and not one more', async () => {
  assert.equal((await sign(...Array(100).fill(session('many')))).length, 100);
  const answer = await instance.root.submit(TYPE, params(...Array(101).fill(session('many'))));
  refused(answer, [400, 'REQUEST_INVALID', /<=100/], 'parameters.signatures');
});

test('hex may be in upper case, and policies see it in lower case', async () => {
  const request = session('case');
  const keys = newKeys();
  const users = [{ ...userWith('Spark signer', [keys]), userTags: [] }];
  const [userId] = resultOf(await instance.root.submit('CREATE_USERS_V4', { users }), 'createUsersResult').userIds;
  const condition = [
    `activity.type == 'ACTIVITY_TYPE_${TYPE}'`,
    `activity.params.sign_with == '${wallet.address}'`,
    "activity.params.signatures.all(s, s.derivation.type == 'identity' && s.derivation.static_deposit.index == 0)",
    `activity.params.signatures.all(s, s.verifying_key == '${request.verifyingKey}' && s.adaptor_public_key == '')`,
    `activity.params.signatures.all(s, s.operator_commitments.all(c, c.id == '${request.operatorCommitments[0]!.id}'))`,
    `wallet.id == '${wallet.walletId}'`,
  ].join(' && ');
  const consensus = `approvers.any(user, user.id == '${userId}')`;
  const policy = { policyName: 'Identity only', effect: 'EFFECT_ALLOW', condition, consensus, notes: '' };
  resultOf(await instance.root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');

  const user = instance.root.as(keys);
  const upper = { ...request, verifyingKey: request.verifyingKey.toUpperCase(), adaptorPublicKey: '' };
  for (const signWith of [wallet.address, wallet.address.toUpperCase()])
    assert.equal(resultOf(await user.submit(TYPE, { signWith, signatures: [upper] }), KEY).signatures.length, 1);
  const other = await user.submit(TYPE, params(request, session('case', { staticDeposit: { index: 0 } }, "3'/0'")));
  refused(other, [403, 'REQUEST_NOT_AUTHORIZED', /not authorized/]);
});

test('bad parameters are named', async () => {
  const good = session('bad');
  const [commitment] = good.operatorCommitments;
  const commitments = (...all: object[]) =>
    params({ ...good, operatorCommitments: all.map((one) => ({ ...commitment, ...one })) });
  const at = (field: string) => `parameters.signatures[0].${field}`;
  const first = 'operatorCommitments[0]';
  // 5 is the x of no point.
  const noPoint = `02${'5'.padStart(64, '0')}`;
  const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
  await refusesEach(instance.root, TYPE, [
    [params({ ...good, derivation: { htlcPreimage: {} } }), at('derivation'), /never signs/],
    [params({ ...good, derivation: {} }), at('derivation'), /exactly one/],
    [params({ ...good, derivation: { identity: {}, deposit: {} } }), at('derivation'), /exactly one/],
    [params({ ...good, derivation: { staticDeposit: { index: 2 ** 31 } } }), at('derivation.staticDeposit.index'), /2147483647/],
    [params({ ...good, derivation: leaf('') }), at('derivation.signingLeaf.leafId'), /printable/],
    [params({ ...good, message: '00' }), at('message'), /32 bytes/],
    [params({ ...good, verifyingKey: noPoint }), at('verifyingKey'), /point/],
    [params({ ...good, verifyingKey: `04${'0'.repeat(64)}` }), at('verifyingKey'), /point/],
    [params({ ...good, adaptorPublicKey: noPoint }), at('adaptorPublicKey'), /point/],
    [commitments(), at('operatorCommitments'), /at least one/],
    [commitments({}, {}), at('operatorCommitments[1].id'), /differ/],
    [commitments({ id: USER_ID.toUpperCase() }), at(`${first}.id`), /not that of the user/],
    [commitments({ id: order }), at(`${first}.id`), /scalar/],
    [commitments({ id: '0'.repeat(64) }), at(`${first}.id`), /scalar/],
    [commitments({ hiding: noPoint }), at(`${first}.hiding`), /point/],
    [commitments({ binding: '00'.repeat(33) }), at(`${first}.binding`), /point/],
    [params(), 'parameters.signatures', /at least one/],
  ]);
  const many = Array.from({ length: 51 }, (_, i) => ({ id: `${i + 1}`.padStart(64, '0') }));
  await refusesEach(instance.root, TYPE, [[commitments(...many), at('operatorCommitments'), /<=50/]]);
  assert.equal(resultOf(await instance.root.submit(TYPE, commitments(...many.slice(1))), KEY).signatures.length, 1);
});

test('only the Spark address of an account at its path signs', async () => {
  const accounts = [
    account("m/86'/0'/0'/0/0", 'SPARK_MAINNET'),
    account("m/8797555'/0'/0'/0", 'SPARK_REGTEST'),
    account("m/8797555'/0/0'", 'SPARK_REGTEST'),
  ];
  const { addresses } = resultOf(
    await instance.root.submit('CREATE_WALLET', { walletName: 'Elsewhere', accounts }),
    'createWalletResult',
  );
  const key = { privateKeyName: 'Spark key', curve: 'CURVE_SECP256K1', privateKeyTags: [] };
  const privateKeys = [{ ...key, addressFormats: ['ADDRESS_FORMAT_SPARK_MAINNET'] }];
  const made = await instance.root.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys });
  const { privateKeyId, addresses: own } = resultOf(made, 'createPrivateKeysResultV2').privateKeys[0];
  const signers = [...addresses, wallet.publicKey, privateKeyId, own[0].address];
  const request = session('elsewhere');
  for (const signWith of signers)
    await refusesEach(instance.root, TYPE, [[{ signWith, signatures: [request] }, 'parameters.signWith', /Spark address/]]);
  const unknown = await instance.root.submit(TYPE, { signWith: 'spark1unknown', signatures: [request] });
  refused(unknown, [404, 'UNSPECIFIED', /signer not found/]);
});
