/** Comparisons with the published signer of Spark. Only `npm test -- --full` runs them. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { publicKeyOf } from '../../../src/crypto/curves.ts';
import { keyTree } from '../../../src/crypto/derivation.ts';
import { transferDigest } from '../../../src/crypto/spark/digests.ts';
import { open, seal } from '../../../src/crypto/spark/ecies.ts';
import { frostShare } from '../../../src/crypto/spark/frost.ts';
import { type SparkKey, sparkPath } from '../../../src/crypto/spark/paths.ts';
import { freshScalar, scalarBytes } from '../../../src/crypto/spark/scalars.ts';
import { splitSecret } from '../../../src/crypto/spark/shares.ts';
import { hex, seededBytes } from '../vectors.ts';
import { missing, publishedSdk } from './published-signer.ts';
import { noncesOf, publishedShare, requestOf, sessionOf } from './sessions.ts';

const skip = missing ?? false;
const SEED = Number(process.env.TEST_SEED ?? 1);
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex');

test('a thousand random sessions give the published signer’s shares', { skip }, async () => {
  const frost = (await publishedSdk()).getSparkFrost();
  const bytes = seededBytes(SEED);
  for (let i = 0; i < 1000; i++) {
    const session = sessionOf(i, bytes);
    const { share } = frostShare(hex(session.secret), requestOf(session), noncesOf(session));
    assert.equal(text(share), await publishedShare(frost, session), JSON.stringify(session));
  }
});

test('the published signer derives the same keys', { skip }, async () => {
  const { DefaultSparkSigner } = await publishedSdk();
  const seed = seededBytes(SEED)(64);
  const tree = keyTree(seed);
  for (const account of [0, 1, 7]) {
    const signer = new DefaultSparkSigner();
    const ours = (key: SparkKey) =>
      text(publicKeyOf('CURVE_SECP256K1', tree.privateKey('CURVE_SECP256K1', sparkPath(account, key))));
    assert.equal(await signer.createSparkWalletFromSeed(seed, account), ours({ type: 'identity' }));
    assert.equal(text(await signer.getPublicKeyFromDerivation({ type: 'deposit' })), ours({ type: 'deposit' }));
    for (const index of [0, 1, 2 ** 31 - 1])
      assert.equal(
        text(await signer.getPublicKeyFromDerivation({ type: 'static_deposit', path: index })),
        ours({ type: 'staticDeposit', index }),
      );
    for (const leafId of ['019a0f3e-0000-7000-8000-000000000001', 'a', 'ü'])
      assert.equal(
        text(await signer.getPublicKeyFromDerivation({ type: 'leaf', path: leafId })),
        ours({ type: 'signingLeaf', leafId }),
      );
  }
});

test('sealed messages open on the other side, and none that was changed', { skip }, async () => {
  const frost = (await publishedSdk()).getSparkFrost();
  for (let length = 1; length < 2000; length = length * 3 + 1) {
    const key = scalarBytes(freshScalar(randomBytes));
    const [publicKey, message] = [publicKeyOf('CURVE_SECP256K1', key), randomBytes(length)];
    assert.deepEqual(Buffer.from(await frost.decryptEcies(seal(publicKey, message, randomBytes), key)), message);
    const sealed = Buffer.from(await frost.encryptEcies(message, publicKey));
    assert.deepEqual(open(key, sealed), message);
    for (const at of [1, 70, 90, sealed.length - 1]) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      assert.equal(open(key, changed), undefined);
    }
    assert.equal(open(key, sealed.subarray(0, 96)), undefined);
  }
});

test('shares are valid by their proofs and restore the secret, for each threshold of up to seven operators', {
  skip,
}, async () => {
  const frost = (await publishedSdk()).getSparkFrost();
  for (let count = 1; count <= 7; count++)
    for (let threshold = 1; threshold <= count; threshold++) {
      const secret = freshScalar(randomBytes);
      const { shares, proofs } = splitSecret(secret, threshold, count, randomBytes);
      const all = shares.map((share, i) => ({ threshold, index: i + 1, share, proofs: [...proofs] }));
      // The published package has no thresholds of 1.
      if (threshold === 1) {
        for (const share of shares) assert.equal(text(share), text(scalarBytes(secret)));
        continue;
      }
      for (const { share, index } of all) await frost.validateShare(share, index, threshold, proofs);
      const some = all.toSorted(() => randomBytes(1)[0]! - 128).slice(0, threshold);
      assert.equal(text(await frost.recoverSecret(some)), text(scalarBytes(secret)), `${threshold} of ${count}`);
    }
});

test('the sender of a transfer signs the same digest', { skip }, async () => {
  const { getTransferPackageSigningPayload } = await publishedSdk();
  for (const ids of [['b', 'a', 'ab'], [text(randomBytes(32))!], Array.from({ length: 50 }, (_, i) => `${i}`)]) {
    const transferId = '019A0f3e-1234-7abc-8def-0123456789ab';
    const packages = ids.map((operatorId) => ({ operatorId, sealed: randomBytes(100) }));
    const keyTweakPackage = Object.fromEntries(packages.map(({ operatorId, sealed }) => [operatorId, sealed]));
    const theirs = getTransferPackageSigningPayload(transferId, { keyTweakPackage });
    assert.equal(text(transferDigest(transferId, packages)), text(theirs));
  }
});
