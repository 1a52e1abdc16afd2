import type { IpAllowlist } from '../../model/ip-allowlist.ts';
import type { Organization } from '../../model/organization.ts';
import { id, int, json, jsonOrEmpty, nullable, text } from '../columns.ts';
import { type Snake, stored, table } from '../table.ts';

/** Kept by `src/store/repositories/counts.ts`. */
const count = { column: int(), from: () => 0 };

const counts = {
  userCount: count,
  walletCount: count,
  walletAccountCount: count,
  privateKeyCount: count,
  tagCount: count,
  policyCount: count,
  /** Of the expressions of all policies. */
  policyCharacters: count,
  contractInterfaceCharacters: count,
  /** Those that are open. */
  invitationCount: count,
  sessionProfileCount: count,
  oauth2CredentialCount: count,
};

export const organizations = table(
  'organizations',
  {
    id: id(),
    parentId: nullable(id()),
    name: text(),
    /** Raised with every change of the facts; an activity's transaction re-reads it. */
    version: int(),
    /** Raised with every change of the policies, in the same statement: what is compiled from them is kept at it. */
    policiesVersion: int(),
    /** Raised by the archive command, with the version: what is kept in memory at a version has it. */
    archivedUntil: int(),
    rootQuorum: json<Organization['rootQuorum']>(),
    features: json<Organization['features']>(),
    ipAllowlist: jsonOrEmpty<IpAllowlist>(),
    /** The user of the auth proxy, while that is on. */
    proxyUserId: nullable(id()),
    createdAt: int(),
    updatedAt: int(),
  },
  counts,
);

export type Counted = keyof typeof counts;

/** What an organization's row counts. */
export const COUNTED = stored(organizations).filter(({ key }) => key in counts) as { key: Counted; name: Snake<Counted> }[];
