import assert from 'node:assert/strict';
import { verifySessionJwtSignature } from '@turnkey/crypto';
import { type Answer, type Client, type Keys, newKeys, post, resultOf } from '../../support/client.ts';
import { publishedKey } from '../../support/published.ts';

/** Logins as clients of the published packages read them. */

export type Claims = {
  exp: number;
  public_key: string;
  session_type: string;
  user_id: string;
  organization_id: string;
  session_profile_id?: string;
  scope?: string;
};

/** What a session's token says, once the published client has verified it. */
export async function claimsOf(url: string, session: string): Promise<Claims> {
  assert.equal(await verifySessionJwtSignature(session, await publishedKey(url, 'session-signer')), true);
  const payload = session.split('.')[1]!;
  // Decoders of published clients drop these.
  assert.doesNotMatch(payload, /[-_]/);
  return JSON.parse(Buffer.from(payload, 'base64').toString());
}

/** Logs in with the client's own key. */
export async function login(
  client: Client,
  more: object = {},
  keys: Keys = newKeys(),
): Promise<{ client: Client; session: string }> {
  const { session } = resultOf(await client.submit('STAMP_LOGIN', { publicKey: keys.publicKey, ...more }), 'stampLoginResult');
  return { client: client.as(keys), session };
}

/** Answers 200, or the code of its refusal. */
export async function mayAsk(client: Client): Promise<200 | string> {
  const { status, body } = await client.query('whoami');
  return status === 200 ? 200 : body.details[0].turnkeyErrorCode;
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
export async function apiKeysOf(client: Client, userId: string): Promise<any[]> {
  return (await client.query('get_api_keys', { userId })).body.apiKeys;
}

/** Sends a body with a read-only session in place of a stamp. */
export const withSession = (client: Client, session: string, path: string, body: string): Promise<Answer> =>
  post(`${client.url}${path}`, body, { 'x-session': session });

export const askWith = (client: Client, session: string, name = 'whoami', parameters: object = {}): Promise<Answer> =>
  withSession(
    client,
    session,
    `/public/v1/query/${name}`,
    JSON.stringify({ organizationId: client.organizationId, ...parameters }),
  );
