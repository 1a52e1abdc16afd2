import { ON_RAMP_PROVIDERS, type OnRampProvider } from '../model/on-ramp.ts';
import type { Environment } from './names.ts';
import { oneOf, webUrl } from './read.ts';

/** Base addresses for on-ramp providers, if they differ from the providers' own. */
export type OnRampSettings = {
  urls: { readonly [P in OnRampProvider]: { live: string | undefined; sandbox: string | undefined } };
  /** Coinbase is told the addresses of clients. */
  sendClientIp: boolean;
};

const [COINBASE, MOONPAY] = ON_RAMP_PROVIDERS;

export const onRampSettings = (env: Environment): OnRampSettings => ({
  urls: {
    [COINBASE]: { live: webUrl(env, 'ONRAMP_COINBASE_URL'), sandbox: webUrl(env, 'ONRAMP_COINBASE_SANDBOX_URL') },
    [MOONPAY]: { live: webUrl(env, 'ONRAMP_MOONPAY_URL'), sandbox: webUrl(env, 'ONRAMP_MOONPAY_SANDBOX_URL') },
  },
  sendClientIp: oneOf(env, 'ONRAMP_SEND_CLIENT_IP', ['on', 'off'], 'off') === 'on',
});

export function shownOnRamps({ urls, sendClientIp }: OnRampSettings): Readonly<Record<string, string>> {
  const shown = (url: string | undefined): string => url ?? '(unset)';
  return {
    ONRAMP_COINBASE_URL: shown(urls[COINBASE].live),
    ONRAMP_COINBASE_SANDBOX_URL: shown(urls[COINBASE].sandbox),
    ONRAMP_MOONPAY_URL: shown(urls[MOONPAY].live),
    ONRAMP_MOONPAY_SANDBOX_URL: shown(urls[MOONPAY].sandbox),
    ONRAMP_SEND_CLIENT_IP: sendClientIp ? 'on' : 'off',
  };
}
