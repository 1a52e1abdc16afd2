import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { addressForms } from '../../chains/index.ts';
import { type QueryContext, query } from '../../engine/query/declare.ts';
import { validate } from '../../engine/request/body.ts';
import { identityDigest, type OidcIdentity } from '../../model/oauth-provider.ts';
import type { SubOrganizationFilter } from '../../store/types.ts';
import { Id, IdOut, Pagination, pageOf } from '../../wire/common.ts';
import { LONGEST_TOKEN, OidcClaims } from '../../wire/oauth-providers.ts';

const FILTERS = [
  'NAME',
  'USERNAME',
  'EMAIL',
  'PHONE_NUMBER',
  'PUBLIC_KEY',
  'WALLET_ACCOUNT_ADDRESS',
  'OIDC_TOKEN',
  'OIDC_CLAIMS',
] as const;

/** Characters of a value that is no token. */
const LONGEST = 1024;

/** The forms under which a value may be stored. */
function forms(by: (typeof FILTERS)[number], value: string): string[] {
  if (by === 'EMAIL' || by === 'PUBLIC_KEY') return [value.toLowerCase()];
  if (by === 'WALLET_ACCOUNT_ADDRESS') return [...addressForms(value)];
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

/** A token's issuer may be asked for its keys: at most one token in a query, and few queries of one organization at once. */
async function filterOf(ctx: QueryContext, by: (typeof FILTERS)[number], value: string): Promise<SubOrganizationFilter> {
  if (by === 'OIDC_CLAIMS') return { by: 'OIDC_IDENTITY', values: [identityDigest(claimsOf(value))] };
  if (by !== 'OIDC_TOKEN') {
    if (value.length > LONGEST) throw invalid('filterValue', `must have at most ${LONGEST} characters`);
    return { by, values: forms(by, value) };
  }
  const { organization, oidc, now } = ctx;
  const [identity] = await oidc.verify([{ token: value, field: 'filterValue' }], {
    now,
    payer: organization.parentId ?? organization.id,
  });
  return { by: 'OIDC_IDENTITY', values: [identityDigest(identity!)] };
}

export const listSuborgs = query({
  name: 'list_suborgs',
  summary: 'List ids of sub-organizations, all of them or those that match a filter',
  params: z.object({
    organizationId: Id,
    filterType: z.enum(FILTERS, { error: `must be one of ${FILTERS.join(', ')}` }).optional(),
    filterValue: z.string().max(LONGEST_TOKEN, `must have at most ${LONGEST_TOKEN} characters`).optional(),
    paginationOptions: Pagination.optional(),
  }),
  result: z.object({ organizationIds: z.array(IdOut) }),
  errors: ['REQUEST_INVALID', 'INVALID_OIDC_TOKEN'],
  async run(ctx, { filterType, filterValue, paginationOptions }) {
    const { organization, read } = ctx;
    if (filterType !== undefined && filterValue === undefined) throw invalid('filterValue', 'is required with filterType');
    const filter = filterType === undefined ? undefined : await filterOf(ctx, filterType, filterValue!);
    return { organizationIds: await read.organizations.subOrganizationIds(organization.id, filter, pageOf(paginationOptions)) };
  },
});
