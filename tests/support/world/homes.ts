import { DEFAULT_LIMITS } from '../../../src/model/limits.ts';
import { SoftAuthenticator } from '../authenticator.ts';
import { apiKey, newKeys, post, resultOf, submitPath, userWith } from '../client.ts';
import type { Instance } from '../instance.ts';
import { issuerEnv } from './issuer.ts';
import type { Home } from './kinds.ts';

let labels = 0;

const anyLabel = (): string => `own ${++labels}`;

/** The root organization. */
export const homeOf = (instance: Instance): Home => {
  return { instance, client: instance.root, userId: instance.credentials.userId, label: anyLabel };
};

/** A new sub-organization, of the root organization unless `parent` says of which. With a label, everything in it is called that. */
export async function newHome(instance: Instance, name: string, label?: string, parent = instance.root): Promise<Home> {
  const keys = newKeys();
  const parameters = { subOrganizationName: name, rootQuorumThreshold: 1, rootUsers: [userWith(name, [keys])] };
  const made = resultOf(await parent.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
  const client = instance.root.as(keys, made.subOrganizationId);
  return { instance, client, userId: made.rootUserIds[0], label: label === undefined ? anyLabel : () => label };
}

/** A new top-level organization, which is no business of the root organization. Needs ALLOW_CREATE_ORGANIZATION. */
export async function newTopLevel(instance: Instance, name: string, label?: string): Promise<Home> {
  const passkey = new SoftAuthenticator();
  const keys = newKeys();
  const stamped = (path: string, body: string) => post(`${instance.url}${path}`, body, passkey.stamp(body));
  const parameters = { organizationName: name, rootEmail: 'root@example.com', rootAuthenticator: passkey.register() };
  const made = await stamped(submitPath('CREATE_ORGANIZATION'), instance.root.bodyOf('CREATE_ORGANIZATION_V2', parameters));
  const { organizationId } = resultOf(made, 'createOrganizationResult');
  const { userId } = (await stamped('/public/v1/query/whoami', JSON.stringify({ organizationId }))).body;
  const client = instance.root.as(keys, organizationId);
  const key = client.bodyOf('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(keys)] });
  resultOf(await stamped(submitPath('CREATE_API_KEYS'), key), 'createApiKeysResult');
  return { instance, client, userId, label: label === undefined ? anyLabel : () => label };
}

/** Settings with which every operation is open, and no test of many operations meets a limit. */
export const roomy: Record<string, string> = {
  ...issuerEnv,
  ALLOW_CREATE_ORGANIZATION: '1',
  OTP_SANDBOX: '1',
  // No node answers there, so sends wait.
  RPC_URL_EIP155_31337: 'http://127.0.0.1:9',
  RPC_URL_SOLANA_DEVNET: 'http://127.0.0.1:9',
  ...Object.fromEntries(
    Object.keys(DEFAULT_LIMITS).map((name) => [`LIMIT_${name.replace(/[A-Z]/g, '_$&').toUpperCase()}`, '100000000']),
  ),
};

/** Queries that ask others. No node of a network answers in this world, and no registry is allowed. */
const ASKS_OTHERS: ReadonlyMap<string, number> = new Map([
  ['get_wallet_address_balances', 503],
  ['validate_tvc_image', 400],
]);

/** The status of an answer to a caller who may ask. */
export const okOf = (query: string): number => ASKS_OTHERS.get(query) ?? 200;
