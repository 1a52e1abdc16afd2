import { type Credential, passkeyCredential, type UserVersion } from '../model/user.ts';
import type { Reader } from '../store/types.ts';

/** A credential of any sort by its id. Most are API keys. */
export async function credentialOf(read: Reader, organizationId: string, id: string): Promise<Credential | undefined> {
  const key = await read.credentials.get(organizationId, id);
  if (key !== undefined) return key;
  const passkey = await read.authenticators.get(organizationId, id);
  return passkey && passkeyCredential(passkey);
}

export const credentialsIn = ({ credentials, authenticators = [] }: Omit<UserVersion, 'user' | 'tags'>): Credential[] => [
  ...credentials,
  ...authenticators.map(passkeyCredential),
];

/** All credentials of a user. */
export async function credentialsOf(read: Reader, organizationId: string, userId: string): Promise<Credential[]> {
  const [credentials, authenticators] = await Promise.all([
    read.credentials.listByUser(organizationId, userId),
    read.authenticators.listByUser(organizationId, userId),
  ]);
  return credentialsIn({ credentials, authenticators });
}
