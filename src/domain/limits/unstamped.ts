import { errorsOf } from '../../base/declared-errors.ts';
import type { ExecuteContext } from '../../engine/context.ts';
import type { Engine } from '../../engine/engine.ts';
import { networksOf, SITE_SHARE } from '../../limits/addresses.ts';
import type { Limits } from '../../model/limits.ts';
import { type Allowance, spend, spendNow } from './rates.ts';

const HOUR = 3_600_000;
const TEN_MINUTES = 600_000;

/** A caller without a stamp, and the application that the request is for. */
export type Stranger = {
  engine: Pick<Engine, 'store' | 'vault' | 'limits'>;
  /** The top-level one. */
  organization: { id: string };
  /** Undefined if the connection is closed. */
  address: string | undefined;
  now: number;
};

type OfAddress = Pick<Allowance, 'scope' | 'most' | 'windowMs' | 'now'>;

/** By the caller's address, and by the site that an IPv6 network belongs to. `where`: the endpoints. */
function allowancesOf(where: string, address: string | undefined, { most, ...rest }: OfAddress): Allowance[] {
  const [host, site] = networksOf(address);
  const of = (network: string, share: number): Allowance => ({ ...rest, key: `${where} ${network}`, most: most * share });
  return site === undefined ? [of(host, 1)] : [of(host, 1), of(site, SITE_SHARE)];
}

/** A rate limit for callers without a stamp, for each address and organization. Throws RATE_LIMIT_EXCEEDED. */
const byAddress =
  (limit: keyof Limits, about: Pick<Allowance, 'scope' | 'windowMs'>) =>
  ({ engine, organization: { id }, address, now }: Stranger): Promise<void> =>
    spendNow(engine, ...allowancesOf(id, address, { ...about, most: engine.limits[limit], now }));

const SIGN_UPS_OF_ADDRESS = { scope: 'signups-of-address', windowMs: HOUR };

/** Called before a sign-up is checked. */
export const limitSignUp = byAddress('signupsOfAddress', SIGN_UPS_OF_ADDRESS);

/** Called before a code is requested, whatever the contact. */
export const limitInitiation = byAddress('otpInitiationsOfAddress', {
  scope: 'otp-initiations-of-address',
  windowMs: TEN_MINUTES,
});

/** Called before a code is tried, whether a sent one or one of an OAuth 2.0 provider. */
export const limitVerification = byAddress('otpVerificationsOfAddress', {
  scope: 'otp-verifications-of-address',
  windowMs: TEN_MINUTES,
});

/**
 * Limits the sign-ups an hour for one organization. Called after the captcha: a caller who fails the captcha must not use up
 * the allowance of others. Throws RATE_LIMIT_EXCEEDED.
 */
export async function limitSignUpsOfAll({ engine, organization: { id }, now }: Omit<Stranger, 'address'>): Promise<void> {
  const { signupsOfOrganization: most } = engine.limits;
  await spendNow(engine, { scope: 'signups-of-organization', key: id, most, windowMs: HOUR, now });
}

/**
 * Called in the transaction that makes a top-level organization for a newcomer: limits their number an hour from one address.
 * Throws RATE_LIMIT_EXCEEDED.
 */
export function spendOrganization(
  ctx: Pick<ExecuteContext<'none'>, 'store' | 'rateKey' | 'limits' | 'now'>,
  address: string | undefined,
): Promise<void> {
  const { limits, now } = ctx;
  return spend(ctx, ...allowancesOf('service', address, { ...SIGN_UPS_OF_ADDRESS, most: limits.signupsOfAddress, now }));
}
spendOrganization.errors = errorsOf('RATE_LIMIT_EXCEEDED');
