import { type ApiKeyCurve, apiKeyCurve, parseStampPublicKey } from '../crypto/stamp.ts';
import type { Environment } from './names.ts';
import { ConfigError } from './read.ts';

/** The public half of an API key. */
export type RootUserKey = { curve: ApiKeyCurve; publicKey: string };

/** The key in hex. A key that is not on P-256 has its curve and a colon before it. */
export function rootUserKey(env: Environment): RootUserKey | undefined {
  const text = env.ROOT_USER_PUBLIC_KEY?.trim();
  if (!text) return undefined;
  const [, named = 'p256', key] = /^(?:([a-z0-9]+):)?([0-9a-fA-F]+)$/.exec(text) ?? [];
  const curve = apiKeyCurve(named);
  const publicKey = curve && key && parseStampPublicKey(curve, key);
  if (curve === undefined || !publicKey)
    throw new ConfigError(
      'ROOT_USER_PUBLIC_KEY must be a P-256 public key in hex, as countersign keygen prints it; a key of another curve has secp256k1: or ed25519: before it',
    );
  return { curve, publicKey };
}
