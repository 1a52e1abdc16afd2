import type { KeyObject } from 'node:crypto';
import { isAbsolute, join } from 'node:path';
import type { Environment } from './names.ts';
import { ConfigError, oneOf, secret, webUrl } from './read.ts';

type Rows = {
  file: { path: string };
  passphrase: { passphrase: string };
  env: { hex: string };
  /** Undefined until shares give the key. */
  shares: { key: KeyObject | undefined };
  'vault-transit': { url: string; mount: string; key: string; tokenFile: string; namespace: string | undefined };
  'aws-kms': { key: string; region: string; url: string | undefined };
  pkcs11: { module: string; token: string; key: string; pin: string };
};

export type RootProvider = keyof Rows;
export type RootKeySettings = { [P in RootProvider]: { provider: P } & Rows[P] }[RootProvider];

/** All settings of a root key. With `NEW_` in front they describe the key that `custody rotate-root` changes to. */
export const ROOT_SETTINGS = [
  'ROOT_KEY_PROVIDER',
  'ROOT_KEY_PATH',
  'ROOT_PASSPHRASE',
  'ROOT_PASSPHRASE_FILE',
  'ROOT_KEY',
  'ROOT_KEY_URL',
  'ROOT_KEY_NAME',
  'ROOT_KEY_MOUNT',
  'ROOT_KEY_NAMESPACE',
  'ROOT_KEY_TOKEN_PATH',
  'ROOT_KEY_REGION',
  'ROOT_KEY_MODULE',
  'ROOT_KEY_SLOT',
  'ROOT_KEY_PIN',
  'ROOT_KEY_PIN_FILE',
] as const;

type RootSetting = (typeof ROOT_SETTINGS)[number];

const SHORTEST_PASSPHRASE = 12;

function passphrase(env: Environment): string {
  const text = secret(env, 'ROOT_PASSPHRASE');
  if (text === undefined) throw new ConfigError('ROOT_KEY_PROVIDER=passphrase needs ROOT_PASSPHRASE or ROOT_PASSPHRASE_FILE');
  if ([...text].length < SHORTEST_PASSPHRASE)
    throw new ConfigError(`ROOT_PASSPHRASE must have at least ${SHORTEST_PASSPHRASE} characters`);
  return text;
}

function hex(env: Environment): string {
  const text = env.ROOT_KEY?.trim() ?? '';
  if (/^[0-9a-f]{64}$/i.test(text)) return text;
  throw new ConfigError('ROOT_KEY_PROVIDER=env needs ROOT_KEY with 64 hex digits: make them with openssl rand -hex 32');
}

const needed = (env: Environment, provider: RootProvider, name: RootSetting, what: string): string => {
  const text = env[name]?.trim();
  if (text) return text;
  throw new ConfigError(`ROOT_KEY_PROVIDER=${provider} needs ${name}: ${what}`);
};

/** Master keys are sent there, so other machines need TLS. An error of `fetch` would show a password in the address. */
function serverUrl(env: Environment): string | undefined {
  const text = webUrl(env, 'ROOT_KEY_URL');
  if (text === undefined) return undefined;
  const { protocol, hostname, username, password } = new URL(text);
  if (username || password) throw new ConfigError('ROOT_KEY_URL must have no user name and no password');
  if (protocol === 'http:' && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname))
    throw new ConfigError(
      'ROOT_KEY_URL must start with https://, unless the server is on this machine: master keys are sent to it',
    );
  return text;
}

/** A part of a path at the server. */
function nameOf(text: string, name: RootSetting): string {
  if (/^[\w.-]{1,128}(\/[\w.-]{1,128}){0,7}$/.test(text) && !text.split('/').includes('..')) return text;
  throw new ConfigError(`${name} must have letters, digits, dots, dashes and slashes only`);
}

function pin(env: Environment): string {
  const text = secret(env, 'ROOT_KEY_PIN');
  if (text === undefined)
    throw new ConfigError('ROOT_KEY_PROVIDER=pkcs11 needs ROOT_KEY_PIN or ROOT_KEY_PIN_FILE: the PIN of the user');
  return text;
}

type Row<P extends RootProvider> = { settings: readonly RootSetting[]; read(env: Environment, dataDir: string): Rows[P] };

