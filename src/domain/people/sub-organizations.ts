import { invalid } from '../../base/errors.ts';
import { addressForms } from '../../chains/index.ts';
import type { QueryContext } from '../../engine/query/declare.ts';
import { validate } from '../../engine/request/body.ts';
import { emailKey, parsePhone } from '../../model/contacts.ts';
import { identityDigest, type OidcIdentity } from '../../model/oauth-provider.ts';
import { topLevelIdOf } from '../../model/organization.ts';
import type { SubOrganizationFilter } from '../../store/types.ts';
import { OidcClaims } from '../../wire/oauth-providers.ts';

const STORED = ['NAME', 'USERNAME', 'EMAIL', 'PHONE_NUMBER', 'CREDENTIAL_ID', 'PUBLIC_KEY', 'WALLET_ACCOUNT_ADDRESS'] as const;

/** The attributes by which a parent may find its sub-organizations. */
export const FILTERS = [...STORED, 'OIDC_TOKEN', 'OIDC_CLAIMS'] as const;

type FilterType = (typeof FILTERS)[number];

/** Characters of a value that is not a token. */
const LONGEST = { claims: 2048, other: 1024 };

/** A value without its type would be answered with every sub-organization. */
export function requireBoth(type: string | undefined, value: string | undefined): void {
  if (type !== undefined && value === undefined) throw invalid('filterValue', 'is required with filterType');
  if (type === undefined && value !== undefined && value !== '') throw invalid('filterType', 'is required with filterValue');
}

/** The forms under which a value may be stored. */
export function storedForms(by: (typeof STORED)[number], value: string): string[] {
  if (by === 'EMAIL') return [emailKey(value.normalize('NFC'))];
  if (by === 'PHONE_NUMBER') return [parsePhone(value) ?? value];
  if (by === 'PUBLIC_KEY') return [value.toLowerCase()];
  if (by === 'WALLET_ACCOUNT_ADDRESS') return [...addressForms(value)];
  // Clients send it as base64url, some with padding, or as base64.
  if (by === 'CREDENTIAL_ID') return [Buffer.from(value, 'base64').toString('base64url')];
  return [value];
}

/** `{iss, sub, aud}` as JSON. */
function claimsOf(value: string): OidcIdentity {
  const { iss, sub, aud } = validate(OidcClaims, jsonOf(value), 'filterValue');
  return { issuer: iss, audience: aud, subject: sub };
}

function jsonOf(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    throw invalid('filterValue', 'must be JSON with iss, sub and aud');
  }
}

type Asking = Pick<QueryContext, 'organization' | 'oidc' | 'now'>;

/**
 * A token's issuer may be asked for its keys. So a query has at most one token, and an organization few such queries at the
 * same time.
 */
async function tokenIdentity({ organization, oidc, now }: Asking, token: string): Promise<OidcIdentity> {
  const payer = topLevelIdOf(organization);
  const [identity] = await oidc.verify([{ token, field: 'filterValue' }], { now, payer });
  return identity!;
}

/** Throws REQUEST_INVALID and INVALID_OIDC_TOKEN. */
export async function filterOf(ctx: Asking, by: FilterType, value: string): Promise<SubOrganizationFilter> {
  if (by === 'OIDC_TOKEN') return { by: 'OIDC_IDENTITY', values: [identityDigest(await tokenIdentity(ctx, value))] };
  const longest = by === 'OIDC_CLAIMS' ? LONGEST.claims : LONGEST.other;
  if (value.length > longest) throw invalid('filterValue', `must have at most ${longest} characters`);
  if (by === 'OIDC_CLAIMS') return { by: 'OIDC_IDENTITY', values: [identityDigest(claimsOf(value))] };
  return { by, values: storedForms(by, value) };
}
