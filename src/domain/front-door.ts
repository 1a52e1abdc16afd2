import type { ExecuteContext } from '../engine/context.ts';
import type { Engine } from '../engine/engine.ts';
import { networksOf, SITE_SHARE } from '../limits/addresses.ts';
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

const SIGN_UPS_OF_ADDRESS = { scope: 'signups-of-address', windowMs: HOUR };

/** Before a sign-up is looked at: so many an hour from one address. Throws RATE_LIMIT_EXCEEDED. */
export async function limitSignUp({ engine, organization: { id }, address, now }: Stranger): Promise<void> {
  const { signupsOfAddress: most } = engine.limits;
  await spendNow(engine, ...allowancesOf(id, address, { ...SIGN_UPS_OF_ADDRESS, most, now }));
}

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

/** Before a code is asked for: so many in ten minutes from one address, for whatever contacts. Throws RATE_LIMIT_EXCEEDED. */
export async function limitInitiation({ engine, organization: { id }, address, now }: Stranger): Promise<void> {
  const { otpInitiationsOfAddress: most } = engine.limits;
  const times = { windowMs: TEN_MINUTES, now };
  await spendNow(engine, ...allowancesOf(id, address, { scope: 'otp-initiations-of-address', most, ...times }));
}

/** Before a code is tried: so many in ten minutes from one address. Throws RATE_LIMIT_EXCEEDED. */
export async function limitVerification({ engine, organization: { id }, address, now }: Stranger): Promise<void> {
  const { otpVerificationsOfAddress: most } = engine.limits;
  const times = { windowMs: TEN_MINUTES, now };
  await spendNow(engine, ...allowancesOf(id, address, { scope: 'otp-verifications-of-address', most, ...times }));
}
