import { type StampKey, verifyStamp } from '../../src/crypto/stamp.ts';

/** On the thread pool, for the scheme that OpenSSL verifies there. */
export async function verifyInPool(key: StampKey, body: Buffer, signature: Buffer): Promise<boolean> {
  if (key.verifyInPool === undefined) return verifyStamp(key, body, signature);
  return new Promise((resolve, reject) => {
    try {
      key.verifyInPool!(body, signature, resolve);
    } catch (error) {
      reject(error as Error);
    }
  });
}
