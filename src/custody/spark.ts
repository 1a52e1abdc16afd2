import { setImmediate } from 'node:timers/promises';
import { zero } from '../base/bytes.ts';
import { failPointsAround } from '../base/fail-point.ts';
import { isPrivateKey, publicKeyOf, signDigest } from '../crypto/curves.ts';
import { encodeEcdsaSignature } from '../crypto/der.ts';
import { sha256 } from '../crypto/hash.ts';
import { asPlainKey, type PlainKey, wipe } from '../crypto/plain-key.ts';
import { secp256k1 } from '../crypto/secp256k1.ts';
import { leafDigest, transferDigest } from '../crypto/spark/digests.ts';
import { open, seal } from '../crypto/spark/ecies.ts';
import { freshNonces, frostShare } from '../crypto/spark/frost.ts';
import { SparkLeafError } from '../crypto/spark/leaf-error.ts';
import { claimTweaks, type SharedTweak, secretShare, sendTweaks } from '../crypto/spark/messages.ts';
import { type SparkKey, sparkPath } from '../crypto/spark/paths.ts';
import { Fn, freshScalar, scalarBytes, scalarOf } from '../crypto/spark/scalars.ts';
import { splitSecret } from '../crypto/spark/shares.ts';
import { type Means, withSecret } from './means.ts';
import type { SparkAccount, SparkRecipients, SparkVault } from './types.ts';
import { storedText, withKeyTree } from './wallets.ts';

const CURVE = 'CURVE_SECP256K1';

export function spark(means: Means): SparkVault {
  const { random } = means;
  return {
    signFrost: (account, requests) =>
      withKeys(means, account, (keyAt) =>
        eachInTurn(requests, ({ key, ...request }) =>
          withKey(keyAt(key), async (secret) => {
            const nonces = freshNonces(secret, request, random);
            return failPointsAround('share', async () => frostShare(secret, request, nonces));
          }),
        ),
      ),
    prepareTransfer: (account, transfer) => withKeys(means, account, (keyAt) => prepareTransfer(means, keyAt, transfer)),
    claimTransfer: (account, claim) => withKeys(means, account, (keyAt) => claimTransfer(means, keyAt, claim)),
    async prepareLightningReceive(recipients) {
      const preimage = freshScalar(random);
      const { threshold, operators } = recipients;
      const { shares, proofs } = splitSecret(preimage, threshold, operators.length, random);
      const packages = await sealed(means, recipients, (i) => secretShare(shares[i]!, proofs));
      return { packages, paymentHash: sha256(scalarBytes(preimage)) };
    },
  };
}

/** The caller wipes each key. */
type KeyAt = (key: SparkKey) => PlainKey;

function withKeys<T>(means: Means, { mnemonic, account }: SparkAccount, use: (keyAt: KeyAt) => Promise<T>): Promise<T> {
  const stored = withSecret(means, mnemonic, storedText);
  return withKeyTree(stored, (tree) => use((key) => tree.privateKey(CURVE, sparkPath(account, key))));
}

async function withKey<T>(key: PlainKey, use: (key: PlainKey) => Promise<T>): Promise<T> {
  try {
    return await use(key);
  } finally {
    wipe(key);
  }
}

/** A step takes milliseconds, so other requests run in between. */
async function eachInTurn<T, R>(all: readonly T[], step: (one: T, i: number) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (const [i, one] of all.entries()) {
    if (i > 0) await setImmediate();
    done.push(await step(one, i));
  }
  return done;
}

/** Seals to each operator what `write` returns for its place in the list, and wipes that. */
function sealed({ random }: Means, { operators }: SparkRecipients, write: (i: number) => Uint8Array): Promise<Uint8Array[]> {
  return eachInTurn(operators, async ({ publicKey }, i) => {
    const plain = write(i);
    try {
      return seal(publicKey, plain, random);
    } finally {
      zero(plain);
    }
  });
}

type Tweak = Omit<SharedTweak, 'share'> & { shares: readonly Uint8Array[] };

