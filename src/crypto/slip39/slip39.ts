import { createHmac, pbkdf2, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { zero } from '../../base/bytes.ts';
import type { Random } from '../../base/random.ts';
import { interpolate, type Point } from '../gf256.ts';
import { isOfSameSet, type SetParts, type Share, ShareError, shareText } from './share.ts';

/** Shamir's secret sharing for mnemonic codes (SLIP-0039). */

const ROUNDS = [0, 1, 2, 3];
const ITERATIONS = 2500;
const DIGEST = 4;
/** The polynomials have the digest and the secret there. */
const AT_DIGEST = 254;
const AT_SECRET = 255;

export const MOST_SHARES = 16;

const stretch = promisify(pbkdf2);

type Cipher = Pick<SetParts, 'identifier' | 'extendable' | 'exponent'> & { passphrase: string };

/** A Feistel network of four rounds. It is its own inverse with the rounds in reverse. The caller wipes the result. */
async function crypt(input: Uint8Array, rounds: readonly number[], { identifier, extendable, exponent, passphrase }: Cipher) {
  const half = input.length / 2;
  const salt = extendable ? Buffer.alloc(0) : Buffer.from([...Buffer.from('shamir'), identifier >> 8, identifier & 255]);
  let left = Buffer.from(input.subarray(0, half));
  let right = Buffer.from(input.subarray(half));
  for (const round of rounds) {
    const password = Buffer.from([round, ...Buffer.from(passphrase)]);
    const salted = Buffer.concat([salt, right]);
    const mask = await stretch(password, salted, ITERATIONS << exponent, half, 'sha256');
    for (let i = 0; i < half; i++) left[i]! ^= mask[i]!;
    [left, right] = [right, left];
    for (const secret of [password, salted, mask]) zero(secret);
  }
  const output = Buffer.concat([right, left]);
  zero(left);
  zero(right);
  return output;
}

const digestOf = (key: Uint8Array, secret: Uint8Array): Buffer =>
  createHmac('sha256', key).update(secret).digest().subarray(0, DIGEST);

/** The values of members 0 to `count` − 1. */
function divide(secret: Uint8Array, threshold: number, count: number, random: Random): Buffer[] {
  const rest = random(secret.length - DIGEST);
  const points: Point[] = [
    { x: AT_SECRET, y: secret },
    { x: AT_DIGEST, y: Buffer.concat([digestOf(rest, secret), rest]) },
  ];
  for (let x = 0; x < threshold - 2; x++) points.push({ x, y: random(secret.length) });
  const values = Array.from({ length: count }, (_, x) => interpolate(points, x));
  zero(rest);
  for (const { y } of points.slice(1)) zero(y);
  return values;
}

/** The secret of one group. The caller wipes it. */
function rebuild(points: readonly Point[], threshold: number): Buffer {
  if (threshold === 1) return Buffer.from(points[0]!.y);
  const secret = interpolate(points, AT_SECRET);
  const digest = interpolate(points, AT_DIGEST);
  const isWhole = timingSafeEqual(digest.subarray(0, DIGEST), digestOf(digest.subarray(DIGEST), secret));
  zero(digest);
  if (isWhole) return secret;
  zero(secret);
  throw new ShareError('the shares do not fit each other: they are of different sets');
}

/**
 * The texts of `count` shares, of which any `threshold` give the secret. They are one group without a passphrase, so more rounds of key
 * stretching would protect nothing.
 */
export async function splitSecret(
  secret: Uint8Array,
  { threshold, count }: { threshold: number; count: number },
  random: Random,
): Promise<string[]> {
  if (!Number.isInteger(threshold) || !Number.isInteger(count) || threshold < 2 || threshold > count || count > MOST_SHARES)
    throw new RangeError(`a threshold is from 2 to the number of shares, which is at most ${MOST_SHARES}`);
  const identifier = random(2).readUInt16BE() >> 1;
  const set = { identifier, extendable: true, exponent: 0, groupThreshold: 1, groupCount: 1 };
  const encrypted = await crypt(secret, ROUNDS, { ...set, passphrase: '' });
  const values = divide(encrypted, threshold, count, random);
  zero(encrypted);
  return values.map((value, index) => {
    const text = shareText({ ...set, groupIndex: 0, index, threshold, value });
    zero(value);
    return text;
  });
}

/**
 * The secret of exactly the shares that are needed, which the caller wipes. A wrong passphrase gives other bytes, as the standard says.
 * Throws ShareError.
 */
export async function combineSecret(shares: readonly Share[], passphrase = ''): Promise<Buffer> {
  const [first] = shares;
  if (first === undefined) throw new ShareError('there is no share');
  const groups = new Map<number, Share[]>();
  for (const share of shares) {
    if (!isOfSameSet(share, first) || share.value.length !== first.value.length)
      throw new ShareError('the shares are of different sets');
    groups.set(share.groupIndex, [...(groups.get(share.groupIndex) ?? []), share]);
  }
  if (groups.size !== first.groupThreshold) throw new ShareError(`the set needs ${first.groupThreshold} groups of shares`);
  const points = [...groups].map(([x, members]): Point => {
    const { threshold } = members[0]!;
    if (members.some((member) => member.threshold !== threshold)) throw new ShareError('the shares are of different sets');
    if (new Set(members.map(({ index }) => index)).size !== members.length) throw new ShareError('a share is there twice');
    if (members.length !== threshold) throw new ShareError(`the group needs ${threshold} shares`);
    return {
      x,
      y: rebuild(
        members.map(({ index, value }) => ({ x: index, y: value })),
        threshold,
      ),
    };
  });
  const encrypted = rebuild(points, first.groupThreshold);
  try {
    return await crypt(encrypted, [...ROUNDS].reverse(), { ...first, passphrase });
  } finally {
    zero(encrypted);
    for (const { y } of points) zero(y);
  }
}
