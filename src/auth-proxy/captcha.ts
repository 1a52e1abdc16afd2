import { ApiError } from '../base/errors.ts';
import type { CaptchaPort, CaptchaVerdict } from '../login/captcha/port.ts';
import { UNKNOWN_ADDRESS } from '../model/ip-address.ts';
import { badHeader } from './bad-header.ts';
import type { ProxyContext } from './declare.ts';

/** `count`: counts the result of each captcha, for the metrics. `port`: undefined if the operator has set up none. */
export type Captcha = { port: CaptchaPort | undefined; count(verdict: CaptchaVerdict | 'missing'): void };

const CAPTCHA_HEADER = 'X-Captcha-Token';

/**
 * Whether the token proves that a code was received: that is harder than a captcha. The activity reports other errors in the
 * token.
 */
async function isVerified({ engine, organization, now }: ProxyContext, params: unknown): Promise<boolean> {
  const { verificationToken } = params as { verificationToken?: unknown };
  if (typeof verificationToken !== 'string') return false;
  const token = await engine.tokens(verificationToken);
  return token !== undefined && token.organizationId === organization.id && token.expiresAt > now;
}

/** Throws REQUEST_INVALID without a token, FORBIDDEN for a wrong one, and `Unreachable`. */
export async function checkCaptcha(
  ctx: ProxyContext,
  { port, count }: Captcha,
  token: string | undefined,
  params: unknown,
): Promise<void> {
  const { engine, organization, config, address } = ctx;
  if (!config.settings.captchaEnabled || (await isVerified(ctx, params))) return;
  if (port === undefined)
    throw new ApiError(
      'FORBIDDEN',
      'captcha verification failed: captcha is enabled, but the operator of this service has not set TURNSTILE_SECRET_KEY',
    );
  if (token === undefined || token === '') {
    count('missing');
    throw badHeader(CAPTCHA_HEADER, 'header is required when captcha is enabled');
  }
  const known = address === UNKNOWN_ADDRESS ? undefined : address;
  const verdict = await port.verify({ token, address: known, id: engine.ids.next(), payer: organization.id });
  count(verdict);
  if (verdict === 'failed') throw new ApiError('FORBIDDEN', 'captcha verification failed');
}
