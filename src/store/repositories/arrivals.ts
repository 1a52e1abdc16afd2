import type { Activity } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Schema } from '../schema.ts';
import type { Conn } from '../statement.ts';
import { activityReads } from './activities.ts';
import { credentialReads, type Holder, toCredential } from './credentials.ts';
import { organizationReads, toOrganization } from './organizations.ts';
import { toUser } from './users.ts';

/** What a submitted request needs to know first: the organization, who holds the key in it, and whether it has the body already. */
export type Arrival = { organization: Organization | undefined; holder: Holder | undefined; existing: Activity | undefined };

type Row = {
  organization: Schema['organizations'];
  credential: Schema['credentials'] | null;
  holder: Schema['users'] | null;
  activity_id: string | null;
};

/** One round trip for four look-ups. */
const POSTGRES_ARRIVAL = `
SELECT row_to_json(o) AS organization, row_to_json(c) AS credential, row_to_json(u) AS holder,
  (SELECT a.id FROM activities a WHERE a.organization_id = o.id AND a.fingerprint = $3) AS activity_id
FROM organizations o
LEFT JOIN credentials c ON c.organization_id = o.id AND c.public_key = $2
LEFT JOIN users u ON u.organization_id = o.id AND u.id = c.user_id
WHERE o.id = $1`;

export const arrivalReads = (conn: Conn) => {
  const organizations = organizationReads(conn);
  const credentials = credentialReads(conn);
  const activities = activityReads(conn);
  return {
    async get(organizationId: string, publicKey: string, fingerprint: string): Promise<Arrival> {
      if (conn.engine === 'sqlite') {
        const organization = await organizations.get(organizationId);
        if (organization === undefined) return { organization, holder: undefined, existing: undefined };
        const holder = await credentials.holder(organizationId, publicKey);
        return { organization, holder, existing: await activities.byFingerprint(organizationId, fingerprint) };
      }
      const [row] = (await conn.all(POSTGRES_ARRIVAL, [organizationId, publicKey, fingerprint])) as Row[];
      if (row === undefined) return { organization: undefined, holder: undefined, existing: undefined };
      return {
        organization: toOrganization(row.organization),
        holder: row.credential && row.holder ? { credential: toCredential(row.credential), user: toUser(row.holder) } : undefined,
        existing: row.activity_id === null ? undefined : await activities.get(organizationId, row.activity_id),
      };
    },
  };
};
