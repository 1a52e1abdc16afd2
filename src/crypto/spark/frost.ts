import { createHmac } from 'node:crypto';
import { expand_message_xmd } from '@noble/curves/abstract/hash-to-curve.js';
import { sha256 as hash } from '@noble/hashes/sha2.js';
import { concat, utf8, zero } from '../../base/bytes.ts';
import type { Random } from '../../base/random.ts';
import { sha256, taggedHash } from '../hash.ts';
import { bytesOfKey, type KeyBytes } from '../plain-key.ts';
import { tapTweakOf } from '../points.ts';
import { secp256k1 } from '../secp256k1.ts';
import { Fn, scalarBytes, scalarOf } from './scalars.ts';

/** FROST (RFC 9591) on secp256k1 with taproot keys, as Spark's operators and wallets run it. */
const CONTEXT = 'FROST-secp256k1-SHA256-TR-v1';

/** RFC 9591 §6.5: hash_to_field with 48 bytes. */
const hashToScalar = (tag: string, data: Uint8Array): bigint => scalarOf(expand_message_xmd(data, utf8(CONTEXT + tag), 48, hash));

const hashOf = (tag: string, data: Uint8Array): Uint8Array => sha256(concat([utf8(CONTEXT + tag), data]));

/** The identifier of the user, who is alone in a signing group of its own. */
export const USER_IDENTIFIER: Uint8Array = scalarBytes(hashToScalar('id', utf8('user')));

/** `id`: 32 bytes. Points: 33 bytes. */
export type Commitment = { id: Uint8Array; hiding: Uint8Array; binding: Uint8Array };

/**
 * `message`: 32 bytes. `verifyingKey`: the sum of the operators' group key and the user's. The commitments are those of the operators.
 * All points are on the curve, and ids differ from each other and from the user's.
 */
export type FrostRequest = {
  message: Uint8Array;
  verifyingKey: Uint8Array;
  commitments: readonly Commitment[];
  adaptor?: Uint8Array | undefined;
};

/** Two secret numbers, for one share. */
export type Nonces = { hiding: bigint; binding: bigint };

export type FrostShare = { share: Uint8Array; hiding: Uint8Array; binding: Uint8Array };

const sorted = (commitments: readonly Commitment[]): Commitment[] => commitments.toSorted((a, b) => Buffer.compare(a.id, b.id));

const joined = (commitments: readonly Commitment[]): Uint8Array =>
  concat(commitments.flatMap(({ id, hiding, binding }) => [id, hiding, binding]));

/**
 * Fresh nonces. They are hedged: they stay secret if the randomness is known, because the key is in them. They differ between
 * requests if the randomness repeats, because everything that is signed is in them.
 */
export function freshNonces(secret: KeyBytes, request: FrostRequest, random: Random): Nonces {
  const key = Buffer.concat([random(32), bytesOfKey(secret)]);
  const { message, verifyingKey, commitments, adaptor = new Uint8Array() } = request;
  const bound = concat([message, verifyingKey, adaptor, joined(sorted(commitments))]);
  // 64 bytes modulo n are uniform.
  const nonce = (name: string) => {
    const digest = createHmac('sha512', key).update(`countersign/spark/nonce/${name}`).update(bound).digest();
    const scalar = scalarOf(digest);
    zero(digest);
    if (scalar === 0n) throw new Error('a nonce is 0');
    return scalar;
  };
  try {
    return { hiding: nonce('hiding'), binding: nonce('binding') };
  } finally {
    zero(key);
  }
}

const isOdd = (point: Uint8Array): boolean => point[0] === 0x03;

function withEvenY(point: Uint8Array): Uint8Array {
  const even = Uint8Array.from(point);
  even[0] = 0x02;
  return even;
}

/** Such inputs cannot be found without breaking the curve. */
function notInfinity(point: Uint8Array | undefined): Uint8Array {
  if (point === undefined) throw new Error('a sum of points has no value');
  return point;
}

const pointOf = (nonce: bigint): Uint8Array => secp256k1.publicKey(scalarBytes(nonce), true);

/** The user's share of a signature. The nonces must never be used again. */
export function frostShare(secret: KeyBytes, request: FrostRequest, nonces: Nonces): FrostShare {
  const { message, verifyingKey, adaptor } = request;
  const [hiding, binding] = [pointOf(nonces.hiding), pointOf(nonces.binding)];
  const evenKey = withEvenY(verifyingKey);
  const tweaked = notInfinity(secp256k1.addToPoint(evenKey, tapTweakOf(evenKey.subarray(1))));
  const groupKey = withEvenY(tweaked);

  const all = sorted([...request.commitments, { id: USER_IDENTIFIER, hiding, binding }]);
  const prefix = concat([groupKey, hashOf('msg', message), hashOf('com', joined(all))]);
  const factorOf = (id: Uint8Array) => hashToScalar('rho', concat([prefix, id]));
  const bound = all.map((one) => secp256k1.multiplyPoint(one.binding, scalarBytes(factorOf(one.id))));
  const parts = [...all.map((one) => one.hiding), ...bound.map(notInfinity), ...(adaptor ? [adaptor] : [])];
  const nonceSum = notInfinity(secp256k1.sumOfPoints(parts));

  const challenge = scalarOf(taggedHash('BIP0340/challenge', concat([nonceSum.subarray(1), groupKey.subarray(1), message])));
  // The operators add the tweak itself.
  const isKeyNegated = isOdd(verifyingKey) !== isOdd(tweaked);
  const key = isKeyNegated ? Fn.neg(scalarOf(secret)) : scalarOf(secret);
  const own = Fn.add(nonces.hiding, Fn.mul(nonces.binding, factorOf(USER_IDENTIFIER)));
  const share = Fn.add(isOdd(nonceSum) ? Fn.neg(own) : own, Fn.mul(challenge, key));
  return { share: scalarBytes(share), hiding, binding };
}
