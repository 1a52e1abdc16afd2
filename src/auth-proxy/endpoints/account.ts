import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { contactOf } from '../../domain/otp/verification-token.ts';
import { filterOf, storedForms } from '../../domain/people/sub-organizations.ts';
import { REGISTRATIONS, thatCount } from '../../engine/request/caller.ts';
import { parseEmail, parsePhone } from '../../model/contacts.ts';
import { IdOut } from '../../wire/common.ts';
import { LONGEST_TOKEN } from '../../wire/oauth-providers.ts';
import { VerificationTokenText } from '../../wire/tokens.ts';
import { accountOfToken, oldestAccount, verifyOidcToken, vouchedEmail } from '../account-of-token.ts';
import { type ProxyContext, proxyEndpoint } from '../declare.ts';
import { linkAccount } from '../social-linking.ts';
import { readToken } from '../sub-organization.ts';

const CONTACTS = ['EMAIL', 'PHONE_NUMBER'] as const;
const FILTERS = ['CREDENTIAL_ID', 'NAME', 'USERNAME', ...CONTACTS, 'OIDC_TOKEN', 'OIDC_CLAIMS', 'PUBLIC_KEY'] as const;

type Contact = (typeof CONTACTS)[number];
type Asked = { filterValue: string; verificationToken?: string | undefined; oidcToken?: string | undefined };

const isContact = (type: (typeof FILTERS)[number]): type is Contact => type === 'EMAIL' || type === 'PHONE_NUMBER';

const NAMES: readonly string[] = ['NAME', 'USERNAME'] satisfies (typeof FILTERS)[number][];

/** The contact that a look-up would reveal, if any. A user without another name at the sign-up is named by their contact. */
function contactIn(type: (typeof FILTERS)[number], value: string): Contact | undefined {
  if (isContact(type)) return type;
  if (!NAMES.includes(type)) return undefined;
  if (value.includes('@')) return 'EMAIL';
  return /^\s*\+?[\d\s()./-]{6,40}$/.test(value) ? 'PHONE_NUMBER' : undefined;
}

/** The stored contacts of a user who has only this contact. */
const holder = (by: Contact, contact: string) => ({
  email: by === 'EMAIL' ? (parseEmail(contact) ?? null) : null,
  phone: by === 'PHONE_NUMBER' ? (parsePhone(contact) ?? null) : null,
});

/**
 * Refuses a caller who does not prove that the contact is theirs, before anything is looked up. The answer is the same for
 * every contact.
 */
async function requireOwner(ctx: ProxyContext, by: Contact, { filterValue, verificationToken, oidcToken }: Asked): Promise<void> {
  if (verificationToken !== undefined) {
    if (contactOf(await readToken(ctx, verificationToken), holder(by, filterValue)) !== undefined) return;
    throw invalid('verificationToken', 'was issued for another contact');
  }
  if (by === 'EMAIL' && oidcToken !== undefined) {
    const email = vouchedEmail(ctx, await verifyOidcToken(ctx, oidcToken, 'oidcToken'));
    if (email !== undefined && contactOf({ type: 'OTP_TYPE_EMAIL', contact: email }, holder(by, filterValue))) return;
    throw invalid('oidcToken', 'does not prove this contact to this application');
  }
  throw invalid('verificationToken', 'is required to look up a contact: verify the contact first');
}

/** The account that a login by a stamp with this key leads to; of several, the oldest. */
async function accountOfKey({ engine, organization }: ProxyContext, publicKey: string): Promise<string | undefined> {
  if (publicKey.length > 1024) throw invalid('filterValue', 'must have at most 1024 characters');
  const { read } = engine.store;
  const registered = await read.credentials.inSubOrganizations(organization.id, publicKey.toLowerCase(), REGISTRATIONS);
  const counted = await thatCount(read, organization, registered);
  return counted.map(({ organizationId }) => organizationId).sort()[0];
}

const answer = (organizationId: string | undefined) => (organizationId === undefined ? {} : { organizationId });

export const account = proxyEndpoint({
  path: '/v1/account',
  summary: 'Find the sub-organization of a person who may have signed up, to choose between login and sign-up',
  params: z.object({
    filterType: z.enum(FILTERS, { error: `must be one of ${FILTERS.join(', ')}` }),
    filterValue: z.string().min(1, 'must not be empty').max(LONGEST_TOKEN, `must have at most ${LONGEST_TOKEN} characters`),
    verificationToken: VerificationTokenText.optional(),
    oidcToken: z
      .string()
      .max(LONGEST_TOKEN, `must have at most ${LONGEST_TOKEN} characters`)
      .transform((text) => (text === '' ? undefined : text))
      .optional(),
  }),
  result: z.object({ organizationId: IdOut.optional() }),
  submits: ['ACTIVITY_TYPE_CREATE_OAUTH_PROVIDERS_V2'],
  errors: ['INVALID_OIDC_TOKEN'],
  async run(ctx, asked) {
    const { engine, organization, config, now } = ctx;
    const { filterType, filterValue } = asked;
    const contact = contactIn(filterType, filterValue);
    if (isContact(filterType) && filterValue.length > 254) throw invalid('filterValue', 'must have at most 254 characters');
    if (contact !== undefined && config.settings.verificationTokenRequiredForGetAccountPii)
      await requireOwner(ctx, contact, asked);
    if (isContact(filterType)) {
      return answer(await oldestAccount(ctx, { by: `VERIFIED_${filterType}`, values: storedForms(filterType, filterValue) }));
    }
    if (filterType === 'OIDC_TOKEN') {
      const token = await verifyOidcToken(ctx, filterValue, 'filterValue');
      const found = await accountOfToken(ctx, token);
      // Published clients log in next by a stamp that this token attests, and so by the provider.
      if (token && found?.isLinked === false) await linkAccount(ctx, found.organizationId, filterValue, token);
      return answer(found?.organizationId);
    }
    if (filterType === 'PUBLIC_KEY') return answer(await accountOfKey(ctx, filterValue));
    const filter = await filterOf({ organization, oidc: engine.oidc, now }, filterType, filterValue);
    return answer(await oldestAccount(ctx, filter));
  },
});
