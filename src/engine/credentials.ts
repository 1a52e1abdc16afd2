import type { Vote } from '../model/activity.ts';
import { ATTESTED_SCHEME, attestedCredentials } from '../model/attested.ts';
import { type Credential, passkeyCredential, type UserVersion } from '../model/user.ts';
import type { Reader } from '../store/types.ts';

type Stamped = Pick<Vote, 'userId' | 'credentialId' | 'scheme' | 'publicKey'>;

/** The credential that made a stamp, of a user of this organization, if it still exists. Most are API keys. */
export async function credentialOf(read: Reader, organizationId: string, stamped: Stamped): Promise<Credential | undefined> {
  const { userId, credentialId, scheme, publicKey } = stamped;
  if (scheme === ATTESTED_SCHEME) {
    const user = await read.users.get(organizationId, userId);
    const oauthProviders = await read.oauthProviders.listByUser(organizationId, userId);
    return user && attestedCredentials({ user, oauthProviders }, publicKey).find(({ id }) => id === credentialId);
  }
  const key = await read.credentials.get(organizationId, credentialId);
  if (key !== undefined) return key;
  const passkey = await read.authenticators.get(organizationId, credentialId);
  return passkey && passkeyCredential(passkey);
}

/** The same, among the credentials that the user had then. */
export function credentialThen(then: UserVersion, { credentialId, scheme, publicKey }: Stamped): Credential | undefined {
  const all = scheme === ATTESTED_SCHEME ? attestedCredentials(then, publicKey) : credentialsIn(then);
  return all.find(({ id }) => id === credentialId);
}

const credentialsIn = ({ credentials, authenticators }: Pick<UserVersion, 'credentials' | 'authenticators'>): Credential[] => [
  ...credentials,
  ...authenticators.map(passkeyCredential),
];

/** Every stamp that a user could make, with the credential that would make it. */
export function stampsIn(state: UserVersion): { scheme: string; credential: Credential }[] {
  const stored = credentialsIn(state).map((credential) => ({ scheme: '', credential }));
  return [...stored, ...attestedCredentials(state, '').map((credential) => ({ scheme: ATTESTED_SCHEME, credential }))];
}

export async function credentialsOf(read: Reader, organizationId: string, userId: string): Promise<Credential[]> {
  const [credentials, authenticators] = await Promise.all([
    read.credentials.listByUser(organizationId, userId),
    read.authenticators.listByUser(organizationId, userId),
  ]);
  return credentialsIn({ credentials, authenticators });
}
