import type { IpAllowlist } from '../../model/ip-allowlist.ts';
import type { Organization } from '../../model/organization.ts';
import type { RootRecovery } from '../../model/root-recovery.ts';
import { id, int, json, jsonOrEmpty, nullable, text } from '../columns.ts';
import { type Snake, stored, table } from '../table.ts';

/** Maintained by `src/store/repositories/limits/counts.ts`. */
const count = { column: int(), from: () => 0 };

const counts = {
  userCount: count,
  walletCount: count,
  walletAccountCount: count,
  privateKeyCount: count,
  tagCount: count,
  policyCount: count,
  /** Characters in the expressions of all policies. */
  policyCharacters: count,
  contractInterfaceCharacters: count,
  /** Open invitations. */
  invitationCount: count,
  sessionProfileCount: count,
  oauth2CredentialCount: count,
  webhookEndpointCount: count,
  fiatOnRampCredentialCount: count,
  /** Secrets, and open targets of secrets to come. */
  secretCount: count,
  tvcQuorumKeyCount: count,
  tvcOperatorCount: count,
  /** Deleted apps and deployments count too, because they stay listed. */
  tvcAppCount: count,
  tvcDeploymentCount: count,
  velocityControlCount: count,
  freezeCount: count,
};

export const organizations = table(
  'organizations',
  {
    id: id(),
    parentId: nullable(id()),
    name: text(),
    /** Raised with every change of the facts. An activity's transaction reads it again. */
    version: int(),
    /** Raised with every change of the policies, in the same statement. Compiled policies are cached by this version. */
    policiesVersion: int(),
    /** Raised with every change of its velocity controls, which are cached by this version. */
    velocityVersion: int(),
    /** Raised by the archive command, together with the version. So facts that are cached at a version have the value of that version. */
    archivedUntil: int(),
    rootQuorum: json<Organization['rootQuorum']>(),
    features: json<Organization['features']>(),
    ipAllowlist: jsonOrEmpty<IpAllowlist>(),
    /** The user of the auth proxy, while the proxy is on. */
    proxyUserId: nullable(id()),
    rootRecovery: jsonOrEmpty<RootRecovery>(),
    createdAt: int(),
    updatedAt: int(),
  },
  {
    ...counts,
    /** The event types that its endpoints want, as bits of `src/model/webhook.ts`. */
    listeners: { column: int(), from: () => 0 },
    /** Until then it makes no signatures, because it has used its quota. The transaction that records a signature reads it. */
    overQuotaUntil: { column: int(), from: () => 0 },
  },
);

export type Counted = keyof typeof counts;

/** The counts in an organization's row. */
export const COUNTED = stored(organizations).filter(({ key }) => key in counts) as { key: Counted; name: Snake<Counted> }[];
