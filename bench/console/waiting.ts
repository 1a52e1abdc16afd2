/** People with consoles in a service that is measured, and a request that waits. Its review is much work. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { clientOf } from '../../tests/support/client.ts';
import { administer, createAccount, withUser } from '../prepare.ts';
import { newCredentials, readCredentials } from '../stamp.ts';
import type { Servers } from '../types.ts';
import { createSigners } from '../webhooks/organizations.ts';
import { ETHEREUM } from '../workloads.ts';

const POLICIES = 20;
const PAYLOADS = 100;

/** The same service for another organization, a sub-organization of the one that signs. */
export async function inAnother(servers: Servers): Promise<Servers> {
  const [signer] = await createSigners(servers.ports[0]!, readCredentials(servers.credentialsFile), 1);
  const folder = join(dirname(servers.credentialsFile), 'another');
  mkdirSync(folder);
  const credentialsFile = join(folder, 'root-credentials.json');
  writeFileSync(credentialsFile, JSON.stringify(signer!.credentials), { mode: 0o600 });
  return { ...servers, credentialsFile, signWith: signer!.signWith };
}

/** Gives the file with credentials of that many users. A user has a few streams only. */
export async function withConsoles(servers: Servers, count: number): Promise<string> {
  const [port] = servers.ports as [number, ...number[]];
  const root = readCredentials(servers.credentialsFile);
  const conditions = Array<string>(POLICIES).fill("activity.kind == 'SIGN_RAW_PAYLOADS'");
  const { credentialsFile } = await withUser(servers, conditions, true);
  const { organizationId, apiPublicKey: publicKey, apiPrivateKey: privateKey } = readCredentials(credentialsFile);
  const signWith = await createAccount(port, root, ETHEREUM, 'Consoles');
  const client = clientOf(`http://127.0.0.1:${port}`, { publicKey, privateKey }, organizationId);
  const payloads = Array.from({ length: PAYLOADS }, (_, i) => `payment ${i}`);
  const how = { encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_KECCAK256' };
  const { body, text } = await client.submit('SIGN_RAW_PAYLOADS', { signWith, payloads, ...how });
  if (body?.activity?.status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED') throw new Error(`it does not wait: ${text}`);
  const people = Array.from({ length: count }, () => newCredentials(organizationId));
  const users = people.map((one, i) => ({
    ...{ userName: `Console ${i}`, userTags: [], authenticators: [], oauthProviders: [] },
    apiKeys: [{ apiKeyName: 'bench', publicKey: one.apiPublicKey, curveType: 'API_KEY_CURVE_P256' }],
  }));
  await administer(port, root, 'create_users', 'ACTIVITY_TYPE_CREATE_USERS_V4', { users });
  const file = join(dirname(credentialsFile), 'console-credentials.json');
  writeFileSync(file, JSON.stringify(people), { mode: 0o600 });
  return file;
}
