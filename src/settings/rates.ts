import type { Rate } from '../limits/buckets.ts';
import type { Environment, Setting } from './names.ts';
import { ConfigError } from './read.ts';

/**
 * Rate limits for requests. One is for each address without a stamp. The others are for stamped requests of one organization or user.
 * Undefined: no limit.
 */
export type RateSettings = {
  unstamped: Rate | undefined;
  organization: Rate | undefined;
  subOrganization: Rate | undefined;
  user: Rate | undefined;
};

/** The burst as a multiple of the rate, if only the rate is set. */
const BURST = 10;

const MOST = 1_000_000;

/** `10` or `10/100`: the requests per second, and the maximum burst. `off`: no limit. */
function rate(env: Environment, name: Setting, fallback: string): Rate | undefined {
  const text = env[name] || fallback;
  if (text === 'off') return undefined;
  const [, perSecond, burst] = /^(\d{1,7}(?:\.\d{1,3})?)(?:\/(\d{1,7}))?$/.exec(text) ?? [];
  const found = {
    perSecond: Number(perSecond),
    burst: burst === undefined ? Math.max(1, Math.ceil(Number(perSecond) * BURST)) : Number(burst),
  };
  if (!(found.perSecond > 0 && found.perSecond <= MOST && found.burst >= 1 && found.burst <= MOST * BURST))
    throw new ConfigError(`${name} must be requests per second and the size of a burst, such as 10/100, or off; not "${text}"`);
  return found;
}

export const rateSettings = (env: Environment): RateSettings => ({
  unstamped: rate(env, 'RATE_UNSTAMPED', '10/100'),
  organization: rate(env, 'RATE_ORGANIZATION', 'off'),
  subOrganization: rate(env, 'RATE_SUB_ORGANIZATION', 'off'),
  user: rate(env, 'RATE_USER', 'off'),
});

const shown = (found: Rate | undefined): string => (found === undefined ? 'off' : `${found.perSecond}/${found.burst}`);

/** The rate limits in the form of the settings, for display. */
export const shownRates = ({ unstamped, organization, subOrganization, user }: RateSettings): Record<string, string> => ({
  RATE_UNSTAMPED: shown(unstamped),
  RATE_ORGANIZATION: shown(organization),
  RATE_SUB_ORGANIZATION: shown(subOrganization),
  RATE_USER: shown(user),
});
