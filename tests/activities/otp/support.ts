import assert from 'node:assert/strict';
import { encryptOtpCodeToBundle } from '@turnkey/crypto';
import { type Answer, type Client, type Keys, newKeys, resultOf, userWith } from '../../support/client.ts';
import type { Instance } from '../../support/instance.ts';
import type { MailServer } from '../../support/mail.ts';
import { publishedKey } from '../../support/published.ts';
import { refused } from '../../support/refusals.ts';
import { clientSignature } from '../tokens.ts';

/** How published clients call a user of mail. */
export const ask = (contact: string, more: object = {}) => ({ otpType: 'OTP_TYPE_EMAIL', contact, appName: 'Sample', ...more });

export type Initiated = { otpId: string; otpEncryptionTargetBundle: string };

export const initiate = async (client: Client, contact: string, more: object = {}): Promise<Initiated> =>
  resultOf(await client.submit('INIT_OTP_V3', ask(contact, more)), 'initOtpResultV2');

/** As the first two versions have it: the code is verified in the clear. */
export const initiateInTheClear = async (client: Client, contact: string, more: object = {}): Promise<string> =>
  resultOf(await client.submit('INIT_OTP_V2', ask(contact, more)), 'initOtpResultV2').otpId;

/** What the published client sends to VERIFY_OTP_V2. */
export async function sealed(client: Client, code: string, { otpId, otpEncryptionTargetBundle }: Initiated, publicKey: string) {
  const override = await publishedKey(client.url, 'otp-signer');
  return { otpId, encryptedOtpBundle: await encryptOtpCodeToBundle(code, otpEncryptionTargetBundle, publicKey, override) };
}

export const verifySealed = async (client: Client, code: string, about: Initiated, keys: Keys, more: object = {}) =>
  client.submit('VERIFY_OTP_V2', { ...(await sealed(client, code, about, keys.publicKey)), ...more });

/** A code of another value that is as well formed. */
export const otherThan = (code: string, nth = 1): string =>
  [...code].map((letter, i) => (i < nth ? (letter === '2' ? '3' : '2') : letter)).join('');

export const invalidCode = (answer: Answer, field: string): void =>
  refused(answer, [400, 'REQUEST_INVALID', /^Invalid OTP code: /], field);

/** A verification token for a contact, by the whole flow. */
export async function tokenFor(client: Client, mail: MailServer, contact: string, keys: Keys): Promise<string> {
  const initiated = await initiate(client, contact);
  const answer = await verifySealed(client, await mail.nextCode(contact), initiated, keys);
  return resultOf(answer, 'verifyOtpResult').verificationToken;
}

// biome-ignore lint/suspicious/noExplicitAny: claims are looked into freely by tests
export const claimsOf = (jwt: string): any => JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString('utf8'));

/** What published clients sign for a login. */
export const loginSignature = (keys: Keys, verificationToken: string, publicKey: string) =>
  clientSignature(
    keys,
    JSON.stringify({ login: { publicKey }, tokenId: claimsOf(verificationToken).id, type: 'USAGE_TYPE_LOGIN' }),
  );

/** Parameters of OTP_LOGIN_V2 for a new session key. */
export function login(verificationToken: string, keys: Keys, session: Keys, more: object = {}) {
  const { publicKey } = session;
  return { verificationToken, publicKey, clientSignature: loginSignature(keys, verificationToken, publicKey), ...more };
}

/** A request that is stamped with the key is answered: it is this user's. */
export async function stampsAs(client: Client, keys: Keys, userId: string): Promise<void> {
  const { status, body, text } = await client.as(keys).query('whoami');
  assert.equal(status, 200, text);
  assert.deepEqual([body.userId, body.organizationId], [userId, client.organizationId]);
}

export type Household = { organizationId: string; userId: string; own: Client; parent: Client };

/** A sub-organization whose root user has these contacts, and a key. */
export async function household(instance: Instance, contacts: object, more: object = {}): Promise<Household> {
  const keys = newKeys();
  const rootUsers = [userWith('Somebody', [keys], contacts)];
  const parameters = { subOrganizationName: 'Household', rootQuorumThreshold: 1, rootUsers, ...more };
  const answer = await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', parameters);
  const { subOrganizationId, rootUserIds } = resultOf(answer, 'createSubOrganizationResultV8');
  return {
    organizationId: subOrganizationId,
    userId: rootUserIds[0],
    own: instance.root.as(keys, subOrganizationId),
    parent: instance.root.as(instance.root.keys, subOrganizationId),
  };
}

/** Messages of an instance with DEV_OUTBOX=1, the newest first. */
export async function outboxOf(client: Client): Promise<{ channel: string; to: string; text: string }[]> {
  const response = await fetch(`${client.url}/dev/outbox`);
  assert.equal(response.status, 200);
  return ((await response.json()) as { messages: [] }).messages;
}
