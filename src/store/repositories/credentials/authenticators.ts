import type { Authenticator, User } from '../../../model/user.ts';
import type { Conn } from '../../statement.ts';
import { authenticators } from '../../tables/authenticators.ts';
import { ofExisting } from '../people/organizations.ts';
import { userReads } from '../people/users.ts';
import type { Upkeep } from '../upkeep.ts';
import { rowsByKey, writesByKey } from './by-key.ts';

const rows = rowsByKey(authenticators, 'credential_id');

export type PasskeyHolder = { authenticator: Authenticator; user: User };

export const authenticatorReads = (conn: Conn, users = userReads(conn)) => ({
  async get(org: string, id: string): Promise<Authenticator | undefined> {
    return rows.get(conn, org, id);
  },
  /** The passkey with this credential id in this organization, and its user. */
  async holder(org: string, credentialId: string): Promise<PasskeyHolder | undefined> {
    const authenticator = await rows.byKey(conn, org, credentialId);
    const user = authenticator && (await users.get(org, authenticator.userId));
    return authenticator && user && { authenticator, user };
  },
  /** Registrations of this credential id in the sub-organizations of `parent`. */
  async inSubOrganizations(parent: string, credentialId: string, most: number): Promise<Authenticator[]> {
    return ofExisting(conn, await rows.below(conn, parent, credentialId, most), most);
  },
  ...rows.lists(conn),
});

export const authenticatorWrites = (conn: Conn, { versions }: Upkeep) => writesByKey(rows, conn, versions);
