import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { resultOf } from '../../support/client.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { sharedPair, waitsForBoth } from '../support.ts';
import { leaf } from './samples.ts';
import {
  account,
  assertShare,
  Fn,
  fields,
  leafPath,
  operators,
  pointOf,
  restored,
  type SparkWallet,
  sealedLeaf,
  sparkWallet,
  text,
  unsealAll,
} from './support.ts';

const { instance, pair } = await sharedPair();
const TYPE = 'SPARK_CLAIM_TRANSFER';
const KEY = 'sparkClaimTransferResult';
const TRANSFER = '019a0f3e-1111-7abc-8def-0123456789ab';
const ORDER = Fn.ORDER;

let sender: SparkWallet;
let receiver: SparkWallet;
/** What the sender's transfer gave to the operators for the receiver. */
let leaves: { leafId: string; ciphertext: string; senderSignature: string }[];
before(async () => {
  sender = await sparkWallet(instance.root);
  receiver = await sparkWallet(instance.root, 0, 'SPARK_REGTEST');
  leaves = await transferred(['a', 'b']);
});

async function transferred(names: string[], to = receiver) {
  const transfer = {
    transferId: TRANSFER,
    leaves: names.map((name) => {
      const old = leaf(`leaf-${name}`);
      return { leafId: `leaf-${name}`, oldLeafDerivation: old, newLeafDerivation: leaf(`new-${name}`) };
    }),
    threshold: 2,
    operatorRecipients: operators(3),
    receiverPublicKey: to.publicKey,
  };
  const made = await instance.root.submit('SPARK_PREPARE_TRANSFER', { signWith: sender.address, transfer });
  const [plain] = unsealAll(resultOf(made, 'sparkPrepareTransferResult').operatorPackages);
  return fields(plain!)[1]!
    .map(fields)
    .map((tweak) => ({
      leafId: Buffer.from(tweak[1]![0]!).toString(),
      ciphertext: text(tweak[4]![0]!),
      senderSignature: text(tweak[5]![0]!),
    }));
}

const params = (more: object = {}) => ({
  signWith: receiver.address,
  claim: {
    leaves,
    threshold: 2,
    operatorRecipients: operators(3),
    transferId: TRANSFER,
    senderIdentityPublicKey: sender.publicKey,
    ...more,
  },
});

function assertClaimed(result: { operatorPackages: never[]; newLeafPublicKeys: object[] }): void {
  const opened = unsealAll(result.operatorPackages).map((plain) => fields(plain)[1]!.map(fields));
  for (const [i, name] of ['a', 'b'].entries()) {
    const newKey = receiver.keyAt(leafPath(`leaf-${name}`));
    assert.deepEqual(result.newLeafPublicKeys[i], { leafId: `leaf-${name}`, publicKey: text(secp256k1.getPublicKey(newKey)) });
    const shares = opened.map((tweaks, j): [number, Uint8Array] => {
      const { 1: id, 2: share, 3: points } = tweaks[i]!;
      assert.equal(Buffer.from(id![0]!).toString(), `leaf-${name}`);
      const { 1: value, 2: proofs } = fields(share![0]!);
      assertShare(value![0]!, j + 1, proofs!);
      assert.equal(text(fields(points![j]!)[2]![0]!), text(secp256k1.getPublicKey(value![0]!)));
      assert.deepEqual(Object.keys(tweaks[i]!), ['1', '2', '3']);
      return [j + 1, value![0]!];
    });
    const sent = Fn.fromBytes(sender.keyAt(leafPath(`new-${name}`)));
    assert.equal(restored(shares.slice(1)), Fn.sub(sent, Fn.fromBytes(newKey)));
  }
}

test('a transfer between two accounts is claimed: operators get shares of the change to the receiver’s own keys', async () => {
  assertClaimed(resultOf(await instance.root.submit(TYPE, params()), KEY));
});

