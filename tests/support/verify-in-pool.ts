import assert from 'node:assert/strict';
import type { StampKey } from '../../src/crypto/stamp.ts';
import { burstVerifier } from '../../src/crypto/stamp-bursts.ts';

/** Enough of them at once that the thread pool verifies. */
const MANY = 3;

const verify = burstVerifier();

/** What all of them come to, which is the same. */
export async function verifyInPool(key: StampKey, body: Buffer, signature: Buffer): Promise<boolean> {
  const [verdict, ...others] = await Promise.all(Array.from({ length: MANY }, () => verify(key, body, signature)));
  assert.deepEqual(
    others,
    others.map(() => verdict),
  );
  return verdict!;
}
