import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { leaf } from './samples.ts';
import {
  assertShare,
  bytes,
  Fn,
  fields,
  keyOf,
  leafNumber,
  leafPath,
  operators,
  pointOf,
  restored,
  type SparkWallet,
  sparkWallet,
  text,
  unseal,
  unsealAll,
} from './support.ts';

const instance = await sharedInstance();
const TYPE = 'SPARK_PREPARE_TRANSFER';
const KEY = 'sparkPrepareTransferResult';
const TRANSFER = '019A0F3E-1111-7abc-8def-0123456789ab';

let wallet: SparkWallet;
before(async () => {
  wallet = await sparkWallet(instance.root);
});

const transferLeaf = (name: string, more: object = {}) => ({
  leafId: `leaf-${name}`,
  oldLeafDerivation: leaf(`leaf-${name}`),
  newLeafDerivation: leaf(`new-${name}`),
  ...more,
});

const params = (more: object = {}) => ({
  signWith: wallet.address,
  transfer: {
    transferId: TRANSFER,
    leaves: [transferLeaf('a'), transferLeaf('b')],
    threshold: 2,
    operatorRecipients: operators(3),
    receiverPublicKey: pointOf('receiver'),
    ...more,
  },
});

const verify = (signature: Uint8Array, digest: Uint8Array, format: 'compact' | 'der') =>
  secp256k1.verify(signature, digest, bytes(wallet.publicKey), { prehash: false, format });

const sized = (value: Uint8Array) => {
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(value.length));
  return Buffer.concat([length, value]);
};

/** The digest of the package, from its description. */
function digestOf(packages: { operatorId: string; encryptedPackage: string }[]): Uint8Array {
  const tag = sha256(Buffer.concat(['spark', 'transfer', 'signing payload'].map((part) => sized(Buffer.from(part)))));
  const count = Buffer.alloc(8);
  count.writeBigUInt64BE(BigInt(packages.length));
  const entries = packages
    .toSorted((a, b) => (a.operatorId < b.operatorId ? -1 : 1))
    .flatMap(({ operatorId, encryptedPackage }) => [sized(Buffer.from(operatorId)), sized(bytes(encryptedPackage))]);
  const id = Buffer.from(TRANSFER.replaceAll('-', ''), 'hex');
  return sha256(Buffer.concat([tag, tag, sized(id), sized(count), ...entries]));
}

test('operators get verifiable shares of each key’s change, and the receiver gets the new key', async () => {
  const refund = 'AB'.repeat(64);
  const leaves = [
    transferLeaf('a', { refundSignature: refund, directFromCpfpRefundSignature: 'cd' }),
    transferLeaf('b', { directRefundSignature: 'ef'.repeat(128), refundSignature: '' }),
  ];
  for (const [threshold, count] of [
    [2, 3],
    [1, 1],
    [5, 5],
  ] as const) {
    const more = { leaves, threshold, operatorRecipients: operators(count) };
    const result = resultOf(await instance.root.submit(TYPE, params(more)), KEY);
    assert.deepEqual(
      result.newLeafPublicKeys,
      ['a', 'b'].map((name) => ({
        leafId: `new-${name}`,
        publicKey: text(secp256k1.getPublicKey(wallet.keyAt(leafPath(`new-${name}`)))),
      })),
    );
    const opened = unsealAll(result.operatorPackages).map((plain) => fields(plain)[1]!.map(fields));
    for (const [i, name] of ['a', 'b'].entries()) {
      const [oldKey, newKey] = [`leaf-${name}`, `new-${name}`].map((id) => wallet.keyAt(leafPath(id)));
      const shares: [number, Uint8Array][] = [];
      for (const [j, tweaks] of opened.entries()) {
        const tweak = tweaks[i]!;
        assert.equal(Buffer.from(tweak[1]![0]!).toString(), `leaf-${name}`);
        const { 1: share, 2: proofs } = fields(tweak[2]![0]!);
        assert.equal(proofs!.length, threshold);
        assertShare(share![0]!, j + 1, proofs!);
        shares.push([j + 1, share![0]!]);
        const points = tweak[3]!.map(fields).map((entry) => [Buffer.from(entry[1]![0]!).toString(), text(entry[2]![0]!)]);
        assert.equal(points.length, count);
        assert.deepEqual(points[j], [operators(count)[j]!.operatorId, text(secp256k1.getPublicKey(share![0]!))]);
        assert.deepEqual(unseal(keyOf('receiver'), text(tweak[4]![0]!)), newKey);
        const leafDigest = sha256(Buffer.concat([Buffer.from(`leaf-${name}`), Buffer.from(TRANSFER), tweak[4]![0]!]));
        assert.ok(verify(tweak[5]![0]!, leafDigest, 'compact'));
        const refunds = [6, 7, 8].map((field) => tweak[field] && text(tweak[field][0]!));
        assert.deepEqual(refunds, i === 0 ? [refund.toLowerCase(), undefined, 'cd'] : [undefined, 'ef'.repeat(128), undefined]);
      }
      const expected = Fn.sub(Fn.fromBytes(oldKey!), Fn.fromBytes(newKey!));
      assert.equal(restored(shares.slice(0, threshold)), expected);
      assert.equal(restored(shares.toReversed().slice(0, threshold)), expected);
    }
    assert.ok(verify(bytes(result.transferUserSignature), digestOf(result.operatorPackages), 'der'));
  }
});