test('a signature with a high S counts too', async () => {
  const high = leaves.map((one) => {
    const s = ORDER - BigInt(`0x${one.senderSignature.slice(64)}`);
    return { ...one, senderSignature: one.senderSignature.slice(0, 64) + s.toString(16).padStart(64, '0') };
  });
  assertClaimed(resultOf(await instance.root.submit(TYPE, params({ leaves: high })), KEY));
});

test('a ciphertext is opened only if its sender signed it for this leaf and transfer', async () => {
  const [a, b] = leaves;
  const foreign = await transferred(['a'], sender);
  const first = 'parameters.claim.leaves[0]';
  await refusesEach(instance.root, TYPE, [
    [params({ leaves: [{ ...a, leafId: b!.leafId }] }), `${first}.senderSignature`, /signature of the sender/],
    [params({ leaves: [{ ...a, ciphertext: b!.ciphertext }] }), `${first}.senderSignature`, /signature of the sender/],
    [params({ transferId: TRANSFER.replace('1111', '1112') }), `${first}.senderSignature`, /signature of the sender/],
    [params({ senderIdentityPublicKey: receiver.publicKey }), `${first}.senderSignature`, /signature of the sender/],
    [
      params({ leaves: [a, { ...b, senderSignature: a!.senderSignature }] }),
      'parameters.claim.leaves[1].senderSignature',
      /sender/,
    ],
    // Signed, and sealed to another account.
    [params({ leaves: foreign }), `${first}.ciphertext`, /sealed to the identity key/],
  ]);
});

test('a ciphertext whose ephemeral key is no point in the usual form is refused', async () => {
  const senderIdentityPublicKey = pointOf('sender');
  const hybrid = sealedLeaf('leaf', TRANSFER, receiver.publicKey, (y) => 0x06 + (y & 1));
  const noPoint = sealedLeaf('leaf', TRANSFER, receiver.publicKey, () => 0x05);
  for (const one of [hybrid, noPoint])
    await refusesEach(instance.root, TYPE, [
      [params({ leaves: [one], senderIdentityPublicKey }), 'parameters.claim.leaves[0].ciphertext', /sealed to the identity key/],
    ]);
  const usual = sealedLeaf('leaf', TRANSFER, receiver.publicKey);
  resultOf(await instance.root.submit(TYPE, params({ leaves: [usual], senderIdentityPublicKey })), KEY);
});

test('bad parameters are named', async () => {
  const [a] = leaves;
  const at = (field: string) => `parameters.claim.${field}`;
  await refusesEach(instance.root, TYPE, [
    [params({ threshold: 4 }), at('threshold'), /number of operators/],
    [params({ senderIdentityPublicKey: `02${'5'.padStart(64, '0')}` }), at('senderIdentityPublicKey'), /point/],
    [params({ leaves: [a, a] }), at('leaves[1].leafId'), /differ/],
    [params({ leaves: [{ ...a, ciphertext: a!.ciphertext.slice(2) }] }), at('leaves[0].ciphertext'), /129 bytes/],
    [params({ leaves: [{ ...a, senderSignature: '00' }] }), at('leaves[0].senderSignature'), /64 bytes/],
    [params({ leaves: [] }), at('leaves'), /at least one/],
  ]);
  refused(await instance.root.submit(TYPE, { ...params(), signWith: 'x' }), [404, 'UNSPECIFIED', /signer not found/]);
});

test('a claim that waits for two users runs once', async () => {
  const accounts = ['SPARK_MAINNET', 'COMPRESSED'].map((format) => account("m/8797555'/0'/0'", format));
  const made = await waitsForBoth(pair, 'CREATE_WALLET', { walletName: 'Both', accounts }, 'createWalletResult');
  const [address, publicKey] = made.addresses;
  const sent = await transferred(['a', 'b'], { ...receiver, publicKey });
  const claim = { ...params({ leaves: sent }), signWith: address };
  const result = await waitsForBoth(pair, TYPE, claim, KEY);
  assert.equal(result.newLeafPublicKeys.length, 2);
});
