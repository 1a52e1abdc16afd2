import { ApiError } from '../../base/errors.ts';
import type { Vault } from '../../custody/types.ts';
import type { Organization } from '../../model/organization.ts';
import { readSession, sessionSecret } from '../../model/read-only-session.ts';
import { newCredential } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';
import type { Caller } from '../context.ts';

/** One text for every reason, so that it reveals nothing about what exists. */
const ended = () =>
  new ApiError('UNAUTHENTICATED', 'authentication failed: the session in X-Session is unknown, or has ended: create a new one');

type Search = { target: Organization; own: boolean; below: boolean; now: number };

/** Whether users of `organization` may ask about the target. */
const mayAsk = (organization: Organization, { target, own, below }: Search): boolean =>
  organization.id === target.id ? own : organization.id === target.parentId || (below && organization.parentId === target.id);

/**
 * The user who has the read-only session: of the target unless `own` is false, or of its parent. With `below`, also a user of a
 * sub-organization.
 */
export async function resolveSessionCaller(
  { read, vault }: { read: Reader; vault: Pick<Vault, 'oneTime'> },
  text: string,
  search: Search,
): Promise<Caller> {
  const given = readSession(text);
  if (given === undefined) throw ended();
  const { organizationId, id, secret } = given;
  const session = await read.readOnlySessions.get(organizationId, id);
  if (!vault.oneTime.matches(sessionSecret(given), session?.secret, secret) || session === undefined) throw ended();
  if (session.expiresAt <= search.now) throw ended();
  const organization = organizationId === search.target.id ? search.target : await read.organizations.get(organizationId);
  const user = await read.users.get(organizationId, session.userId);
  if (organization === undefined || user === undefined || !mayAsk(organization, search)) throw ended();
  const { userId, credentialId, createdAt } = session;
  // Passkeys, and keys that a token vouched for, have no list of their own.
  const other = {
    organizationId,
    id: credentialId,
    parentId: user.parentId,
    userId,
    type: '',
    name: '',
    publicKey: '',
    createdAt,
  };
  const credential = (await read.credentials.get(organizationId, credentialId)) ?? newCredential(other);
  return { organization, user, credential };
}
