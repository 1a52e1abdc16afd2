import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { type Answer, type Client, type Keys, newKeys, resultOf } from '../../support/client.ts';
import type { Instance } from '../../support/instance.ts';
import type { Issuer } from '../../support/oidc.ts';
import { nonceOf } from '../../support/published.ts';
import { agreed, newPair, type Pair } from '../support.ts';

/** A user with a provider, in a sub-organization. */
export type Person = {
  organizationId: string;
  userId: string;
  /** Stamps with their own API key. */
  client: Client;
  /** The parent's root user, naming the sub-organization. */
  parent: Client;
};

type Account = { sub: string; clientId?: string };

const ADD = 'CREATE_OAUTH_PROVIDERS_V2';
const ADDED = 'createOauthProvidersResultV2';

async function providerOf(userId: string, issuer: Issuer, { sub, clientId }: Account): Promise<object> {
  const oidcToken = await issuer.signIn(sub, clientId === undefined ? {} : { clientId });
  return { userId, oauthProviders: [{ providerName: 'Issuer', oidcToken }] };
}

/** The root user of a new sub-organization, who signs in at the issuer as `sub`. */
export async function newPerson(instance: Instance, issuer: Issuer, account: Account): Promise<Person> {
  const made = await instance.newSubOrganization(`Of ${account.sub}`, 1, 1);
  const client = made.clients[0]!;
  resultOf(await client.submit(ADD, await providerOf(made.userIds[0]!, issuer, account)), ADDED);
  const parent = instance.root.as(instance.root.keys, made.organizationId);
  return { organizationId: made.organizationId, userId: made.userIds[0]!, client, parent };
}

/** A pair whose second root user signs in at the issuer as `sub`. */
export async function pairWithAccount(instance: Instance, issuer: Issuer, account: Account): Promise<Pair> {
  const pair = await newPair(instance, `Pair of ${account.sub}`);
  resultOf(await agreed(pair, ADD, await providerOf(pair.userIds[1], issuer, account)), ADDED);
  return pair;
}

export type ApiKey = { apiKeyId: string; apiKeyName: string; credential: { publicKey: string; type: string } };

/** Keys of a user that logins made. */
export async function loginKeys({ client, userId }: Pick<Person, 'client' | 'userId'>): Promise<ApiKey[]> {
  const { apiKeys } = (await client.query('get_api_keys', { userId })).body as { apiKeys: ApiKey[] };
  return apiKeys.filter(({ credential }) => !credential.type.startsWith('CREDENTIAL_TYPE_API_KEY'));
}

/** The key stamps requests of this user, and is no other's. */
export async function worksFor({ client, userId, organizationId }: Person, keys: Keys): Promise<void> {
  const stamped = client.as(keys);
  const who = (await stamped.query('whoami')).body;
  assert.deepEqual([who.organizationId, who.userId], [organizationId, userId]);
  resultOf(await stamped.submit('CREATE_WALLET', { walletName: keys.publicKey, accounts: [] }), 'createWalletResult');
}

const REFUSED: Record<string, [code: string, text: RegExp]> = {
  'no nonce': ['INVALID_OIDC_TOKEN', /its nonce must be the SHA-256 of the public key’s text/],
  'the nonce of another key': ['INVALID_OIDC_TOKEN', /its nonce must be/],
  'the nonce of the bytes of the key': ['INVALID_OIDC_TOKEN', /its nonce must be/],
  'another tknonce': ['INVALID_OIDC_TOKEN', /its nonce must be/],
  expired: ['INVALID_OIDC_TOKEN', /it has expired/],
  'not valid yet': ['INVALID_OIDC_TOKEN', /it is not valid yet/],
  'alg: none': ['INVALID_OIDC_TOKEN', /must be signed with another algorithm/],
  'alg: HS256': ['INVALID_OIDC_TOKEN', /must be signed with another algorithm/],
  'an unknown kid': ['INVALID_OIDC_TOKEN', /its issuer has no key with its kid and alg/],
  'another signature': ['INVALID_OIDC_TOKEN', /its signature does not match/],
  'no issuer': ['INVALID_OIDC_TOKEN', /its iss must be/],
  'an issuer inside': ['INVALID_OIDC_TOKEN', /no public address: the operator .* OUTBOUND_ALLOW/],
  'an access token': ['INVALID_OIDC_TOKEN', /is not an ID token/],
  'no token': ['INVALID_OIDC_TOKEN', /three parts/],
  'another audience': ['FORBIDDEN', /^authentication failed: no user of this organization has an OAuth provider/],
  'another subject': ['FORBIDDEN', /^authentication failed: no user/],
};

/** Tokens that log in no user with this key, each with its refusal. `sub`: who signs in. */
export function badTokens(issuer: Issuer, sub: string, publicKey: string): [string, string, readonly [string, RegExp]][] {
  const nonce = nonceOf(publicKey);
  const now = Math.floor(Date.now() / 1000);
  const good = (claims: object = {}, header?: object) => issuer.signNow({ sub, nonce, ...claims }, header);
  const [head, payload] = good().split('.');
  const tokens: Record<keyof typeof REFUSED, string> = {
    'no nonce': good({ nonce: undefined }),
    'the nonce of another key': good({ nonce: nonceOf(newKeys().publicKey) }),
    'the nonce of the bytes of the key': good({
      nonce: createHash('sha256').update(Buffer.from(publicKey, 'hex')).digest('hex'),
    }),
    'another tknonce': good({ nonce: undefined, tknonce: nonceOf('other') }),
    expired: good({ exp: now - 100 }),
    'not valid yet': good({ nbf: now + 1000 }),
    'alg: none': `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.AA`,
    'alg: HS256': `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${payload}.AA`,
    'an unknown kid': good({}, { kid: 'unknown' }),
    'another signature': `${head}.${payload}.${good({ sub: 'other' }).split('.')[2]}`,
    'no issuer': good({ iss: undefined }),
    'an issuer inside': good({ iss: 'https://169.254.169.254' }),
    'an access token': good({}, { typ: 'at+jwt' }),
    'no token': 'no token',
    'another audience': good({ aud: 'other-client' }),
    'another subject': good({ sub: `not ${sub}` }),
  };
  return Object.entries(tokens).map(([name, token]) => [name, token, REFUSED[name]!]);
}

export const failureOf = (answer: Answer): string => answer.body.activity.failure.message;
