import { createECDH, createHash, createPrivateKey, createPublicKey, ECDH, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What the service writes to root-credentials.json, as far as the bench needs it. */
export type Credentials = { organizationId: string; apiPublicKey: string; apiPrivateKey: string };

const CURVE = 'prime256v1';
export const SCHEME = 'SIGNATURE_SCHEME_TK_API_P256';

export function readCredentials(file: string): Credentials {
  return JSON.parse(readFileSync(file, 'utf8')) as Credentials;
}

export function newCredentials(organizationId: string): Credentials {
  const pair = createECDH(CURVE);
  pair.generateKeys();
  return {
    organizationId,
    apiPublicKey: pair.getPublicKey('hex', 'compressed'),
    apiPrivateKey: pair.getPrivateKey('hex').padStart(64, '0'),
  };
}

function jwk(publicKey: string) {
  const point = ECDH.convertKey(publicKey, CURVE, 'hex', undefined, 'uncompressed') as Buffer;
  return { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33, 65) };
}

export function importPublicKey(publicKey: string): KeyObject {
  return createPublicKey({ key: jwk(publicKey), format: 'jwk' });
}

export function privateKeyOf({ apiPublicKey, apiPrivateKey }: Credentials): KeyObject {
  const d = Buffer.from(apiPrivateKey, 'hex').toString('base64url');
  return createPrivateKey({ key: { ...jwk(apiPublicKey), d }, format: 'jwk' });
}

/** What the client of a new session has. */
export type NewSession = { publicKey: string; signed(message: string): string };

export function newSession(): NewSession {
  const credentials = newCredentials('');
  const key = privateKeyOf(credentials);
  return {
    publicKey: credentials.apiPublicKey,
    signed: (message) => sign('sha256', Buffer.from(message), key).toString('hex'),
  };
}

/** The key of the tokens that the floor takes. */
export function floorKeys(): Credentials {
  const pair = createECDH(CURVE);
  const apiPrivateKey = createHash('sha256').update('the floor of the bench').digest('hex');
  pair.setPrivateKey(apiPrivateKey, 'hex');
  return { organizationId: '', apiPublicKey: pair.getPublicKey('hex', 'compressed'), apiPrivateKey };
}

/** Makes the X-Stamp header of a body. */
export function stamper(credentials: Credentials): (body: Buffer) => string {
  const { apiPublicKey } = credentials;
  const key = privateKeyOf(credentials);
  return (body) => {
    const signature = sign('sha256', body, key).toString('hex');
    return Buffer.from(JSON.stringify({ publicKey: apiPublicKey, scheme: SCHEME, signature })).toString('base64url');
  };
}
