import type { Random } from '../base/random.ts';
import type { OnRampSigning } from '../custody/types.ts';
import type { OnRampAsked, OnRampPage } from '../engine/ports.ts';
import type { FiatOnRampCredential, OnRampStatus, OnRampTransaction } from '../model/on-ramp.ts';
import type { Call } from '../outbound/types.ts';

/** Where a provider has its interface, and its page for buyers. */
export type Places = { api: string; site: string; page: string };

export type Asking = {
  call: Call;
  /** The address of the interface without its scheme. Its port is left out if it is the usual one. */
  base: string;
  /** The address of the page for buyers, without a query. */
  site: string;
  means: { signing: OnRampSigning; random: Random; time: number };
  /** A client's address, if the operator lets it be sent. */
  sendAddress(address: string | undefined): string | undefined;
};

/** A provider, as its own documents describe it. */
export type Provider = {
  /** The provider's name for people. */
  title: string;
  live: Places;
  sandbox: Places;
  page(asking: Asking, asked: OnRampAsked, address: string | undefined): Promise<OnRampPage>;
  status(
    asking: Asking,
    credential: FiatOnRampCredential,
    transaction: Pick<OnRampTransaction, 'id' | 'sandboxMode'>,
  ): Promise<OnRampStatus>;
};
