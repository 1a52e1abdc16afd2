/** For each provider: what to set, so that a process has the root key that sealed a database. A root key's id begins with the name. */
const ROOT_KEYS = {
  file: 'ROOT_KEY_PATH to the path of its root key file',
  passphrase: 'ROOT_PASSPHRASE or ROOT_PASSPHRASE_FILE',
  env: 'ROOT_KEY to its 64 hex digits',
  'vault-transit': 'ROOT_KEY_URL, ROOT_KEY_NAME and ROOT_KEY_TOKEN_PATH',
  'aws-kms': 'ROOT_KEY_NAME and ROOT_KEY_REGION',
  shares: 'give its shares with countersign custody unseal',
  pkcs11: 'ROOT_KEY_MODULE, ROOT_KEY_SLOT, ROOT_KEY_NAME and ROOT_KEY_PIN',
} as const;

export type RootProvider = keyof typeof ROOT_KEYS;

/** The provider of a stored id. */
export const providerOf = (rootId: string): string => rootId.split(':', 1)[0]!;

/** What to set for the root key that sealed a database. */
export function settingsFor(rootId: string): string {
  const provider = providerOf(rootId);
  const more = Object.hasOwn(ROOT_KEYS, provider) ? ROOT_KEYS[provider as RootProvider] : undefined;
  return more === undefined
    ? `ROOT_KEY_PROVIDER=${provider}, which needs a newer version of the service`
    : `ROOT_KEY_PROVIDER=${provider}, and ${more}`;
}
