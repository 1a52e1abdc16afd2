/** Prepares a service for a measurement: a wallet account, and a user with policies. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Credentials, newCredentials, readCredentials, stamper } from './stamp.ts';
import type { Account, Servers } from './types.ts';

type Result = { addresses?: string[]; walletId?: string; userIds?: string[]; subOrganizationId?: string };
type Answered = { activity?: { status?: string; result?: Record<string, Result | undefined> } };

/** A request that is answered 503 may be sent again, with the same body. */
const TRIES = 10;
const PAUSE_MS = 200;

/** Sends an activity and waits for it. `text`: the answer as it came. Throws unless it was completed immediately. */
export async function submit(
  port: number,
  credentials: Credentials,
  path: string,
  body: Buffer,
): Promise<{ text: string; result: Result }> {
  const headers = { 'Content-Type': 'application/json', 'X-Stamp': stamper(credentials)(body) };
  const send = () => fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body: new Uint8Array(body) });
  let answer = await send();
  let text = await answer.text();
  for (let tries = 1; answer.status === 503 && tries < TRIES; tries++) {
    await setTimeout(PAUSE_MS);
    answer = await send();
    text = await answer.text();
  }
  if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${text.slice(0, 500)}`);
  const { activity } = JSON.parse(text) as Answered;
  if (activity?.status !== 'ACTIVITY_STATUS_COMPLETED') throw new Error(`${path} was not completed: ${text.slice(0, 500)}`);
  return { text, result: Object.values(activity.result ?? {})[0] ?? {} };
}

/** Dated before all that the load generator sends. */
export async function administer(
  port: number,
  root: Credentials,
  path: string,
  type: string,
  parameters: object,
): Promise<Result> {
  const { organizationId } = root;
  const timestampMs = String(Date.now() - 3_200_000);
  const body = Buffer.from(JSON.stringify({ type, timestampMs, organizationId, parameters }));
  return (await submit(port, root, `/public/v1/submit/${path}`, body)).result;
}

/** Its address. */
export async function createAccount(port: number, root: Credentials, account: Account, walletName = 'Bench'): Promise<string> {
  const wallet = { walletName, accounts: [account] };
  const { addresses } = await administer(port, root, 'create_wallet', 'ACTIVITY_TYPE_CREATE_WALLET', wallet);
  if (addresses?.[0] === undefined) throw new Error('create_wallet gave no address');
  return addresses[0];
}

const AT_ONCE = 100;

/**
 * Gives the service a user and a policy with each condition that allows that user, with a further approval if `further`. Loads are then to
 * be sent as that user.
 */
export async function withUser<T extends Servers>(servers: T, conditions: readonly string[], further = false): Promise<T> {
  const root = readCredentials(servers.credentialsFile);
  const [port] = servers.ports as [number, ...number[]];
  const user = newCredentials(root.organizationId);
  const apiKeys = [{ apiKeyName: 'bench', publicKey: user.apiPublicKey, curveType: 'API_KEY_CURVE_P256' }];
  const users = [{ userName: 'Bench', userTags: [], apiKeys, authenticators: [], oauthProviders: [] }];
  const { userIds } = await administer(port, root, 'create_users', 'ACTIVITY_TYPE_CREATE_USERS_V4', { users });
  const policies = conditions.map((condition, i) => ({
    policyName: `Policy ${i}`,
    effect: 'EFFECT_ALLOW',
    condition,
    consensus: `approvers.any(u, u.id == '${userIds?.[0]}')${further ? ' && approvers.count() >= 2' : ''}`,
    notes: '',
  }));
  for (let i = 0; i < policies.length; i += AT_ONCE) {
    const some = { policies: policies.slice(i, i + AT_ONCE) };
    await administer(port, root, 'create_policies', 'ACTIVITY_TYPE_CREATE_POLICIES', some);
  }
  const credentialsFile = join(dirname(servers.credentialsFile), 'user-credentials.json');
  writeFileSync(credentialsFile, JSON.stringify(user), { mode: 0o600 });
  return { ...servers, credentialsFile };
}
