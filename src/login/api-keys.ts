import { invalid } from '../base/errors.ts';
import { parseStampPublicKey } from '../crypto/stamp.ts';
import { apiKeyCredentialType, type Credential, newCredential, type User } from '../model/user.ts';

type ApiKey = {
  apiKeyName: string;
  publicKey: string;
  curveType: 'API_KEY_CURVE_P256' | 'API_KEY_CURVE_SECP256K1' | 'API_KEY_CURVE_ED25519';
  expirationSeconds?: string | undefined;
};

/** The credential for an API key entry. `field`: the entry's field in the request. */
export function apiKeyCredential(user: User, id: string, now: number, key: ApiKey, field: string): Credential {
  const publicKey = parseStampPublicKey(key.curveType, key.publicKey);
  if (publicKey === undefined) {
    throw invalid(
      `${field}.publicKey`,
      `is not a public key on ${key.curveType}: send a compressed point in hex (32 bytes of Ed25519)`,
    );
  }
  const seconds = key.expirationSeconds === undefined ? null : Number(key.expirationSeconds);
  return newCredential({
    organizationId: user.organizationId,
    id,
    parentId: user.parentId,
    userId: user.id,
    type: apiKeyCredentialType(key.curveType),
    name: key.apiKeyName,
    publicKey,
    expiresAt: seconds === null ? null : now + seconds * 1000,
    expirationSeconds: seconds,
    createdAt: now,
  });
}
