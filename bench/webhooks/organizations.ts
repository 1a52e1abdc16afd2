/** Sub-organizations that sign, with and without webhook endpoints. */
import { type Agent, request } from 'node:http';
import { submit } from '../prepare.ts';
import { type Credentials, newCredentials, stamper } from '../stamp.ts';
import { bodyOf, signRawPayload } from '../workloads.ts';

export type Signer = { credentials: Credentials; signWith: string };

const AT_ONCE = 8;

export async function each<T, R>(items: readonly T[], run: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let i = next++; i < items.length; i = next++) results[i] = await run(items[i]!, i);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

export const bodyIn = (organizationId: string, type: string, parameters: object): Buffer =>
  Buffer.from(JSON.stringify({ type, organizationId, timestampMs: String(Date.now()), parameters }));

/** Each has a root user with a key of its own, and a wallet account. */
export function createSigners(port: number, root: Credentials, count: number): Promise<Signer[]> {
  const path = '/public/v1/submit/create_sub_organization';
  return each(Array.from({ length: count }), async (_, i) => {
    const { apiPublicKey, apiPrivateKey } = newCredentials('');
    const apiKeys = [{ apiKeyName: 'key', publicKey: apiPublicKey, curveType: 'API_KEY_CURVE_P256' }];
    const body = bodyIn(root.organizationId, 'ACTIVITY_TYPE_CREATE_SUB_ORGANIZATION_V8', {
      subOrganizationName: `Customer ${i}`,
      rootQuorumThreshold: 1,
      rootUsers: [{ userName: 'Root', apiKeys, authenticators: [], oauthProviders: [] }],
      wallet: { walletName: 'Wallet', accounts: [signRawPayload.account] },
    });
    const { result, text } = await submit(port, root, path, body);
    const signWith = /0x[0-9a-fA-F]{40}/.exec(text)![0];
    return { credentials: { organizationId: result.subOrganizationId!, apiPublicKey, apiPrivateKey }, signWith };
  });
}

/** Gives each signer's organization endpoints that receive its activities. `types`: these alone. */
export async function createEndpoints(
  port: number,
  signers: readonly Signer[],
  count: number,
  receiver: number,
  types?: readonly string[],
): Promise<void> {
  const path = '/public/v1/submit/create_webhook_endpoint';
  await each(signers, async ({ credentials }) => {
    for (let i = 0; i < count; i++) {
      const parameters = {
        name: `Endpoint ${i}`,
        url: `http://127.0.0.1:${receiver}/${i}`,
        subscriptions: [
          { eventType: 'ACTIVITY_UPDATES', ...(types && { filtersJson: JSON.stringify({ activityType: types }) }) },
        ],
      };
      const body = bodyIn(credentials.organizationId, 'ACTIVITY_TYPE_CREATE_WEBHOOK_ENDPOINT', parameters);
      await submit(port, credentials, path, body);
    }
  });
}

export type Request = { body: Buffer; stamp: string };

/** Requests of all signers in turn, each with a time of its own. */
export function requestsOf(signers: readonly Signer[], count: number): Request[] {
  const stamps = signers.map(({ credentials }) => stamper(credentials));
  const now = Date.now();
  return Array.from({ length: count }, (_, i) => {
    const { credentials, signWith } = signers[i % signers.length]!;
    const body = bodyOf(signRawPayload, credentials.organizationId, signWith, i, now - count + i);
    return { body, stamp: stamps[i % signers.length]!(body) };
  });
}

export function send(port: number, agent: Agent, { body, stamp }: Request): Promise<void> {
  return new Promise((done, fail) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length, 'x-stamp': stamp };
    const sent = request({ port, host: '127.0.0.1', path: signRawPayload.path, method: 'POST', agent, headers }, (answer) => {
      answer.resume().once('end', () => (answer.statusCode === 200 ? done() : fail(new Error(`answered ${answer.statusCode}`))));
    });
    sent.once('error', fail).end(body);
  });
}
