import assert from 'node:assert/strict';
import { createPublicKey, ECDH, verify } from 'node:crypto';
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import { TurnkeyClient } from '@turnkey/http';
import { Turnkey } from '@turnkey/sdk-server';
import { type Answer, type Client, ethereumAccount, freshTimestamp, type Keys, resultOf } from '../support/client.ts';
import type { Instance } from '../support/instance.ts';

/** Helpers of the tests of authority: the published clients with a given key, and the objects that policies are about. */

export const publishedHttp = (instance: Instance, keys: Keys): TurnkeyClient =>
  new TurnkeyClient(
    { baseUrl: instance.url },
    new ApiKeyStamper({ apiPublicKey: keys.publicKey, apiPrivateKey: keys.privateKey }),
  );

export const publishedServer = (instance: Instance, keys: Keys, organizationId: string) =>
  new Turnkey({
    apiBaseUrl: instance.url,
    apiPublicKey: keys.publicKey,
    apiPrivateKey: keys.privateKey,
    defaultOrganizationId: organizationId,
  }).apiClient();

/** The body of an approval for @turnkey/http. */
export const approvalOf = (instance: Instance, { organizationId }: Client, fingerprint: string) => ({
  type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY' as const,
  timestampMs: freshTimestamp(instance.clock.now()),
  organizationId,
  parameters: { fingerprint },
});

export const rejectionOf = (instance: Instance, { organizationId }: Client, fingerprint: string) => ({
  type: 'ACTIVITY_TYPE_REJECT_ACTIVITY' as const,
  timestampMs: freshTimestamp(instance.clock.now()),
  organizationId,
  parameters: { fingerprint },
});

/** A policy's consensus: this user alone. */
export const approvedBy = (userId: string): string => `approvers.any(user, user.id == '${userId}')`;

export type PolicyText = { effect?: 'EFFECT_ALLOW' | 'EFFECT_DENY'; condition?: string; consensus?: string; time?: string };

let made = 0;

export const policyParameters = ({ effect = 'EFFECT_ALLOW', ...parts }: PolicyText) => ({
  policyName: `policy ${++made}`,
  effect,
  notes: '',
  ...parts,
});

/** Creates a policy as a user who needs no other approval. */
export async function newPolicy(client: Client, policy: PolicyText): Promise<string> {
  return resultOf(await client.submit('CREATE_POLICY_V3', policyParameters(policy)), 'createPolicyResult').policyId;
}

export async function newTag(client: Client, userIds: readonly string[] = [], userTagName = `tag ${++made}`): Promise<string> {
  return resultOf(await client.submit('CREATE_USER_TAG', { userTagName, userIds }), 'createUserTagResult').userTagId;
}

export async function newWallet(client: Client, accounts = 1): Promise<{ walletId: string; addresses: string[] }> {
  const parameters = {
    walletName: `wallet ${++made}`,
    accounts: Array.from({ length: accounts }, (_, i) => ethereumAccount(i)),
  };
  return resultOf(await client.submit('CREATE_WALLET', parameters), 'createWalletResult');
}

/** The id of a private key on secp256k1. */
export async function newPrivateKey(client: Client, privateKeyTags: readonly string[] = []): Promise<string> {
  const privateKeys = [{ privateKeyName: `key ${++made}`, curve: 'CURVE_SECP256K1', privateKeyTags, addressFormats: [] }];
  const result = resultOf(await client.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys }), 'createPrivateKeysResultV2');
  return result.privateKeys[0].privateKeyId;
}

export async function newKeyTag(
  client: Client,
  privateKeyIds: readonly string[] = [],
  privateKeyTagName = `key tag ${++made}`,
): Promise<string> {
  const answer = await client.submit('CREATE_PRIVATE_KEY_TAG', { privateKeyTagName, privateKeyIds });
  return resultOf(answer, 'createPrivateKeyTagResult').privateKeyTagId;
}

export const signing = (signWith: string, payload = 'c0ffee') => ({
  signWith,
  payload,
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' as const,
  hashFunction: 'HASH_FUNCTION_KECCAK256' as const,
});

export const denied = (answer: Answer, text = /^You don't have sufficient permissions to take this action\./): void => {
  assert.equal(answer.status, 403, answer.text);
  assert.equal(answer.body.code, 7);
  assert.match(answer.body.message, text);
};

/** An activity that waits: the answer's activity. */
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
export function waitingIn(answer: Answer): any {
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', answer.text);
  return answer.body.activity;
}

// biome-ignore lint/suspicious/noExplicitAny: as above
export async function activityOf(client: Client, activityId: string): Promise<any> {
  const answer = await client.query('get_activity', { activityId });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.activity;
}

/** Is this the stamp of the message by the key, as the wire shows it? */
export function stampHolds({
  message,
  publicKey,
  signature,
}: {
  message: string;
  publicKey: string;
  signature: string;
}): boolean {
  const point = ECDH.convertKey(publicKey, 'prime256v1', 'hex', undefined, 'uncompressed') as Buffer;
  const jwk = { kty: 'EC', crv: 'P-256', x: point.toString('base64url', 1, 33), y: point.toString('base64url', 33, 65) };
  return verify('sha256', Buffer.from(message), createPublicKey({ format: 'jwk', key: jwk }), Buffer.from(signature, 'hex'));
}

/** The status that a refusal of @turnkey/http carries. */
export const refusedWith =
  (code: number, text: RegExp) =>
  (error: Error & { code?: number }): boolean => {
    assert.equal(error.code, code, String(error));
    assert.match(error.message, text);
    return true;
  };
