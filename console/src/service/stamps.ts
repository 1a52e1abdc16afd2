/** Stamps over the exact bytes of a body: by a P-256 key that scripts cannot read, and by a passkey. */
import { fromBase64Url, toBase64Url, toHex } from '../../../src/base/bytes.ts';
import { encodeEcdsaSignature } from '../../../src/crypto/der.ts';
import { bytesOf, digestOf, own } from './bytes.ts';
import { passkeyDomain, type Stamper } from './call.ts';

/** `publicKey`: compressed, in hex. */
export type StampKey = { privateKey: CryptoKey; publicKey: string };

const P256 = { name: 'ECDSA', namedCurve: 'P-256' };

/** The compressed form of a point of 65 bytes. */
export const compressed = (point: Uint8Array): string => toHex(Uint8Array.of(point[64]! & 1 ? 3 : 2, ...point.subarray(1, 33)));

/** A key whose private half never leaves the browser's own store. */
export async function newStampKey(): Promise<StampKey> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(P256, false, ['sign', 'verify']);
  return { privateKey, publicKey: compressed(new Uint8Array(await crypto.subtle.exportKey('raw', publicKey))) };
}

async function signed({ privateKey, publicKey }: StampKey, scheme: string, body: string) {
  const signature = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, bytesOf(body));
  return { publicKey, scheme, signature: toHex(encodeEcdsaSignature(new Uint8Array(signature))) };
}

const headerOf = (stamp: object): string => toBase64Url(bytesOf(JSON.stringify(stamp)));

export const byKey =
  (key: StampKey): Stamper =>
  async (body) => ({ 'X-Stamp': headerOf(await signed(key, 'SIGNATURE_SCHEME_TK_API_P256', body)) });

/** A key that belongs to no user. A token vouches for it, after a code by mail or a sign-in at a provider. */
export type Attested = { by: 'code' | 'provider'; key: StampKey; token: string };

const ATTESTED = {
  code: 'STAMP_ATTESTED_SCHEME_P256_VERIFICATION_TOKEN',
  provider: 'STAMP_ATTESTED_SCHEME_P256_OIDC',
} as const;

export const byAttested =
  ({ by, key, token: publicKeyAttestation }: Attested): Stamper =>
  async (body) => ({ 'X-Stamp-Attested': headerOf({ publicKeyAttestation, ...(await signed(key, ATTESTED[by], body)) }) });

const PROMPT_MS = 120_000;

const rpId = () => {
  const domain = passkeyDomain();
  return domain === undefined ? {} : { rpId: domain };
};

const base64url = (buffer: ArrayBuffer): string => toBase64Url(new Uint8Array(buffer));

export type PasskeyStamp = { credentialId: string; userHandle: Uint8Array | undefined; headers: Record<string, string> };

/** One prompt of the browser, with user verification. Without a credential's id the person chooses a passkey. */
export async function passkeyStamp(body: string, credentialId?: string, signal?: AbortSignal): Promise<PasskeyStamp> {
  const id = credentialId === undefined ? undefined : fromBase64Url(credentialId);
  const found = (await navigator.credentials.get({
    publicKey: {
      challenge: bytesOf(await digestOf(body)),
      userVerification: 'required',
      timeout: PROMPT_MS,
      ...rpId(),
      ...(id === undefined ? {} : { allowCredentials: [{ type: 'public-key', id: own(id) }] }),
    },
    ...(signal && { signal }),
  })) as PublicKeyCredential | null;
  if (found === null) throw new DOMException('no passkey was chosen', 'NotAllowedError');
  const response = found.response as AuthenticatorAssertionResponse;
  const stamp = {
    credentialId: base64url(found.rawId),
    authenticatorData: base64url(response.authenticatorData),
    clientDataJson: base64url(response.clientDataJSON),
    signature: base64url(response.signature),
  };
  const userHandle = response.userHandle === null ? undefined : new Uint8Array(response.userHandle);
  return { credentialId: stamp.credentialId, userHandle, headers: { 'X-Stamp-WebAuthn': JSON.stringify(stamp) } };
}

export const byPasskey =
  (credentialId?: string): Stamper =>
  async (body, signal) =>
    (await passkeyStamp(body, credentialId, signal)).headers;
