import { attestedContact } from '../../model/attested.ts';
import { featureIsOn, type Organization } from '../../model/organization.ts';
import { type Credential, newCredential, type User } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';
import { CONTACT_FEATURES } from './attested-caller.ts';
import type { StreamTicket } from './stream-ticket.ts';

/** The user's side of a stream. `endsAt`: when the credential or session ends by itself. Null: never. */
export type StreamHolder = { organization: Organization; credential: Credential; endsAt: number | null };

const earlier = (a: number | null, b: number | null): number | null => (a === null ? b : b === null ? a : Math.min(a, b));

/** Passkeys, and contacts and providers that attest a stamp, have no row among the credentials. */
async function otherCredential(
  read: Reader,
  organization: Organization,
  user: User,
  id: string,
): Promise<Credential | undefined> {
  const { organizationId, parentId, id: userId, createdAt } = user;
  const whose = { organizationId, parentId, userId, createdAt, id, type: '', name: '', publicKey: '' };
  const credential = newCredential(whose);
  const contact = attestedContact(user, credential);
  if (contact !== undefined) return featureIsOn(organization, CONTACT_FEATURES[contact]) ? credential : undefined;
  const row = (await read.authenticators.get(organizationId, id)) ?? (await read.oauthProviders.get(organizationId, id));
  return row?.userId === userId ? credential : undefined;
}

/** The holder of a ticket. Undefined if the user, the credential, the session or the feature is gone. */
export async function streamHolder(read: Reader, ticket: StreamTicket, now: number): Promise<StreamHolder | undefined> {
  const { ownerId, userId, credentialId, sessionId } = ticket;
  const organization = await read.organizations.get(ownerId);
  const user = await read.users.get(ownerId, userId);
  if (organization === undefined || user === undefined) return undefined;
  const session = sessionId === null ? undefined : await read.readOnlySessions.get(ownerId, sessionId);
  if (sessionId !== null && session === undefined) return undefined;
  const row = await read.credentials.get(ownerId, credentialId);
  const credential = row ?? (await otherCredential(read, organization, user, credentialId));
  if (credential === undefined) return undefined;
  // A session lasts for its own time, not for that of its credential.
  const endsAt = session === undefined ? earlier(ticket.endsAt, credential.expiresAt) : session.expiresAt;
  return endsAt !== null && endsAt <= now ? undefined : { organization, credential, endsAt };
}
