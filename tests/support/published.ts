import { createHash } from 'node:crypto';
import { decryptCredentialBundle, generateP256KeyPair, getPublicKey } from '@turnkey/crypto';
import type { Keys } from './client.ts';

/** A key of a client, to which something is sealed. Both halves in hex, the public one of 33 and of 65 bytes. */
export type Target = { privateKey: string; publicKey: string; publicKeyUncompressed: string };

export const newTarget: () => Target = generateP256KeyPair;

/** A key of the service in the form that an option of the published client takes, in place of the key that is built into it. */
export async function publishedKey(url: string, name: string): Promise<string> {
  const { keys } = (await (await fetch(`${url}/public/v1/discovery/keys`)).json()) as {
    keys: { name: string; overrides: { client: string; value: string }[] }[];
  };
  return keys.find((key) => key.name === name)!.overrides.find(({ client }) => client === '@turnkey/crypto')!.value;
}

/** The API key in a credential bundle, as the published client opens it. */
export function keysIn(credentialBundle: string, target: Pick<Target, 'privateKey'>): Keys {
  const privateKey = decryptCredentialBundle(credentialBundle, target.privateKey);
  return { privateKey, publicKey: Buffer.from(getPublicKey(Buffer.from(privateKey, 'hex'), true)).toString('hex') };
}

/** The nonce that binds an ID token to a key: a digest of the key's text, as the request has it. */
export const nonceOf = (publicKey: string): string => createHash('sha256').update(publicKey).digest('hex');
