import { createHash } from 'node:crypto';
import type { JSONWebKeySet } from 'jose';
import { fromHex, toBase64Url } from '../../base/bytes.ts';
import type { Oauth2Vault } from '../../custody/types.ts';
import { writeJwt } from './jwt.ts';

/** How long a token is valid: to register it, and to log in with it. */
const LIFETIME_SECONDS = 600;

/** A public key of P-256 (RFC 7518, section 6.2), in the order of its thumbprint. `publicKey`: hex of 65 bytes. */
function coordinates(publicKey: string): { crv: string; kty: string; x: string; y: string } {
  const point = fromHex(publicKey)!;
  return { crv: 'P-256', kty: 'EC', x: toBase64Url(point.subarray(1, 33)), y: toBase64Url(point.subarray(33)) };
}

/** Its thumbprint (RFC 7638), which every holder of the key can compute. */
const keyId = (publicKey: string): string =>
  createHash('sha256')
    .update(JSON.stringify(coordinates(publicKey)))
    .digest('base64url');

export const KEYS_PATH = '/.well-known/jwks.json';

/** The service as an issuer of tokens, for users of providers that issue none. */
export type OwnIssuer = {
  /** Its `iss`. */
  url: string;
  /** The document of OpenID Connect Discovery 1.0, as far as it applies: there is no endpoint for signing in. */
  discovery: object;
  keys: JSONWebKeySet;
};

export function ownIssuer(baseUrl: string, publicKey: string): OwnIssuer {
  return {
    url: baseUrl,
    discovery: {
      issuer: baseUrl,
      jwks_uri: `${baseUrl}${KEYS_PATH}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      claims_supported: ['iss', 'aud', 'sub', 'iat', 'exp', 'nonce', 'encrypted_bearer_token'],
    },
    keys: { keys: [{ ...coordinates(publicKey), kid: keyId(publicKey), alg: 'ES256', use: 'sig' }] },
  };
}

export type Identified = {
  baseUrl: string;
  /** The client ID that the provider gave to the application. */
  audience: string;
  subject: string;
  nonce: string;
  encryptedBearerToken: string | undefined;
  now: number;
};

/** A token with the identity of a user of such a provider. */
export function mintIdentityToken(vault: Oauth2Vault, given: Identified): string {
  const issued = Math.floor(given.now / 1000);
  const claims = {
    iss: given.baseUrl,
    aud: given.audience,
    sub: given.subject,
    iat: issued,
    exp: issued + LIFETIME_SECONDS,
    nonce: given.nonce,
    ...(given.encryptedBearerToken === undefined ? {} : { encrypted_bearer_token: given.encryptedBearerToken }),
  };
  const header = { alg: 'ES256', typ: 'JWT', kid: keyId(vault.identityPublicKey) };
  return writeJwt(header, claims, (signed) => vault.signIdentityToken(signed));
}