/** One row for each provider: the settings that it reads, and how. */
const PROVIDERS: { readonly [P in RootProvider]: Row<P> } = {
  file: {
    settings: ['ROOT_KEY_PATH'],
    read({ ROOT_KEY_PATH }, dataDir) {
      const path = ROOT_KEY_PATH || 'root.key';
      return { path: isAbsolute(path) ? path : join(dataDir, path) };
    },
  },
  passphrase: {
    settings: ['ROOT_PASSPHRASE', 'ROOT_PASSPHRASE_FILE'],
    read: (env) => ({ passphrase: passphrase(env) }),
  },
  env: { settings: ['ROOT_KEY'], read: (env) => ({ hex: hex(env) }) },
  shares: { settings: [], read: () => ({ key: undefined }) },
  'vault-transit': {
    settings: ['ROOT_KEY_URL', 'ROOT_KEY_NAME', 'ROOT_KEY_MOUNT', 'ROOT_KEY_NAMESPACE', 'ROOT_KEY_TOKEN_PATH'],
    read: (env) => ({
      url: serverUrl(env) ?? needed(env, 'vault-transit', 'ROOT_KEY_URL', 'the address of Vault or OpenBao'),
      mount: nameOf(env.ROOT_KEY_MOUNT || 'transit', 'ROOT_KEY_MOUNT'),
      key: nameOf(needed(env, 'vault-transit', 'ROOT_KEY_NAME', 'the name of the transit key'), 'ROOT_KEY_NAME'),
      tokenFile: needed(
        env,
        'vault-transit',
        'ROOT_KEY_TOKEN_PATH',
        'a file with a token that may encrypt and decrypt with the key',
      ),
      namespace: env.ROOT_KEY_NAMESPACE ? nameOf(env.ROOT_KEY_NAMESPACE, 'ROOT_KEY_NAMESPACE') : undefined,
    }),
  },
  'aws-kms': {
    settings: ['ROOT_KEY_NAME', 'ROOT_KEY_REGION', 'ROOT_KEY_URL'],
    read: (env) => ({
      key: needed(env, 'aws-kms', 'ROOT_KEY_NAME', 'the ARN of a symmetric key'),
      region: needed(env, 'aws-kms', 'ROOT_KEY_REGION', 'the region of the key, such as eu-central-1'),
      url: serverUrl(env),
    }),
  },
  pkcs11: {
    settings: ['ROOT_KEY_MODULE', 'ROOT_KEY_SLOT', 'ROOT_KEY_NAME', 'ROOT_KEY_PIN', 'ROOT_KEY_PIN_FILE'],
    read: (env) => ({
      module: needed(env, 'pkcs11', 'ROOT_KEY_MODULE', 'the path of the PKCS #11 library'),
      token: needed(env, 'pkcs11', 'ROOT_KEY_SLOT', 'the label of the token'),
      key: needed(env, 'pkcs11', 'ROOT_KEY_NAME', 'the label of an AES key of 256 bits on the token'),
      pin: pin(env),
    }),
  },
};

export const ROOT_PROVIDERS = Object.keys(PROVIDERS) as readonly RootProvider[];

/** A secret for another provider is refused: the operator believes that it protects the keys. */
const SECRET: { readonly [S in RootSetting]?: RootProvider } = {
  ROOT_PASSPHRASE: 'passphrase',
  ROOT_PASSPHRASE_FILE: 'passphrase',
  ROOT_KEY: 'env',
};

export function rootKey(env: Environment, dataDir: string): RootKeySettings {
  const provider = oneOf(env, 'ROOT_KEY_PROVIDER', ROOT_PROVIDERS, 'file');
  for (const [name, owner] of Object.entries(SECRET) as [RootSetting, RootProvider][])
    if (env[name] && owner !== provider)
      throw new ConfigError(
        `${name} is set, but ROOT_KEY_PROVIDER is ${provider}: set ROOT_KEY_PROVIDER=${owner}, or unset ${PROVIDERS[owner].settings.join(' and ')}`,
      );
  return { provider, ...PROVIDERS[provider].read(env, dataDir) } as RootKeySettings;
}

/** Settings of other providers than the chosen one. */
export function rootKeyWithoutEffect(env: Environment): string[] {
  const provider = (env.ROOT_KEY_PROVIDER || 'file') as RootProvider;
  const used: readonly string[] = PROVIDERS[provider]?.settings ?? ROOT_SETTINGS;
  return ROOT_SETTINGS.filter((name) => env[name] && name !== 'ROOT_KEY_PROVIDER' && !used.includes(name)).map(
    (name) => `${name} has no effect with ROOT_KEY_PROVIDER=${provider}`,
  );
}

/** For display. */
export function shownRootKey({ provider, ...settings }: RootKeySettings): Record<string, string> {
  const shown: Record<string, string> = { ROOT_KEY_PROVIDER: provider };
  const of = { ...settings } as Partial<Rows['file'] & Rows['vault-transit'] & Rows['aws-kms'] & Rows['pkcs11']>;
  const open = {
    ROOT_KEY_PATH: of.path,
    ROOT_KEY_URL: of.url,
    ROOT_KEY_NAME: of.key,
    ROOT_KEY_MOUNT: of.mount,
    ROOT_KEY_NAMESPACE: of.namespace,
    ROOT_KEY_TOKEN_PATH: of.tokenFile,
    ROOT_KEY_REGION: of.region,
    ROOT_KEY_MODULE: of.module,
    ROOT_KEY_SLOT: of.token,
  };
  for (const [name, value] of Object.entries(open)) if (value !== undefined) shown[name] = value;
  if (provider === 'passphrase') shown.ROOT_PASSPHRASE = '***';
  if (provider === 'env') shown.ROOT_KEY = '***';
  if (provider === 'pkcs11') shown.ROOT_KEY_PIN = '***';
  return shown;
}
