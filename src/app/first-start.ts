import { createECDH } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createOrReadFile } from '../base/files.ts';
import type { Ids } from '../base/ids.ts';
import type { Random } from '../base/random.ts';
import type { Config } from '../config.ts';
import type { RootKey } from '../custody/types.ts';
import { newOrganization, ROOT_ORGANIZATION, TOP_LEVEL_FEATURES } from '../model/organization.ts';
import { apiKeyCredentialType, newCredential, newUser } from '../model/user.ts';
import type { Store } from '../store/types.ts';
import { credentialsFile, parseCredentials, type RootCredentials } from './root-credentials.ts';

function draft(config: Config, ids: Ids, random: Random): RootCredentials {
  const ecdh = createECDH('prime256v1');
  for (;;) {
    try {
      ecdh.setPrivateKey(random(32));
      break;
    } catch {
      // One draw in 2^32 is not a valid private key.
    }
  }
  return {
    baseUrl: config.baseUrl,
    organizationId: ids.next(),
    userId: ids.next(),
    apiPublicKey: ecdh.getPublicKey('hex', 'compressed'),
    apiPrivateKey: ecdh.getPrivateKey('hex').padStart(64, '0'),
  };
}

/** `credentialsFound`: the key file already existed. `unusedKey`: `ROOT_USER_PUBLIC_KEY` is no key of the root organization. */
export type FirstStart = { organizationId: string; created: boolean; credentialsFound: boolean; unusedKey: boolean };

/** `wrapped`: a master key under `root`, for a database without one. */
type Parts = {
  config: Config;
  store: Store;
  root: RootKey;
  wrapped: Buffer | undefined;
  ids: Ids;
  random: Random;
  now: number;
};

type RootUser = { organizationId: string; userId: string; publicKey: string; type: string };

/**
 * The root user's key, and the ids. Without a key from the operator one is made, and written durably before the rows that need it.
 * A crash between the two loses nothing: the next start finds the file and creates the rows from it.
 */
function rootUser({ config, ids, random }: Parts): { user: RootUser; found: boolean } {
  const file = credentialsFile(config);
  if (config.rootUserKey !== undefined) {
    const { curve, publicKey } = config.rootUserKey;
    const user = { organizationId: ids.next(), userId: ids.next(), publicKey, type: apiKeyCredentialType(curve) };
    return { user, found: existsSync(file) };
  }
  const make = () => `${JSON.stringify(draft(config, ids, random), null, 2)}\n`;
  const { text, created } = createOrReadFile(file, make, random(6).toString('hex'));
  const { organizationId, userId, apiPublicKey: publicKey } = parseCredentials(text, file);
  return { user: { organizationId, userId, publicKey, type: 'CREDENTIAL_TYPE_API_KEY_P256' }, found: !created };
}

/**
 * Creates the root organization with one user and one API key, once per database, even if several processes start together.
 */
export async function firstStart(parts: Parts): Promise<FirstStart> {
  const { config, store, root, wrapped, ids, now } = parts;
  return store.exclusively(async (tx) => {
    if (wrapped !== undefined && (await tx.instance.masterKeys()).length === 0)
      await tx.instance.insertMasterKey({ version: 1, rootId: root.id, wrapped, state: 'live', createdAt: now });
    const known = await tx.instance.get(ROOT_ORGANIZATION);
    if (known !== undefined) {
      const { rootUserKey } = config;
      const unusedKey = rootUserKey && (await tx.credentials.holder(known, rootUserKey.publicKey)) === undefined;
      return { organizationId: known, created: false, credentialsFound: true, unusedKey: unusedKey ?? false };
    }
    const { user, found } = rootUser(parts);
    const { organizationId, userId, publicKey, type } = user;
    const organization = { id: organizationId, parentId: null, name: 'Root organization', createdAt: now };
    await tx.organizations.insert(
      newOrganization({ ...organization, features: { ...TOP_LEVEL_FEATURES }, rootQuorum: { threshold: 1, userIds: [userId] } }),
    );
    const owner = { organizationId, parentId: null, createdAt: now };
    await tx.users.insert(newUser({ ...owner, id: userId, name: 'Root user' }));
    await tx.credentials.insert(newCredential({ ...owner, id: ids.next(), userId, type, name: 'Root API key', publicKey }));
    await tx.instance.put(ROOT_ORGANIZATION, organizationId);
    return { organizationId, created: true, credentialsFound: found, unusedKey: false };
  });
}

/** The warnings of the first start for the log. */
export function firstStartWarnings({ rootUserKey }: Config, { created, credentialsFound, unusedKey }: FirstStart): string[] {
  if (unusedKey)
    return [
      'ROOT_USER_PUBLIC_KEY has no effect: the root organization already exists and does not have this key. Add the key with create_api_keys, or unset the setting',
    ];
  if (!created || !credentialsFound) return [];
  const what =
    rootUserKey === undefined
      ? 'was created with the existing key file'
      : 'has the key of ROOT_USER_PUBLIC_KEY, not that of the existing key file';
  return [
    `the database was empty, and its root organization ${what}. If it should have your data, check DATABASE_URL and DATA_DIR`,
  ];
}
