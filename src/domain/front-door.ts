import type { Engine } from '../engine/engine.ts';
import { networksOf, SITE_SHARE } from '../limits/addresses.ts';
import { type Allowance, spendNow } from './rates.ts';

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

type OfAddress = Pick<Allowance, 'scope' | 'most' | 'windowMs'>;

/** By the address of whoever asks, and by the site that an IPv6 network is in. */
function allowancesOf({ organization, address, now }: Stranger, { scope, most, windowMs }: OfAddress): Allowance[] {
  const [host, site] = networksOf(address);
  const of = (network: string, share: number): Allowance => ({
    scope,
    key: `${organization.id} ${network}`,
    most: most * share,
    windowMs,
    now,
  });
  return site === undefined ? [of(host, 1)] : [of(host, 1), of(site, SITE_SHARE)];
}

/** Before a sign-up: so many an hour from one address, and for one organization from all. Throws RATE_LIMIT_EXCEEDED. */
export async function limitSignUp(stranger: Stranger): Promise<void> {
  const { engine, organization, now } = stranger;
  const { signupsOfAddress: most, signupsOfOrganization } = engine.limits;
  const ofAll = { key: organization.id, most: signupsOfOrganization, windowMs: HOUR, now };
  await spendNow(engine, ...allowancesOf(stranger, { scope: 'signups-of-address', most, windowMs: HOUR }), {
    scope: 'signups-of-organization',
    ...ofAll,
  });
}

/** Before a code is asked for: so many in ten minutes from one address, for whatever contacts. Throws RATE_LIMIT_EXCEEDED. */
export async function limitInitiation(stranger: Stranger): Promise<void> {
  const { otpInitiationsOfAddress: most } = stranger.engine.limits;
  await spendNow(
    stranger.engine,
    ...allowancesOf(stranger, { scope: 'otp-initiations-of-address', most, windowMs: TEN_MINUTES }),
  );
}

/** Before a code is tried: so many in ten minutes from one address. Throws RATE_LIMIT_EXCEEDED. */
export async function limitVerification(stranger: Stranger): Promise<void> {
  const { otpVerificationsOfAddress: most } = stranger.engine.limits;
  await spendNow(
    stranger.engine,
    ...allowancesOf(stranger, { scope: 'otp-verifications-of-address', most, windowMs: TEN_MINUTES }),
  );
}
