import { z } from 'zod';
import { proxyEndpoint } from '../declare.ts';

export const walletKitClientParams = proxyEndpoint({
  path: '/v1/wallet_kit_client_params',
  summary: 'Read with which site key a page makes captcha tokens, if it needs any',
  params: z.object({}),
  result: z.object({ turnstileSiteKey: z.string().optional() }),
  bodyless: true,
  async run({ config: { settings }, captchaSiteKey }) {
    const isNeeded = settings.captchaEnabled && captchaSiteKey !== undefined;
    return isNeeded ? { turnstileSiteKey: captchaSiteKey } : {};
  },
});
