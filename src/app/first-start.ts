import { createECDH } from 'node:crypto';
import { join } from 'node:path';
import { createOrReadFile } from '../base/files.ts';
import type { Ids } from '../base/ids.ts';
import type { Random } from '../base/random.ts';
import type { Config } from '../config.ts';
import { newMasterKey } from '../custody/masters.ts';
import type { RootKey } from '../custody/types.ts';
import { newOrganization, ROOT_ORGANIZATION } from '../model/organization.ts';
import { newCredential, newUser } from '../model/user.ts';
import type { Store } from '../store/types.ts';

/** The content of `root-credentials.json`, with which the operator's first client authenticates. */
export type RootCredentials = {
  baseUrl: string;
  organizationId: string;
  userId: string;
  apiPublicKey: string;
  apiPrivateKey: string;
};

const FIELDS = ['baseUrl', 'organizationId', 'userId', 'apiPublicKey', 'apiPrivateKey'] as const;

/** The fields that stamping a request requires. */
export const KEY_FIELDS = ['organizationId', 'apiPublicKey', 'apiPrivateKey'] as const;

/** Parses the key file. Error messages never quote the text: it contains a private key. */
export function parseCredentials(
  text: string,
  path: string,
  fields: readonly (keyof RootCredentials)[] = FIELDS,
): RootCredentials {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`${path} is not valid JSON: restore it from your backup, or name another file`);
  }
  const missing = fields.find((field) => typeof (value as Record<string, unknown> | null)?.[field] !== 'string');
  if (missing !== undefined) throw new Error(`${path} has no ${missing}: restore it from your backup, or name another file`);
  return value as RootCredentials;
}

export function credentialsFile(config: Config): string {
  return join(config.dataDir, 'root-credentials.json');
}

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

/** `credentialsFound`: the key file already existed, from an interrupted start or another database. */
export type FirstStart = { organizationId: string; created: boolean; credentialsFound: boolean };

/**
 * Creates the root organization with one user and one P-256 API key, once per database, even if several processes start
 * together. The key file is written durably before the rows that need it, so a crash between the two loses nothing:
 * the next start finds the file and creates the rows from it.
 */
export async function firstStart(parts: {
  config: Config;
  store: Store;
  root: RootKey;
  ids: Ids;
  random: Random;
  now: number;
}): Promise<FirstStart> {
  const { config, store, root, ids, random, now } = parts;
  return store.exclusively(async (tx) => {
    if ((await tx.instance.masterKeys()).length === 0)
      await tx.instance.insertMasterKey(1, root.id, await newMasterKey(root, 1, random), now);
    const known = await tx.instance.get(ROOT_ORGANIZATION);
    if (known !== undefined) return { organizationId: known, created: false, credentialsFound: true };
    const { text, created } = createOrReadFile(
      credentialsFile(config),
      () => `${JSON.stringify(draft(config, ids, random), null, 2)}\n`,
      random(6).toString('hex'),
    );
    const made = parseCredentials(text, credentialsFile(config));
    const organization = { id: made.organizationId, parentId: null, name: 'Root organization', createdAt: now };
    await tx.organizations.insert(newOrganization({ ...organization, rootQuorum: { threshold: 1, userIds: [made.userId] } }));
    const owner = { organizationId: made.organizationId, parentId: null, createdAt: now };
    await tx.users.insert(newUser({ ...owner, id: made.userId, name: 'Root user' }));
    const credential = { id: ids.next(), userId: made.userId, type: 'CREDENTIAL_TYPE_API_KEY_P256', name: 'Root API key' };
    await tx.credentials.insert(newCredential({ ...owner, ...credential, publicKey: made.apiPublicKey }));
    await tx.instance.put(ROOT_ORGANIZATION, made.organizationId);
    return { organizationId: made.organizationId, created: true, credentialsFound: !created };
  });
}