/** Splits the difference of two keys of a leaf. */
function tweakOf({ random }: Means, leafId: string, [from, to]: [PlainKey, PlainKey], recipients: SparkRecipients): Tweak {
  const { threshold, operators } = recipients;
  const { shares, proofs } = splitSecret(Fn.sub(scalarOf(from), scalarOf(to)), threshold, operators.length, random);
  const pubkeyShares = operators.map(({ operatorId }, i) => [operatorId, secp256k1.publicKey(shares[i]!, true)] as const);
  return { leafId, shares, proofs, pubkeyShares };
}

const shareOf =
  (i: number) =>
  <T extends Tweak>(tweak: T) => ({ ...tweak, share: tweak.shares[i]! });

function wipeShares(tweaks: readonly Tweak[]): void {
  for (const { shares } of tweaks) for (const share of shares) zero(share);
}

function signed(key: PlainKey, digest: Uint8Array): Buffer {
  const { r, s } = signDigest(CURVE, key, digest);
  return Buffer.concat([r, s]);
}

const prepareTransfer = (
  means: Means,
  keyAt: KeyAt,
  { transferId, leaves, receiver, ...recipients }: Parameters<SparkVault['prepareTransfer']>[1],
) =>
  withKey(keyAt({ type: 'identity' }), async (identity) => {
    const tweaks = await eachInTurn(leaves, ({ leafId, oldLeafId, newLeafId, ...signatures }) =>
      withKey(keyAt({ type: 'signingLeaf', leafId: oldLeafId }), (from) =>
        withKey(keyAt({ type: 'signingLeaf', leafId: newLeafId }), async (to) => {
          const secretCipher = seal(receiver, to, means.random);
          const signature = signed(identity, leafDigest(leafId, transferId, secretCipher));
          const tweak = tweakOf(means, leafId, [from, to], recipients);
          return { ...tweak, ...signatures, secretCipher, signature, publicKey: publicKeyOf(CURVE, to) };
        }),
      ),
    );
    const packages = await sealed(means, recipients, (i) => sendTweaks(tweaks.map(shareOf(i))));
    wipeShares(tweaks);
    const named = recipients.operators.map(({ operatorId }, i) => ({ operatorId, sealed: packages[i]! }));
    const userSignature = encodeEcdsaSignature(signed(identity, transferDigest(transferId, named)));
    return { packages, userSignature, newLeafPublicKeys: tweaks.map(({ publicKey }) => publicKey) };
  });

const claimTransfer = (
  means: Means,
  keyAt: KeyAt,
  { transferId, leaves, sender, ...recipients }: Parameters<SparkVault['claimTransfer']>[1],
) =>
  withKey(keyAt({ type: 'identity' }), async (identity) => {
    // All signatures come before the first ciphertext that is opened.
    for (const [i, { leafId, ciphertext, signature }] of leaves.entries())
      if (!secp256k1.verify(signature, leafDigest(leafId, transferId, ciphertext), sender))
        throw new SparkLeafError(
          i,
          'senderSignature',
          'must be a signature of the sender over this leaf, transfer and ciphertext',
        );
    const tweaks = await eachInTurn(leaves, ({ leafId, ciphertext }, i) =>
      withKey(openKey(identity, ciphertext, i), (from) =>
        withKey(keyAt({ type: 'signingLeaf', leafId }), async (to) => {
          if (scalarOf(from) === scalarOf(to))
            throw new SparkLeafError(i, 'ciphertext', 'must hold another key than the leaf gets by the claim');
          return { ...tweakOf(means, leafId, [from, to], recipients), publicKey: publicKeyOf(CURVE, to) };
        }),
      ),
    );
    const packages = await sealed(means, recipients, (i) => claimTweaks(tweaks.map(shareOf(i))));
    wipeShares(tweaks);
    return { packages, newLeafPublicKeys: tweaks.map(({ publicKey }) => publicKey) };
  });

function openKey(identity: PlainKey, ciphertext: Uint8Array, i: number): PlainKey {
  const key = open(identity, ciphertext);
  if (key !== undefined && isPrivateKey(CURVE, key)) return asPlainKey(key);
  if (key !== undefined) zero(key);
  throw new SparkLeafError(i, 'ciphertext', 'must be a key of secp256k1 that is sealed to the identity key of `signWith`');
}
