import { z } from 'zod';
import { proxyEndpoint } from '../declare.ts';

export const walletKitClientParams = proxyEndpoint({
  path: '/v1/wallet_kit_client_params',
  summary: 'Read the site key with which a page makes captcha tokens, if captcha is enabled',
  params: z.object({}),
  result: z.object({ turnstileSiteKey: z.string().optional() }),
  bodyless: true,
  async run({ config: { settings }, captchaSiteKey }) {
    const isNeeded = settings.captchaEnabled && captchaSiteKey !== undefined;
    return isNeeded ? { turnstileSiteKey: captchaSiteKey } : {};
  },
});
