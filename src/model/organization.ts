import type { IpAllowlist } from './ip-allowlist.ts';
import { parseOrigins } from './origins.ts';
import type { RootRecovery } from './root-recovery.ts';

export type RootQuorum = { threshold: number; userIds: string[] };

/** An organization, or a sub-organization if `parentId` is set. */
export type Organization = {
  id: string;
  parentId: string | null;
  name: string;
  /** Raised with every change of the facts. */
  version: number;
  /** Raised with every change of its policies. */
  policiesVersion: number;
  /** Raised with every change of its velocity controls. 0: it never had one. */
  velocityVersion: number;
  /** At least the `comparableTime` of every archived body's `timestampMs`; 0 if no body was archived. */
  archivedUntil: number;
  rootQuorum: RootQuorum;
  /** FEATURE_NAME_… → value; '' for a feature without a value. A feature that is off is absent. */
  features: Record<string, string>;
  /** Null: the list was never set, or was removed. Sub-organizations have none. */
  ipAllowlist: IpAllowlist | null;
  /** The user of its auth proxy. Null: the proxy is off. Sub-organizations have none. */
  proxyUserId: string | null;
  /** Null: no recovery is pending, and none is refused. */
  rootRecovery: RootRecovery | null;
  createdAt: number;
  updatedAt: number;
};

/** The key of the instance's row with the id of the organization that the first start created. */
export const ROOT_ORGANIZATION = 'root_organization';

/** A new organization, with defaults for the columns that are not given. */
export function newOrganization(
  given: Pick<Organization, 'id' | 'parentId' | 'name' | 'rootQuorum' | 'createdAt'> & Partial<Organization>,
): Organization {
  const start = {
    version: 1,
    policiesVersion: 1,
    velocityVersion: 0,
    archivedUntil: 0,
    features: {},
    ipAllowlist: null,
    proxyUserId: null,
  };
  return { ...start, rootRecovery: null, updatedAt: given.createdAt, ...given };
}

/** The organization itself, or its parent. */
export const topLevelIdOf = ({ id, parentId }: Pick<Organization, 'id' | 'parentId'>): string => parentId ?? id;

/** A `timestampMs` of up to 19 digits as a number that can be stored exactly. Larger values become the largest such number. */
export const comparableTime = (timestampMs: string): number => Math.min(Number(timestampMs), Number.MAX_SAFE_INTEGER);

/** Features that are on in a new top-level organization. They need only mail, and none recovers a root user. */
export const TOP_LEVEL_FEATURES: Readonly<Record<string, string>> = {
  FEATURE_NAME_EMAIL_AUTH: '',
  FEATURE_NAME_OTP_EMAIL_AUTH: '',
};

/** Features that are on in a new sub-organization, unless its creation opts out. */
const SUB_ORGANIZATION_FEATURES = {
  FEATURE_NAME_EMAIL_RECOVERY: 'disableEmailRecovery',
  FEATURE_NAME_EMAIL_AUTH: 'disableEmailAuth',
  FEATURE_NAME_SMS_AUTH: 'disableSmsAuth',
  FEATURE_NAME_OTP_EMAIL_AUTH: 'disableOtpEmailAuth',
} as const;

type OptOuts = { [K in (typeof SUB_ORGANIZATION_FEATURES)[keyof typeof SUB_ORGANIZATION_FEATURES]]?: boolean | undefined };

export function featuresOfSubOrganization(optOuts: OptOuts): Record<string, string> {
  const features: Record<string, string> = {};
  for (const [feature, flag] of Object.entries(SUB_ORGANIZATION_FEATURES)) if (!optOuts[flag]) features[feature] = '';
  return features;
}

/**
 * Where passkeys may be used, for a top-level organization and its sub-organizations. Undefined: anywhere. A stored text that is no
 * origin allows nothing.
 */
export function passkeyOrigins({ features }: Pick<Organization, 'features'>): string[] | undefined {
  const value = features.FEATURE_NAME_WEBAUTHN_ORIGINS;
  return value === undefined ? undefined : parseOrigins(value).origins;
}

export function featureIsOn(organization: Organization, ...names: readonly string[]): boolean {
  return names.some((name) => Object.hasOwn(organization.features, name));
}
