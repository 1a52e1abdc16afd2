import type { ExecuteContext } from '../../engine/context.ts';
import type { Engine } from '../../engine/engine.ts';
import { networksOf, SITE_SHARE } from '../../limits/addresses.ts';
import type { Limits } from '../../model/limits.ts';
import { type Allowance, spend, spendNow } from './rates.ts';

const HOUR = 3_600_000;
const TEN_MINUTES = 600_000;

/** Who asks without a stamp, and for which application. */
export type Stranger = {
  engine: Pick<Engine, 'store' | 'vault' | 'limits'>;
  /** The top-level one. */
  organization: { id: string };
  /** Undefined if the connection is gone. */
  address: string | undefined;
  now: number;
};

type OfAddress = Pick<Allowance, 'scope' | 'most' | 'windowMs' | 'now'>;

/** By the address of whoever asks, and by the site that an IPv6 network is in. `where`: what they ask. */
function allowancesOf(where: string, address: string | undefined, { most, ...rest }: OfAddress): Allowance[] {
  const [host, site] = networksOf(address);
  const of = (network: string, share: number): Allowance => ({ ...rest, key: `${where} ${network}`, most: most * share });
  return site === undefined ? [of(host, 1)] : [of(host, 1), of(site, SITE_SHARE)];
}

/** What a stranger may do so often from one address, in each organization. Throws RATE_LIMIT_EXCEEDED. */
const byAddress =
  (limit: keyof Limits, about: Pick<Allowance, 'scope' | 'windowMs'>) =>
  ({ engine, organization: { id }, address, now }: Stranger): Promise<void> =>
    spendNow(engine, ...allowancesOf(id, address, { ...about, most: engine.limits[limit], now }));

const SIGN_UPS_OF_ADDRESS = { scope: 'signups-of-address', windowMs: HOUR };

/** Before a sign-up is looked at. */
export const limitSignUp = byAddress('signupsOfAddress', SIGN_UPS_OF_ADDRESS);

/** Before a code is asked for, for whatever contact. */
export const limitInitiation = byAddress('otpInitiationsOfAddress', {
  scope: 'otp-initiations-of-address',
  windowMs: TEN_MINUTES,
});

/** Before a code is tried: one that was sent, or one of an OAuth 2.0 provider. */
export const limitVerification = byAddress('otpVerificationsOfAddress', {
  scope: 'otp-verifications-of-address',
  windowMs: TEN_MINUTES,
});

/**
 * So many sign-ups an hour for one organization. After its captcha: whoever does not pass that must not use up what others may. Throws
 * RATE_LIMIT_EXCEEDED.
 */
export async function limitSignUpsOfAll({ engine, organization: { id }, now }: Omit<Stranger, 'address'>): Promise<void> {
  const { signupsOfOrganization: most } = engine.limits;
  await spendNow(engine, { scope: 'signups-of-organization', key: id, most, windowMs: HOUR, now });
}

/** In the transaction that makes a top-level organization for a newcomer: so many an hour from one address. Throws RATE_LIMIT_EXCEEDED. */
export function spendOrganization(
  ctx: Pick<ExecuteContext<'none'>, 'store' | 'rateKey' | 'limits' | 'now'>,
  address: string | undefined,
): Promise<void> {
  const { limits, now } = ctx;
  return spend(ctx, ...allowancesOf('service', address, { ...SIGN_UPS_OF_ADDRESS, most: limits.signupsOfAddress, now }));
}