test('as many as a hundred leaves, and as many as fifty operators', async () => {
  const leaves = Array.from({ length: 100 }, (_, i) => transferLeaf(`${i}`));
  const operatorRecipients = operators(5);
  const many = resultOf(await instance.root.submit(TYPE, params({ leaves, operatorRecipients })), KEY);
  assert.deepEqual([many.operatorPackages.length, many.newLeafPublicKeys.length], [5, 100]);
  const all = { leaves: [transferLeaf('a')], operatorRecipients: operators(50), threshold: 50 };
  assert.equal(resultOf(await instance.root.submit(TYPE, params(all)), KEY).operatorPackages.length, 50);
  await refusesEach(instance.root, TYPE, [
    [params({ leaves: [...leaves, transferLeaf('more')] }), 'parameters.transfer.leaves', /<=100/],
    [params({ operatorRecipients: operators(51) }), 'parameters.transfer.operatorRecipients', /<=50/],
    [params({ leaves, operatorRecipients: operators(50) }), 'parameters.transfer.leaves', /send fewer leaves/],
  ]);
});

test('policies see nested fields, and those that are absent as empty', async () => {
  const keys = newKeys();
  const users = [{ ...userWith('Spark sender', [keys]), userTags: [] }];
  const [userId] = resultOf(await instance.root.submit('CREATE_USERS_V4', { users }), 'createUsersResult').userIds;
  const own = `activity.type == 'ACTIVITY_TYPE_${TYPE}' && activity.params.sign_with == '${wallet.address}'`;
  const allowed = [
    own,
    `activity.params.transfer.receiver_public_key == '${pointOf('receiver')}'`,
    'activity.params.transfer.threshold == 2 && activity.params.transfer.operator_recipients.count() == 3',
    "activity.params.transfer.leaves.all(l, l.refund_signature == '' && l.old_leaf_derivation.static_deposit.index == 0)",
  ].join(' && ');
  const denied = `${own} && activity.params.transfer.leaves.any(l, l.new_leaf_derivation.signing_leaf.leaf_id == 'new-denied')`;
  const consensus = `approvers.any(user, user.id == '${userId}')`;
  for (const [effect, condition] of [
    ['EFFECT_ALLOW', allowed],
    ['EFFECT_DENY', denied],
  ] as const) {
    const policy = {
      policyName: `Transfers ${effect}`,
      effect,
      condition,
      consensus: effect === 'EFFECT_ALLOW' ? consensus : '',
    };
    resultOf(await instance.root.submit('CREATE_POLICY_V3', { ...policy, notes: '' }), 'createPolicyResult');
  }
  const user = instance.root.as(keys);
  assert.equal(resultOf(await user.submit(TYPE, params()), KEY).newLeafPublicKeys.length, 2);
  for (const more of [
    { leaves: [transferLeaf('a'), transferLeaf('denied')] },
    { leaves: [transferLeaf('a', { refundSignature: '00' })] },
    { receiverPublicKey: pointOf('other') },
  ])
    refused(await user.submit(TYPE, params(more)), [403, 'REQUEST_NOT_AUTHORIZED', /not authorized/]);
});

test('bad parameters are named', async () => {
  const noPoint = `02${'5'.padStart(64, '0')}`;
  const one = (more: object) => params({ leaves: [transferLeaf('a', more)] });
  const [first] = operators(1);
  const at = (field: string) => `parameters.transfer.${field}`;
  await refusesEach(instance.root, TYPE, [
    [params({ threshold: 4 }), at('threshold'), /number of operators, which is 3/],
    [params({ threshold: 0 }), at('threshold'), /1/],
    [params({ receiverPublicKey: noPoint }), at('receiverPublicKey'), /point/],
    [params({ transferId: 'x' }), at('transferId'), /UUID/],
    [params({ operatorRecipients: [] }), at('operatorRecipients'), /at least one/],
    [params({ operatorRecipients: [first, first] }), at('operatorRecipients[1].operatorId'), /differ/],
    [
      params({ threshold: 1, operatorRecipients: [{ ...first, encryptionPublicKey: noPoint }] }),
      at('operatorRecipients[0].encryptionPublicKey'),
      /point/,
    ],
    [params({ leaves: [transferLeaf('a'), transferLeaf('a')] }), at('leaves[1].leafId'), /differ/],
    [
      params({ leaves: [transferLeaf('a'), transferLeaf('b', { newLeafDerivation: leaf('new-a') })] }),
      at('leaves[1]'),
      /another key/,
    ],
    [one({ newLeafDerivation: leaf('leaf-a') }), at('leaves[0].newLeafDerivation'), /another key/],
    [one({ oldLeafDerivation: { deposit: {} } }), at('leaves[0].oldLeafDerivation'), /signingLeaf/],
    [one({ leafId: 'a b' }), at('leaves[0].leafId'), /no spaces/],
    [one({ refundSignature: '0' }), at('leaves[0].refundSignature'), /hex/],
    [one({ directRefundSignature: '00'.repeat(129) }), at('leaves[0].directRefundSignature'), /128 bytes/],
  ]);
  const unknown = await instance.root.submit(TYPE, { ...params(), signWith: 'spark1unknown' });
  refused(unknown, [404, 'UNSPECIFIED', /signer not found/]);
});

test('leaves with different ids and the same key are refused', async () => {
  const seen = new Map<number, string>();
  // Two of 2³¹ numbers are equal after some 50,000 ids.
  for (let i = 0; ; i++) {
    const id = `${i}`;
    const number = leafNumber(id);
    const other = seen.get(number);
    seen.set(number, id);
    if (other === undefined) continue;
    const leaves = [transferLeaf('a', { newLeafDerivation: leaf(other) }), transferLeaf('b', { newLeafDerivation: leaf(id) })];
    await refusesEach(instance.root, TYPE, [[params({ leaves }), 'parameters.transfer.leaves[1]', /another key/]]);
    return;
  }
});
