import { errorsOf } from '../../base/declared-errors.ts';
import type { ExecuteContext, PrepareContext } from '../../engine/context.ts';
import { EMAIL_AUTH_KEY, RECOVERY_KEY } from '../../model/user.ts';
import { checkMessages, spendMessages } from '../messages/message-limits.ts';
import { checkMail, checkMailParams, type MailDraft, type MailParams, requireMail, sendMail } from '../messages/messages.ts';
import { userOfContact } from '../people/contact-users.ts';
import { emailOf } from '../people/contacts.ts';
import { requireFeature } from '../people/features.ts';
import { type Issued, issueCredential } from './sessions.ts';
import { targetOf } from './target-keys.ts';

/** The differences between the ways of mailing a credential. */
type Way = Pick<Issued, 'type' | 'defaultName'> & {
  feature: Parameters<typeof requireFeature>[1];
  template: 'credential' | 'recovery';
};

export const EMAIL_AUTH: Way = {
  feature: 'FEATURE_NAME_EMAIL_AUTH',
  template: 'credential',
  type: EMAIL_AUTH_KEY,
  defaultName: 'Email Auth',
};

export const EMAIL_RECOVERY: Way = {
  feature: 'FEATURE_NAME_EMAIL_RECOVERY',
  template: 'recovery',
  type: RECOVERY_KEY,
  defaultName: 'Email Recovery',
};

type Wish = MailParams & Omit<Issued, 'type' | 'defaultName'> & { email: string };

const FIELD = 'parameters.email';

/** For `check`. */
export function checkMailed(_: unknown, wish: Wish): void {
  emailOf(wish.email, FIELD);
  targetOf(wish.targetPublicKey);
  checkMailParams(wish);
}
checkMailed.errors = errorsOf(targetOf, checkMailParams);

const holderOf = ({ read, organization }: Pick<PrepareContext<'none'>, 'read' | 'organization'>, { email }: Wish) =>
  userOfContact(read, organization, 'email', emailOf(email, FIELD), FIELD);

/** For `prepare`. Whether mail can be sent at all is checked before any user is looked up. */
export async function prepareMailed(ctx: PrepareContext<'issue'>, { feature }: Way, wish: Wish): Promise<MailDraft> {
  requireFeature(ctx, feature);
  requireMail(ctx);
  const { email } = await holderOf(ctx, wish);
  await checkMessages(ctx, email!);
  return checkMail(ctx, { carries: 'bundle', to: email!, field: FIELD, params: wish });
}
prepareMailed.errors = errorsOf(requireFeature, userOfContact, checkMail, checkMessages);

/** Gives the user with this email a key. The key leaves only by mail, to the address as it is stored. */
export async function mailCredential(
  ctx: ExecuteContext<'issue'>,
  { type, defaultName, template }: Way,
  wish: Wish,
  draft: MailDraft,
): Promise<{ userId: string; apiKeyId: string }> {
  const { store, organization } = ctx;
  const user = await holderOf({ read: store, organization }, wish);
  await spendMessages(ctx, user.email!);
  const { apiKeyId, credentialBundle: bundle } = await issueCredential(ctx, user, { ...wish, type, defaultName });
  const { expiresAt } = (await store.credentials.get(organization.id, apiKeyId))!;
  sendMail(ctx, { ...draft, to: user.email! }, { template, bundle, expiresAt: expiresAt! });
  return { userId: user.id, apiKeyId };
}
mailCredential.errors = errorsOf(userOfContact, spendMessages, issueCredential);
