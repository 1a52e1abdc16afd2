import { isAbsolute, join } from 'node:path';
import { type ApiKeyCurve, apiKeyCurve, parseStampPublicKey } from '../crypto/stamp.ts';
import type { Environment } from './names.ts';
import { ConfigError, oneOf, secret } from './read.ts';

export type RootKeySettings = { provider: 'file'; path: string } | { provider: 'passphrase'; passphrase: string };

/** The public half of an API key. */
export type RootUserKey = { curve: ApiKeyCurve; publicKey: string };

export function rootKey(env: Environment, dataDir: string): RootKeySettings {
  if (oneOf(env, 'ROOT_KEY_PROVIDER', ['file', 'passphrase'], 'file') === 'file') {
    if (env.ROOT_PASSPHRASE || env.ROOT_PASSPHRASE_FILE)
      throw new ConfigError(
        'ROOT_PASSPHRASE is set, but ROOT_KEY_PROVIDER is file: set ROOT_KEY_PROVIDER=passphrase, or unset ROOT_PASSPHRASE and ROOT_PASSPHRASE_FILE',
      );
    const path = env.ROOT_KEY_PATH || 'root.key';
    return { provider: 'file', path: isAbsolute(path) ? path : join(dataDir, path) };
  }
  const passphrase = secret(env, 'ROOT_PASSPHRASE');
  if (passphrase === undefined)
    throw new ConfigError('ROOT_KEY_PROVIDER=passphrase needs ROOT_PASSPHRASE or ROOT_PASSPHRASE_FILE');
  if ([...passphrase].length < 12) throw new ConfigError('ROOT_PASSPHRASE must have at least 12 characters');
  return { provider: 'passphrase', passphrase };
}

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
