import { samples } from '../../support/all-samples.ts';
import { type Client, newKeys, resultOf, userWith } from '../../support/client.ts';

/** A user of the client's organization, with one API key. */
export async function newUser(client: Client, name: string): Promise<{ userId: string; apiKeyId: string; client: Client }> {
  const keys = newKeys();
  const users = [{ ...userWith(name, [keys]), userTags: [] }];
  const { userIds } = resultOf(await client.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  const { apiKeys } = (await client.query('get_api_keys', { userId: userIds[0] })).body;
  return { userId: userIds[0], apiKeyId: apiKeys[0].apiKeyId, client: client.as(keys) };
}

const SAMPLE = samples('CREATE_MFA_POLICY') as object;

export const policyFor = (userId: string, more: object = {}): object => ({
  ...SAMPLE,
  userId,
  requiredAuthenticationMethods: [{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] }],
  ...more,
});

export async function newPolicy(client: Client, userId: string, more: object = {}): Promise<string> {
  const made = await client.submit('CREATE_MFA_POLICY', policyFor(userId, more));
  return resultOf(made, 'createMfaPolicyResult').mfaPolicyId;
}

// biome-ignore lint/suspicious/noExplicitAny: results are looked into freely by tests
export async function policiesOf(client: Client, userId: string): Promise<any[]> {
  return (await client.query('get_mfa_policies', { userId })).body.mfaPolicies;
}
