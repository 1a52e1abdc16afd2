import type { Activity } from '../../../model/activity.ts';
import type { Organization } from '../../../model/organization.ts';
import { list, sought } from '../../columns.ts';
import { type Conn, written } from '../../statement.ts';
import { readerOf, selection } from '../../table.ts';
import { activities } from '../../tables/activities.ts';
import { credentials } from '../../tables/credentials.ts';
import { organizations } from '../../tables/organizations.ts';
import { users } from '../../tables/users.ts';
import { credentialReads, type Holder } from '../credentials/credentials.ts';
import { organizationReads } from '../people/organizations.ts';
import { activityReads, presentByFingerprint } from './activities.ts';

/**
 * The first facts for a submitted request:
 * - the organization,
 * - the holder of the key,
 * - any activity with the same body, unless it is archived.
 */
export type RequestLookup = {
  organization: Organization | undefined;
  holder: Holder | undefined;
  existing: Activity | undefined;
};

export type RequestKey = { organizationId: string; publicKey: string; fingerprint: string };

const [ids, keys, fingerprints] = [
  list(sought(organizations.model.id)),
  list(sought(credentials.model.publicKey)),
  list(sought(activities.model.fingerprint)),
] as const;

/** One round trip for four look-ups of several requests. For the LIMITs in it, see `credentials.ts`. */
const POSTGRES_LOOKUP = `
SELECT ${selection('o', organizations)}, ${selection('c', credentials)}, ${selection('u', users)},
  (SELECT a.id FROM activities a WHERE a.organization_id = q.organization_id AND a.fingerprint = q.fingerprint) AS existing
FROM unnest($1::${ids.postgres.type}, $2::${keys.postgres.type}, $3::${fingerprints.postgres.type})
  WITH ORDINALITY AS q(organization_id, public_key, fingerprint, n)
LEFT JOIN organizations o ON o.id = q.organization_id
LEFT JOIN LATERAL (
  SELECT * FROM credentials WHERE organization_id = q.organization_id AND public_key = q.public_key LIMIT 1
) c ON true
LEFT JOIN LATERAL (SELECT * FROM users WHERE organization_id = q.organization_id AND id = c.user_id LIMIT 1) u ON true
ORDER BY q.n`;

type Row = { 'o.id': unknown; 'c.id': unknown; 'u.id': unknown; existing: string | null };

const lookup = written<Row>('postgres')(POSTGRES_LOOKUP, ids, keys, fingerprints);
const organizationIn = readerOf('postgres', 'o', organizations);
const credentialIn = readerOf('postgres', 'c', credentials);
const userIn = readerOf('postgres', 'u', users);

const holderIn = (row: Row): Holder | undefined =>
  row['c.id'] === null || row['u.id'] === null ? undefined : { credential: credentialIn(row), user: userIn(row) };

export async function requestLookupOnPostgres(conn: Conn, asked: readonly RequestKey[]): Promise<RequestLookup[]> {
  const { get } = activityReads(conn);
  const rows = await lookup.all(conn, [
    asked.map((one) => one.organizationId),
    asked.map((one) => one.publicKey),
    asked.map((one) => one.fingerprint),
  ]);
  return Promise.all(
    rows.map(async (row, i) => {
      if (row['o.id'] === null) return { organization: undefined, holder: undefined, existing: undefined };
      const existing = row.existing === null ? undefined : await get(asked[i]!.organizationId, row.existing);
      return { organization: organizationIn(row), holder: holderIn(row), existing };
    }),
  );
}

export const requestLookupReads = (conn: Conn) => {
  const organization = organizationReads(conn);
  const credential = credentialReads(conn);
  return {
    async get(organizationId: string, publicKey: string, fingerprint: string): Promise<RequestLookup> {
      if (conn.engine === 'sqlite') {
        const found = await organization.get(organizationId);
        if (found === undefined) return { organization: found, holder: undefined, existing: undefined };
        const holder = await credential.holder(organizationId, publicKey);
        return { organization: found, holder, existing: await presentByFingerprint(conn, organizationId, fingerprint) };
      }
      return (await requestLookupOnPostgres(conn, [{ organizationId, publicKey, fingerprint }]))[0]!;
    },
  };
};
