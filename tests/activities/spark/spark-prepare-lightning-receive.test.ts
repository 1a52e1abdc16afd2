import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sha256 } from '@noble/hashes/sha2.js';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { assertShare, Fn, fields, operators, restored, type SparkWallet, sparkWallet, text, unsealAll } from './support.ts';

const instance = await sharedInstance();
const TYPE = 'SPARK_PREPARE_LIGHTNING_RECEIVE';
const KEY = 'sparkPrepareLightningReceiveResult';

let wallet: SparkWallet;
before(async () => {
  wallet = await sparkWallet(instance.root);
});

const params = (threshold: number, operatorRecipients: object[]) => ({
  signWith: wallet.address,
  lightningReceive: { threshold, operatorRecipients },
});

test('enough operators restore the preimage of the payment hash, and nothing else holds it', async () => {
  const hashes = new Set<string>();
  for (const [threshold, count] of [
    [2, 2],
    [2, 3],
    [3, 5],
    [10, 10],
  ] as const) {
    const answer = await instance.root.submit(TYPE, params(threshold, operators(count)));
    const { operatorPackages, paymentHash } = resultOf(answer, KEY);
    const shares = unsealAll(operatorPackages).map((plain, i): [number, Uint8Array] => {
      const { 1: share, 2: proofs } = fields(plain);
      assert.equal(proofs!.length, threshold);
      assertShare(share![0]!, i + 1, proofs!);
      return [i + 1, share![0]!];
    });
    const preimage = Fn.toBytes(restored(shares.slice(-threshold)));
    assert.equal(text(sha256(preimage)), paymentHash);
    assert.ok(!answer.text.includes(text(preimage)));
    hashes.add(paymentHash);
  }
  assert.equal(hashes.size, 4);
});

test('bad parameters are named', async () => {
  const at = (field: string) => `parameters.lightningReceive.${field}`;
  const [first] = operators(1);
  await refusesEach(instance.root, TYPE, [
    [params(1, operators(3)), at('threshold'), /2/],
    [params(4, operators(3)), at('threshold'), /number of operators/],
    [params(2, operators(1)), at('operatorRecipients'), /at least two/],
    [params(2, [first!, first!]), at('operatorRecipients[1].operatorId'), /differ/],
    [params(2, operators(51)), at('operatorRecipients'), /<=50/],
  ]);
  const other = { ...params(2, operators(3)), signWith: wallet.publicKey };
  await refusesEach(instance.root, TYPE, [[other, 'parameters.signWith', /Spark address/]]);
  const unknown = { ...other, signWith: 'spark1unknown' };
  refused(await instance.root.submit(TYPE, unknown), [404, 'UNSPECIFIED', /signer not found/]);
});
