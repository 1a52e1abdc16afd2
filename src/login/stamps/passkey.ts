import { hash } from 'node:crypto';
import { plainBase64Url } from '../../base/bytes.ts';
import { Lru } from '../../base/lru.ts';
import { importCoseKey, type PasskeyKey, verifyByPasskey } from '../../crypto/cose.ts';
import type { StampPort } from '../../engine/ports.ts';
import { fits, mayUse } from '../../model/passkey-origins.ts';
import { readClientData } from '../passkeys/client-data.ts';

/** Parsed keys: importing one costs as much as a verification. */
const KEPT = 10_000;

const RP_ID_HASH = 32;
/** The relying party's hash, flags and a counter (WebAuthn §6.1). */
const LEAST = 37;
const USER_PRESENT = 0x01;

/** The challenge of a stamp: SHA-256 of the body, as hex text. */
const challengeOf = (fingerprint: string): string => Buffer.from(fingerprint.slice('sha256:'.length)).toString('base64url');

/**
 * Verifies assertions (WebAuthn §7.2). The user need not be verified, and the counter need not rise: synchronized passkeys do
 * not count.
 */
export function passkeyVerifier(): StampPort['verifyPasskey'] {
  const keys = new Lru<PasskeyKey>(KEPT);

  function keyOf(publicKey: string): PasskeyKey | undefined {
    const known = keys.get(publicKey);
    if (known) return known;
    const key = importCoseKey(Buffer.from(publicKey, 'base64url'));
    if (key) keys.set(publicKey, key);
    return key;
  }

  return ({ assertion }, registered, fingerprint, origins) => {
    const { authenticatorData, clientDataJson, signature } = assertion;
    const client = readClientData(clientDataJson);
    if (client === undefined || client.type !== 'webauthn.get') return false;
    if (plainBase64Url(client.challenge) !== challengeOf(fingerprint) || !mayUse(client.origin, origins)) return false;
    if (authenticatorData.length < LEAST || !(authenticatorData[RP_ID_HASH]! & USER_PRESENT)) return false;
    const { rpIdHash } = registered;
    if (authenticatorData.toString('base64url', 0, RP_ID_HASH) !== rpIdHash || !fits(client.origin, rpIdHash)) return false;
    const key = keyOf(registered.publicKey);
    const signed = Buffer.concat([authenticatorData, hash('sha256', clientDataJson, 'buffer')]);
    return key !== undefined && verifyByPasskey(key, signed, signature);
  };
}
