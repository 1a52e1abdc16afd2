/** Logins: the users, and their tokens and keys. In the service they are users of sub-organizations; the floor has none. */
import { randomBytes, randomUUID, sign } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { envelope } from '../src/custody/envelope.ts';
import { openMasterKeys } from '../src/custody/masters.ts';
import { fileRoot } from '../src/custody/roots/file.ts';
import type { ServiceKeys } from '../src/custody/service-keys.ts';
import type { TokenVault } from '../src/custody/types.ts';
import { vault } from '../src/custody/vault.ts';
import { mintVerificationToken } from '../src/login/tokens/verification-token.ts';
import { openReadOnly } from '../src/store/store.ts';
import { administer } from './prepare.ts';
import { floorKeys, newCredentials, privateKeyOf, readCredentials } from './stamp.ts';
import type { Mint, Person, Servers } from './types.ts';

/** `databaseUrl`: of the service. Undefined: SQLite in the folder. `isFloor`: it takes tokens of `floorKeys`. */
type People = { people: Person[]; databaseUrl?: string | undefined; isFloor?: true };

const FILE = 'people.json';
const fileBeside = (credentialsFile: string) => join(dirname(credentialsFile), FILE);

function writePeople(credentialsFile: string, people: People): void {
  writeFileSync(fileBeside(credentialsFile), JSON.stringify(people), { mode: 0o600 });
}

/** The floor reads the same requests, and has no users. */
export function writeFloorsPerson(credentialsFile: string): void {
  writePeople(credentialsFile, { people: [{ ...readCredentials(credentialsFile), email: 'floor@example.com' }], isFloor: true });
}

/** Gives the service sub-organizations with one user each, who have an API key and an email address. */
export async function addPeople(
  { credentialsFile, ports }: Servers,
  count: number,
  databaseUrl: string | undefined,
): Promise<void> {
  const root = readCredentials(credentialsFile);
  const people: Person[] = [];
  for (let i = 0; i < count; i++) {
    const keys = newCredentials('');
    const email = `person-${i}@example.com`;
    const apiKeys = [{ apiKeyName: 'key', publicKey: keys.apiPublicKey, curveType: 'API_KEY_CURVE_P256' }];
    const user = { userName: 'Person', userEmail: email, apiKeys, authenticators: [], oauthProviders: [] };
    const parameters = { subOrganizationName: `Of person ${i}`, rootQuorumThreshold: 1, rootUsers: [user] };
    const type = 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8';
    const { subOrganizationId } = await administer(ports[0]!, root, 'create_sub_organization', type, parameters);
    people.push({ ...keys, organizationId: subOrganizationId!, email });
  }
  writePeople(credentialsFile, { people, databaseUrl });
}

function floorsVault(): TokenVault {
  const key = privateKeyOf(floorKeys());
  return { signToken: (_, data) => sign('sha256', data, { key, dsaEncoding: 'ieee-p1363' }) };
}

/** The service's own: a mail and a code for each of many thousand tokens would be measured too. */
async function servicesVault(folder: string, url: string | undefined): Promise<TokenVault> {
  const store = openReadOnly({ folder, url });
  try {
    const root = fileRoot(join(folder, 'root.key'), randomBytes);
    const masters = await openMasterKeys(root, await store.read.instance.masterKeys());
    const services = Object.fromEntries((await store.read.instance.serviceKeys()).map((row) => [row.name, row])) as ServiceKeys;
    return vault(envelope(masters, randomBytes), randomBytes, services, () => Buffer.alloc(37)).tokens;
  } finally {
    await store.close();
  }
}

export type Guests = { people: readonly Person[]; mint: Mint };

/** The users that log in to the servers whose credentials this file has. */
export async function guestsOf(credentialsFile: string): Promise<Guests> {
  const { people, databaseUrl, isFloor } = JSON.parse(readFileSync(fileBeside(credentialsFile), 'utf8')) as People;
  const tokens = isFloor ? floorsVault() : await servicesVault(dirname(credentialsFile), databaseUrl);
  const { organizationId } = readCredentials(credentialsFile);
  const expiresAt = Date.now() + 3_600_000;
  return {
    people,
    mint({ email: contact }, { publicKey }) {
      const id = randomUUID();
      const token = { kind: 'enclave', id, organizationId, type: 'OTP_TYPE_EMAIL', contact, publicKey, expiresAt } as const;
      return { id, token: mintVerificationToken(tokens, token) };
    },
  };
}
