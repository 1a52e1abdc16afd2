import { createECDH, createPrivateKey, createSecretKey, randomBytes, sign } from 'node:crypto';
import { envelope } from '../../../src/custody/envelope.ts';
import type { ServiceKeys } from '../../../src/custody/service-keys.ts';
import { newServiceKey, type ServiceKeyName, serviceKeyNames } from '../../../src/custody/service-keys.ts';
import { vault } from '../../../src/custody/vault.ts';
import type { VerificationToken } from '../../../src/model/token.ts';
import type { Keys } from '../../support/client.ts';

/** A vault with service keys of its own. */
export function tokenService() {
  const sealing = envelope(new Map([[1, createSecretKey(randomBytes(32))]]), randomBytes);
  const keys = Object.fromEntries(
    serviceKeyNames.map((name: ServiceKeyName) => [name, newServiceKey(sealing, randomBytes, name)]),
  ) as ServiceKeys;
  const { tokens, sessions } = vault(sealing, randomBytes, keys, () => Buffer.alloc(37));
  return { keys, tokens, sessions };
}

export const ORGANIZATION = '01890a5d-ac96-774b-bcce-b302099a8057';

export const tokenOf = (more: Partial<VerificationToken> = {}): VerificationToken => ({
  kind: 'enclave',
  id: '01890a5d-ac96-774b-bcce-b302099a8058',
  organizationId: ORGANIZATION,
  type: 'OTP_TYPE_EMAIL',
  contact: 'Ada@Example.com',
  publicKey: '02f739f8c77b32f4d5f13265861febd76e7a9c61a1140d296b8c16302508870316',
  expiresAt: 4_102_444_800_000,
  ...more,
});

/** As the holder of a token's key signs: r ‖ s, or DER. */
export function signedBy(keys: Keys, message: string, form: 'raw' | 'der' = 'raw'): string {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(keys.privateKey, 'hex');
  const point = ecdh.getPublicKey();
  const part = (from: number) => point.subarray(from, from + 32).toString('base64url');
  const d = Buffer.from(keys.privateKey, 'hex').toString('base64url');
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: part(1), y: part(33), d } });
  return sign('sha256', Buffer.from(message), { key, dsaEncoding: form === 'raw' ? 'ieee-p1363' : 'der' }).toString('hex');
}
