import { readFileSync, statSync } from 'node:fs';
import type { Random } from '../base/random.ts';
import type { Config } from '../config.ts';
import { type Envelope, envelope } from '../custody/envelope.ts';
import { keyRing } from '../custody/key-ring.ts';
import { checkProvider } from '../custody/masters.ts';
import { awsKmsRoot, type KmsPackage } from '../custody/roots/aws-kms.ts';
import { envRoot } from '../custody/roots/env.ts';
import { fileRoot } from '../custody/roots/file.ts';
import { passphraseRoot } from '../custody/roots/passphrase.ts';
import { type Pkcs11Package, pkcs11Root } from '../custody/roots/pkcs11.ts';
import { sharesRoot } from '../custody/roots/shares.ts';
import { type PostPort, vaultTransitRoot } from '../custody/roots/vault-transit.ts';
import type { RootKey } from '../custody/types.ts';
import { post } from '../outbound/post.ts';
import type { RootKeySettings, RootProvider } from '../settings/root-key.ts';
import type { Reader } from '../store/types.ts';
import { optionalPackage } from './optional-package.ts';

/** `onCreated`: the database has no master key yet, so that a root key may be made. */
type Parts = { random: Random; onCreated?: ((file: string) => void) | undefined };

type Providers = {
  readonly [P in RootProvider]: (settings: Extract<RootKeySettings, { provider: P }>, parts: Parts) => RootKey | Promise<RootKey>;
};

/** The operator chose the address, so it may be in a private network. The guard of addresses from requests does not apply. */
const postToOperator: PostPort = (url, body, headers) => post(url, body, headers, new AbortController().signal);

/** An error of `fetch` would show a token that is no header. */
function tokenIn(file: string): string {
  let token: string;
  try {
    token = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new Error(`ROOT_KEY_TOKEN_PATH names ${file}, which cannot be read: ${(cause as NodeJS.ErrnoException).code}`, {
      cause,
    });
  }
  if (!/^[!-~]{1,8192}$/.test(token))
    throw new Error(`ROOT_KEY_TOKEN_PATH names ${file}, which must hold one token and nothing else`);
  return token;
}

const PROVIDERS: Providers = {
  file: ({ path }, { random, onCreated }) => fileRoot(path, random, onCreated),
  passphrase: ({ passphrase }, { random }) => passphraseRoot(passphrase, random),
  env: ({ hex }, { random }) => envRoot(hex, random),
  shares({ key }, { random }) {
    if (key === undefined) throw new Error('ROOT_KEY_PROVIDER=shares, and no shares were given');
    return sharesRoot(key, random);
  },
  'vault-transit': ({ tokenFile, ...settings }) => vaultTransitRoot(settings, () => tokenIn(tokenFile), postToOperator),
  'aws-kms': async (settings) =>
    awsKmsRoot(await optionalPackage<KmsPackage>('@aws-sdk/client-kms', 'ROOT_KEY_PROVIDER=aws-kms'), settings),
  pkcs11: async (settings, { random }) =>
    pkcs11Root(await optionalPackage<Pkcs11Package>('pkcs11js', 'ROOT_KEY_PROVIDER=pkcs11'), settings, random),
};

export const rootKeyOf = async (settings: RootKeySettings, parts: Parts): Promise<RootKey> =>
  PROVIDERS[settings.provider](settings as never, parts);

/** The warning about a root key file that other users of this machine may use. Windows has no such modes. */
export function rootKeyWarning(rootKey: RootKeySettings): string | undefined {
  if (rootKey.provider !== 'file' || process.platform === 'win32' || (statSync(rootKey.path).mode & 0o007) === 0)
    return undefined;
  return `every user of this machine can read the root key file ${rootKey.path}, which opens the keys of the database: chmod 600 it`;
}

/** For a command: opens the service's sealed data, and makes no key. */
export async function openEnvelope(config: Config, read: Pick<Reader, 'instance'>, random: Random): Promise<Envelope> {
  const sealed = await read.instance.masterKeys();
  checkProvider(config.rootKey.provider, sealed);
  const root = await rootKeyOf(config.rootKey, { random });
  const ring = keyRing(() => root);
  await ring.take(sealed);
  return envelope(ring.keys, random, ring.states);
}
