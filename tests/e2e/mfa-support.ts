import assert from 'node:assert/strict';
import { newToken } from '../activities/tokens.ts';
import { attested } from '../support/attested.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { type Answer, type Client, type Keys, newKeys, resultOf, userWith } from '../support/client.ts';
import type { Instance } from '../support/instance.ts';
import { byPasskey } from '../support/passkey-client.ts';

/** Whatever a user stamps with. */
export type Stamper = {
  submit(type: string, parameters: unknown): Promise<Answer>;
  query(name: string, parameters?: object): Promise<Answer>;
  send(path: string, body: string): Promise<Answer>;
};

export type Person = {
  userId: string;
  keys: Keys;
  apiKeyId: string;
  email: string;
  phone: string;
  byKey: Client;
  byPasskey: Stamper;
  passkeyId: string;
  /** By a code: each time another key. */
  byEmail(): Stamper;
  bySms(): Stamper;
  /** By a session that the user's API key made. */
  bySession(sessionProfileId?: string): Promise<Client>;
};

export type Place = { organizationId: string; people: Person[]; client: Client };

let made = 0;

export const method = (type: string, id?: string) => ({
  type: `AUTHENTICATION_TYPE_${type}`,
  ...(id === undefined ? {} : { id }),
});
/** One step for each list: one of its methods is enough. */
export const steps = (...all: object[][]) => all.map((any) => ({ any }));

async function personOf(instance: Instance, client: Client, userId: string, keys: Keys, contacts: Contacts): Promise<Person> {
  const authenticator = new SoftAuthenticator();
  const byKey = client.as(keys);
  const added = await byKey.submit('CREATE_AUTHENTICATORS_V2', { userId, authenticators: [authenticator.register()] });
  const { authenticatorIds } = resultOf(added, 'createAuthenticatorsResult');
  const { apiKeys } = (await byKey.query('get_api_keys', { userId })).body;
  const byCode = (contact: string) => {
    const own = newKeys();
    return attested(byKey, own, { verificationToken: newToken(instance, contact, own).jwt });
  };
  return {
    userId,
    keys,
    apiKeyId: apiKeys[0].apiKeyId,
    email: contacts.userEmail,
    phone: contacts.userPhoneNumber,
    byKey,
    byPasskey: byPasskey(byKey, authenticator),
    passkeyId: authenticatorIds[0],
    byEmail: () => byCode(contacts.userEmail),
    bySms: () => byCode(contacts.userPhoneNumber),
    async bySession(sessionProfileId) {
      const session = newKeys();
      const asked = { publicKey: session.publicKey, ...(sessionProfileId ? { sessionProfileId } : {}) };
      resultOf(await byKey.submit('STAMP_LOGIN', asked), 'stampLoginResult');
      return byKey.as(session);
    },
  };
}

type Contacts = { userEmail: string; userPhoneNumber: string };
const newContacts = (): Contacts => ({
  userEmail: `mfa${++made}@example.com`,
  userPhoneNumber: `+1415555${String(1000 + made)}`,
});

/** A sub-organization with root users, each with an API key, a passkey, an email address and a phone number. */
export async function newPlace(instance: Instance, users: number, threshold = 1, more: object[] = []): Promise<Place> {
  const keys = Array.from({ length: users }, newKeys);
  const contacts = keys.map(newContacts);
  const parameters = {
    subOrganizationName: `MFA ${++made}`,
    rootQuorumThreshold: 1,
    rootUsers: keys.map((own, i) => ({ ...userWith(`Root ${i}`, [own]), ...contacts[i], ...more[i] })),
  };
  const sub = resultOf(await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', parameters), 'createSubOrganizationResultV8');
  const client = instance.root.as(keys[0]!, sub.subOrganizationId);
  const people: Person[] = [];
  for (const [i, own] of keys.entries()) people.push(await personOf(instance, client, sub.rootUserIds[i], own, contacts[i]!));
  if (threshold > 1)
    resultOf(await client.submit('UPDATE_ROOT_QUORUM', { threshold, userIds: sub.rootUserIds }), 'updateRootQuorumResult');
  return { organizationId: sub.subOrganizationId, people, client };
}

/** A user outside the quorum. */
export async function newMember(instance: Instance, client: Client): Promise<Person> {
  const keys = newKeys();
  const contacts = newContacts();
  const users = [{ ...userWith(`Member ${++made}`, [keys]), userTags: [], ...contacts }];
  const { userIds } = resultOf(await client.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  return personOf(instance, client, userIds[0], keys, contacts);
}

export async function newMfa(
  client: Stamper,
  { userId }: Pick<Person, 'userId'>,
  requiredAuthenticationMethods: object[],
  more: object = {},
): Promise<string> {
  const policy = { mfaPolicyName: `mfa ${++made}`, condition: 'true', order: 0, requiredAuthenticationMethods, ...more };
  const answer = await client.submit('CREATE_MFA_POLICY', { userId, ...policy });
  return resultOf(answer, 'createMfaPolicyResult').mfaPolicyId;
}

export const TAG = 'CREATE_USER_TAG';
export const tag = (userIds: string[] = []) => ({ userTagName: `tag ${++made}`, userIds });

export const statusOf = (answer: Answer): string => {
  assert.equal(answer.status, 200, answer.text);
  return answer.body.activity.status.replace('ACTIVITY_STATUS_', '');
};

/** The activity waits for further stamps of a user. */
export function open(answer: Answer): { id: string; fingerprint: string } {
  assert.equal(statusOf(answer), 'AUTHENTICATORS_NEEDED', answer.text);
  return answer.body.activity;
}

export function done(answer: Answer): void {
  assert.equal(statusOf(answer), 'COMPLETED', answer.text);
}

export const approve = (by: Stamper, { fingerprint }: { fingerprint: string }): Promise<Answer> =>
  by.submit('APPROVE_ACTIVITY', { fingerprint });

export const reject = (by: Stamper, { fingerprint }: { fingerprint: string }): Promise<Answer> =>
  by.submit('REJECT_ACTIVITY', { fingerprint });
