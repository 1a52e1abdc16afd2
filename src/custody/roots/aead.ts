import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import type { Random } from '../../base/random.ts';

const NONCE = 12;
const TAG = 16;

/** nonce ‖ ciphertext ‖ tag, AES-256-GCM: the format of all local root providers. */
export function sealWith(key: KeyObject, plain: Buffer, aad: Buffer, random: Random): Buffer {
  const nonce = random(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(aad);
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

export function openWith(key: KeyObject, wrapped: Buffer, aad: Buffer): Buffer | undefined {
  if (wrapped.length < NONCE + TAG) return undefined;
  const decipher = createDecipheriv('aes-256-gcm', key, wrapped.subarray(0, NONCE), { authTagLength: TAG });
  decipher.setAAD(aad);
  decipher.setAuthTag(wrapped.subarray(wrapped.length - TAG));
  try {
    return Buffer.concat([decipher.update(wrapped.subarray(NONCE, wrapped.length - TAG)), decipher.final()]);
  } catch {
    return undefined;
  }
}
