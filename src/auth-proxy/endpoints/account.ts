import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { filterOf, storedForms } from '../../domain/sub-organizations.ts';
import { contactOf } from '../../domain/verification.ts';
import { parseEmail, parsePhone } from '../../login/contacts.ts';
import { IdOut } from '../../wire/common.ts';
import { LONGEST_TOKEN } from '../../wire/oauth-providers.ts';
import { VerificationTokenText } from '../../wire/tokens.ts';
import { accountOfToken, linkableEmail, oldestAccount, verifyOidcToken } from '../account-of-token.ts';
import { type ProxyContext, proxyEndpoint } from '../declare.ts';
import { linkAccount } from '../social-linking.ts';
import { readToken } from '../sub-organization.ts';

const CONTACTS = ['EMAIL', 'PHONE_NUMBER'] as const;
const FILTERS = ['CREDENTIAL_ID', 'NAME', 'USERNAME', ...CONTACTS, 'OIDC_TOKEN', 'OIDC_CLAIMS', 'PUBLIC_KEY'] as const;

type Contact = (typeof CONTACTS)[number];
type Asked = { filterValue: string; verificationToken?: string | undefined; oidcToken?: string | undefined };

const isContact = (type: (typeof FILTERS)[number]): type is Contact => type === 'EMAIL' || type === 'PHONE_NUMBER';

/** What somebody with this contact alone has, as it is stored. */
const holder = (by: Contact, contact: string) => ({
  email: by === 'EMAIL' ? (parseEmail(contact) ?? null) : null,
  phone: by === 'PHONE_NUMBER' ? (parsePhone(contact) ?? null) : null,
});

/** Refuses whoever does not show that the contact is theirs, before anything is looked up: the answer is the same for every contact. */
async function requireOwner(ctx: ProxyContext, by: Contact, { filterValue, verificationToken, oidcToken }: Asked): Promise<void> {
  if (verificationToken !== undefined) {
    if (contactOf(readToken(ctx, verificationToken), holder(by, filterValue)) !== undefined) return;
    throw invalid('verificationToken', 'was issued for another contact');
  }
  if (by === 'EMAIL' && oidcToken !== undefined) {
    const email = linkableEmail(ctx, await verifyOidcToken(ctx, oidcToken, 'oidcToken'));
    if (email !== undefined && contactOf({ type: 'OTP_TYPE_EMAIL', contact: email }, holder(by, filterValue))) return;
    throw invalid('oidcToken', 'does not vouch for this contact to this application');
  }
  throw invalid('verificationToken', 'is required to look a contact up: verify the contact first');
}

const answer = (organizationId: string | undefined) => (organizationId === undefined ? {} : { organizationId });

export const account = proxyEndpoint({
  path: '/v1/account',
  summary: 'Find the sub-organization of somebody who may have signed up, to decide between a login and a sign-up',
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
  async run(ctx, asked) {
    const { engine, organization, config, now } = ctx;
    const { filterType, filterValue } = asked;
    if (isContact(filterType)) {
      if (filterValue.length > 254) throw invalid('filterValue', 'must have at most 254 characters');
      if (config.settings.verificationTokenRequiredForGetAccountPii) await requireOwner(ctx, filterType, asked);
      return answer(await oldestAccount(ctx, { by: `VERIFIED_${filterType}`, values: storedForms(filterType, filterValue) }));
    }
    if (filterType === 'OIDC_TOKEN') {
      const token = await verifyOidcToken(ctx, filterValue, 'filterValue');
      const found = await accountOfToken(ctx, token);
      // Published clients log in next by a stamp that this token attests, and so by the provider.
      if (found?.isLinked === false) await linkAccount(ctx, found.organizationId, filterValue, token);
      return answer(found?.organizationId);
    }
    const filter = await filterOf({ organization, oidc: engine.oidc, now }, filterType, filterValue);
    return answer(await oldestAccount(ctx, filter));
  },
});
