import type { Clock } from '../base/clock.ts';
import { ApiError, Unreachable } from '../base/errors.ts';
import type { Random } from '../base/random.ts';
import type { OnRampSigning } from '../custody/types.ts';
import type { OnRampPort } from '../engine/ports.ts';
import type { FiatOnRampCredential, OnRampProvider } from '../model/on-ramp.ts';
import { topLevelIdOf } from '../model/organization.ts';
import { type Calls, OutboundError } from '../outbound/types.ts';
import type { Store } from '../store/types.ts';
import { coinbase } from './coinbase.ts';
import { credentialOfTransaction } from './credentials.ts';
import { moonpay } from './moonpay.ts';
import type { Asking, Provider } from './provider.ts';

const PROVIDERS: Readonly<Record<OnRampProvider, Provider>> = {
  FIAT_ON_RAMP_PROVIDER_COINBASE: coinbase,
  FIAT_ON_RAMP_PROVIDER_MOONPAY: moonpay,
};

/** How often a provider is asked about one transaction. */
export const ASKED_EVERY_MS = 3_000;

/** Addresses that replace those of a provider, its interface and its page alike. */
export type OnRampUrls = { readonly [P in OnRampProvider]: { live: string | undefined; sandbox: string | undefined } };

type Parts = {
  calls: Calls;
  urls: OnRampUrls;
  signing: OnRampSigning;
  store: Store;
  /** The service's time. */
  clock: Clock;
  /** The machine's clock: providers judge by it. */
  machine: Clock;
  random: Random;
  sendAddress: Asking['sendAddress'];
};

/** Asks the providers at which organizations have credentials. */
export function onRampPort({ calls, urls, signing, store, clock, machine, random, sendAddress }: Parts): OnRampPort {
  async function ask<T>(
    { provider: name, sandboxMode }: Pick<FiatOnRampCredential, 'provider' | 'sandboxMode'>,
    payer: string,
    work: (provider: Provider, asking: Asking) => Promise<T>,
  ): Promise<T> {
    const provider = PROVIDERS[name];
    const mode = sandboxMode ? 'sandbox' : 'live';
    const own = urls[name][mode];
    const { api, site, page } = provider[mode];
    const base = own ?? api;
    const { host, pathname } = new URL(base);
    try {
      return await work(provider, {
        call: (request) => calls(base, { payer }, (call) => call(request)),
        base: `${host}${pathname.replace(/\/$/, '')}`,
        site: `${own ?? site}${page}`,
        means: { signing, random, time: machine.now() },
        sendAddress,
      });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (!error.mayPass) throw new ApiError('REQUEST_INVALID', `${provider.title} cannot be called: ${error.message}`);
      throw new Unreachable(`${provider.title} is unreachable now: ${error.message}`);
    }
  }

  return {
    page: (asked, { payer, address }) =>
      ask(asked.credential, payer, (provider, asking) => provider.page(asking, asked, address)),
    async refreshed(transaction, organization) {
      const { organizationId, id, status: known } = transaction;
      if (known !== 'PENDING') return known;
      const now = clock.now();
      const isOurs = await store.transaction((tx) =>
        tx.onRampTransactions.claim(organizationId, id, { before: now - ASKED_EVERY_MS, now }),
      );
      if (!isOurs) return (await store.read.onRampTransactions.get(organizationId, id))?.status ?? known;
      const credential = await credentialOfTransaction(store.read, organization, transaction);
      const status = await ask(transaction, topLevelIdOf(organization), (provider, asking) =>
        provider.status(asking, credential, transaction),
      );
      if (status === 'PENDING') return status;
      await store.transaction((tx) => tx.onRampTransactions.settle(organizationId, id, status, clock.now()));
      return (await store.read.onRampTransactions.get(organizationId, id))?.status ?? status;
    },
  };
}
