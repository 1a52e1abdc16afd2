import type { Activity } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Schema } from '../schema.ts';
import type { Conn } from '../statement.ts';
import { activityReads } from './activities.ts';
import { credentialReads, type Holder, toCredential } from './credentials.ts';
import { organizationReads, toOrganization } from './organizations.ts';
import { toUser } from './users.ts';

/** What a submitted request needs to know first: the organization, who holds the key in it, and whether it has the body already. */
export type RequestLookup = {
  organization: Organization | undefined;
  holder: Holder | undefined;
  existing: Activity | undefined;
};

type Row = {
  organization: Schema['organizations'] | null;
  credential: Schema['credentials'] | null;
  holder: Schema['users'] | null;
  activity_id: string | null;
};

export type RequestKey = { organizationId: string; publicKey: string; fingerprint: string };

/** One round trip for four look-ups of several requests. */
const POSTGRES_LOOKUP = `
SELECT row_to_json(o) AS organization, row_to_json(c) AS credential, row_to_json(u) AS holder,
  (SELECT a.id FROM activities a WHERE a.organization_id = q.organization_id AND a.fingerprint = q.fingerprint) AS activity_id
FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS q(organization_id, public_key, fingerprint, n)
LEFT JOIN organizations o ON o.id = q.organization_id
LEFT JOIN credentials c ON c.organization_id = q.organization_id AND c.public_key = q.public_key
LEFT JOIN users u ON u.organization_id = q.organization_id AND u.id = c.user_id
ORDER BY q.n`;

export async function requestLookupOnPostgres(conn: Conn, asked: readonly RequestKey[]): Promise<RequestLookup[]> {
  const activities = activityReads(conn);
  const rows = (await conn.all(POSTGRES_LOOKUP, [
    asked.map((one) => one.organizationId),
    asked.map((one) => one.publicKey),
    asked.map((one) => one.fingerprint),
  ])) as Row[];
  return Promise.all(
    rows.map(async ({ organization, credential, holder, activity_id: existing }, i) =>
      organization === null
        ? { organization: undefined, holder: undefined, existing: undefined }
        : {
            organization: toOrganization(organization),
            holder: credential && holder ? { credential: toCredential(credential), user: toUser(holder) } : undefined,
            existing: existing === null ? undefined : await activities.get(asked[i]!.organizationId, existing),
          },
    ),
  );
}

export const requestLookupReads = (conn: Conn) => {
  const organizations = organizationReads(conn);
  const credentials = credentialReads(conn);
  const activities = activityReads(conn);
  return {
    async get(organizationId: string, publicKey: string, fingerprint: string): Promise<RequestLookup> {
      if (conn.engine === 'sqlite') {
        const organization = await organizations.get(organizationId);
        if (organization === undefined) return { organization, holder: undefined, existing: undefined };
        const holder = await credentials.holder(organizationId, publicKey);
        return { organization, holder, existing: await activities.byFingerprint(organizationId, fingerprint) };
      }
      return (await requestLookupOnPostgres(conn, [{ organizationId, publicKey, fingerprint }]))[0]!;
    },
  };
};
