import { toHex, utf8 } from '../../base/bytes.ts';
import { errorsOf } from '../../base/declared-errors.ts';
import { sha256 } from '../../crypto/hash.ts';
import type { ExecuteContext, PrepareContext } from '../../engine/context.ts';
import { isProxy } from '../../model/auth-proxy.ts';
import { emailKey } from '../../model/contacts.ts';
import { CONTACT_WINDOW_MS, IDENTIFIER_WINDOW_MS, isLive, type Otp } from '../../model/otp.ts';
import type { User } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';
import type { Initiation } from '../../wire/otp.ts';
import { checkMessages, spendMessages, tooManyCodes } from '../messages/message-limits.ts';
import {
  checkMail,
  checkMailParams,
  checkSms,
  checkSmsParams,
  type MailDraft,
  type SmsDraft,
  sendMail,
  sendSms,
} from '../messages/messages.ts';
import { emailOf, phoneOf } from '../people/contacts.ts';
import { requireFeature } from '../people/features.ts';

/** The length of a code, if the request does not set it. */
export const DEFAULT_LENGTH = 9;

const DEFAULT_SECONDS = 300;

/**
 * For developers without mail. With OTP_SANDBOX, codes of this form for these contacts are always this one, and are not sent.
 */
const SANDBOX = { code: '000000', contacts: ['user@example.com', '+19999999999'] };

/** Other processes may be a little behind this one's time. A deleted code is too old to count for any of them. */
const FORGOTTEN_AFTER = 2 * CONTACT_WINDOW_MS;

/** One initiation makes one row, so deleting a few rows with each keeps the table from growing. */
const SWEPT_AT_ONCE = 20;

const CONTACT = 'parameters.contact';

const isEmail = (type: Otp['type']): boolean => type === 'OTP_TYPE_EMAIL';

/** The feature that must be on for codes of this type. */
export const featureOf = (type: Otp['type']) => (isEmail(type) ? 'FEATURE_NAME_OTP_EMAIL_AUTH' : 'FEATURE_NAME_SMS_AUTH');

export const kindOf = (type: Otp['type']): 'email' | 'phone' => (isEmail(type) ? 'email' : 'phone');

/** The client's name for the caller may be one of their addresses, so it is stored as its digest. */
const digestOf = (userIdentifier: string): string => `sha256:${toHex(sha256(utf8(userIdentifier)))}`;

/** The contact as it is stored, compared and sent to. Throws INVALID_EMAIL and REQUEST_INVALID. */
export const otpContact = ({ otpType, contact }: Pick<Initiation, 'otpType' | 'contact'>): string =>
  isEmail(otpType) ? emailOf(contact, CONTACT) : phoneOf(contact, CONTACT);

/** Whether the user still has the contact that a code was sent to. */
export function hasContact({ email, phone }: User, { type, contact }: Otp): boolean {
  return isEmail(type) ? email !== null && emailKey(email) === emailKey(contact) : phone === contact;
}

/** For `check`. */
export function checkInitiation(wanted: Initiation): void {
  otpContact(wanted);
  if (isEmail(wanted.otpType)) checkMailParams(wanted);
  else checkSmsParams(wanted);
}
checkInitiation.errors = errorsOf(phoneOf, checkMailParams, checkSmsParams);

/** The user who gets the code of INIT_OTP_AUTH, if there is one. */
type Addressee = { user: User | undefined };

export type PreparedOtp = { otp: Otp; code: string; draft: MailDraft | SmsDraft | undefined; bundle: string };

/** For `prepare`: the code, and all checks of its message that may fail. */
export async function prepareOtp(
  ctx: PrepareContext<'codes'>,
  use: Otp['use'],
  wanted: Initiation,
  addressee?: Addressee,
): Promise<PreparedOtp> {
  const { organization, ids, now, vault } = ctx;
  const { otpType, otpLength, alphanumeric, expirationSeconds, userIdentifier } = wanted;
  requireFeature(ctx, featureOf(otpType));
  const contact = otpContact(wanted);
  const identifier = userIdentifier ? digestOf(userIdentifier) : null;
  await requireRoom({ ...ctx, store: ctx.read }, { organizationId: organization.id, contact, userIdentifier: identifier });
  await checkMessages(ctx, contact);
  const form = { length: otpLength ?? DEFAULT_LENGTH, alphanumeric: alphanumeric ?? true };
  const isSandbox =
    ctx.otpSandbox &&
    form.length === SANDBOX.code.length &&
    !form.alphanumeric &&
    SANDBOX.contacts.includes(contact.toLowerCase());
  const to = (isEmail(otpType) ? addressee?.user?.email : undefined) ?? contact;
  const checked = isEmail(otpType)
    ? () => checkMail(ctx, { carries: 'code', to, field: CONTACT, params: wanted })
    : () => checkSms(ctx, { to, params: wanted });
  const draft = isSandbox ? undefined : await checked();
  const place = { organizationId: organization.id, id: ids.next() };
  const { code, hash } = isSandbox
    ? { code: SANDBOX.code, hash: vault.hashCode(place.organizationId, place.id, SANDBOX.code) }
    : vault.newCode(place.organizationId, place.id, form);
  const target = use === 'sealed' ? vault.newCodeTarget(place.organizationId, place.id) : undefined;
  const otp: Otp = {
    ...place,
    use,
    type: otpType,
    contact,
    userIdentifier: identifier,
    userId: addressee?.user?.id ?? null,
    code: hash,
    misses: 0,
    targetPublicKey: target?.publicKey ?? null,
    targetKey: target?.sealed ?? null,
    expiresAt: now + Number(expirationSeconds ?? DEFAULT_SECONDS) * 1000,
    createdAt: now,
    byProxy: isProxy(ctx.submitter),
  };
  const isForNobody = addressee !== undefined && addressee.user === undefined;
  return { otp, code, draft: isForNobody ? undefined : draft, bundle: target?.bundle ?? '' };
}
prepareOtp.errors = errorsOf(phoneOf, requireFeature, checkMail, checkSms, checkMessages);

type Storing = Pick<ExecuteContext<'none'>, 'store' | 'limits' | 'now' | 'after' | 'organization' | 'submitter' | 'rateKey'>;

type Counting = Pick<Storing, 'limits' | 'now'> & { store: Pick<Reader, 'otps'> };

/** When the oldest of the codes no longer counts. */
const leavesAt = (codes: readonly Pick<Otp, 'createdAt'>[], window: number): number =>
  Math.min(...codes.map(({ createdAt }) => createdAt)) + window;

/** In a transaction, the activity holds its organization's row, so no other request can add a code to it meanwhile. */
async function requireRoom(
  { store, limits, now }: Counting,
  { organizationId, contact, userIdentifier }: Pick<Otp, 'organizationId' | 'contact' | 'userIdentifier'>,
): Promise<void> {
  const { liveOtps, otpInitiations, otpInitiationsOfIdentifier } = limits;
  const recent = await store.otps.ofContact(organizationId, contact, now - CONTACT_WINDOW_MS, otpInitiations);
  if (recent.length >= otpInitiations)
    throw tooManyCodes(
      `at most ${otpInitiations} codes in ten minutes for one contact (LIMIT_OTP_INITIATIONS)`,
      leavesAt(recent, CONTACT_WINDOW_MS) - now,
    );
  const live = recent.filter((otp) => isLive(otp, now));
  if (live.length >= liveOtps)
    throw tooManyCodes(
      `at most ${liveOtps} valid codes for one contact (LIMIT_LIVE_OTPS)`,
      Math.min(...live.map(({ expiresAt }) => expiresAt)) - now,
    );
  if (userIdentifier === null) return;
  const since = now - IDENTIFIER_WINDOW_MS;
  const theirs = await store.otps.ofIdentifier(organizationId, userIdentifier, since, otpInitiationsOfIdentifier);
  if (theirs.length >= otpInitiationsOfIdentifier)
    throw tooManyCodes(
      `at most ${otpInitiationsOfIdentifier} codes in three minutes for one userIdentifier (LIMIT_OTP_INITIATIONS_OF_IDENTIFIER)`,
      leavesAt(theirs, IDENTIFIER_WINDOW_MS) - now,
    );
}

/** For `execute`: stores the code, and sends it after the commit. */
export async function initiateOtp(ctx: Storing, { otp, code, draft }: PreparedOtp): Promise<void> {
  const { store, now } = ctx;
  await store.otps.sweep(now - FORGOTTEN_AFTER, SWEPT_AT_ONCE);
  await requireRoom(ctx, otp);
  await spendMessages(ctx, otp.contact);
  await store.otps.insert(otp);
  const { expiresAt } = otp;
  if (draft === undefined) return;
  if ('style' in draft) sendMail(ctx, draft, { template: 'code', code, expiresAt });
  else sendSms(ctx, draft, { code, expiresAt });
}
initiateOtp.errors = errorsOf(spendMessages);
