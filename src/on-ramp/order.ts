import { errorsOf } from '../base/declared-errors.ts';
import { invalid } from '../base/errors.ts';
import {
  CURRENCIES_OF,
  type FiatOnRampCredential,
  type OnRampNetwork,
  type OnRampOrder,
  type OnRampProvider,
  takes,
} from '../model/on-ramp.ts';

/** The form of addresses. Whether one exists, only the provider can tell. */
const EVM = /^0x[0-9a-fA-F]{40}$/;
const ADDRESSES: Readonly<Record<OnRampNetwork, RegExp>> = {
  FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_BITCOIN: /^[0-9A-Za-z]{14,90}$/,
  FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_ETHEREUM: EVM,
  FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_SOLANA: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/,
  FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_BASE: EVM,
};

type Wish = OnRampOrder & {
  onrampProvider: OnRampProvider;
  countryCode?: string | undefined;
  countrySubdivisionCode?: string | undefined;
  urlForSignature?: string | undefined;
};

/** Refuses what cannot be bought in this way. Throws REQUEST_INVALID. */
export function checkOrder(wish: Wish): void {
  const { onrampProvider, network, cryptoCurrencyCode, walletAddress, paymentMethod, countryCode } = wish;
  const currencies = CURRENCIES_OF[network];
  if (!currencies.includes(cryptoCurrencyCode))
    throw invalid('parameters.cryptoCurrencyCode', `is not a currency of ${network}, which has ${currencies.join(' and ')}`);
  if (!ADDRESSES[network].test(walletAddress)) throw invalid('parameters.walletAddress', `is not an address of ${network}`);
  if (paymentMethod !== undefined && !takes(onrampProvider, paymentMethod))
    throw invalid('parameters.paymentMethod', `${paymentMethod} is not a payment method of ${onrampProvider}`);
  if (countryCode === 'US' && wish.countrySubdivisionCode === undefined)
    throw invalid('parameters.countrySubdivisionCode', 'must name the state if countryCode is US');
  if (wish.urlForSignature !== undefined && onrampProvider !== 'FIAT_ON_RAMP_PROVIDER_MOONPAY')
    throw invalid('parameters.urlForSignature', 'is for MoonPay: pages of other providers have no signature');
}
checkOrder.errors = errorsOf('REQUEST_INVALID');

const FIELD = 'parameters.urlForSignature';

/**
 * The query of the client's page, which MoonPay verifies as it is. It may name no other account and no other address than the
 * activity, because policies see only those. Throws REQUEST_INVALID.
 */
export function searchToSign(
  { urlForSignature, walletAddress }: Pick<Wish, 'urlForSignature' | 'walletAddress'>,
  { publishableApiKey }: Pick<FiatOnRampCredential, 'publishableApiKey'>,
): string | undefined {
  if (urlForSignature === undefined) return undefined;
  const url = URL.parse(urlForSignature);
  if (url?.protocol !== 'https:') throw invalid(FIELD, 'must be a URL that starts with https://');
  const { search, searchParams } = url;
  const only = (name: string, wanted: string) => searchParams.getAll(name).every((value) => value === wanted);
  if (!searchParams.has('apiKey') || !only('apiKey', publishableApiKey))
    throw invalid(FIELD, 'its apiKey must be the publishableApiKey of the credential');
  if (!only('walletAddress', walletAddress)) throw invalid(FIELD, 'its walletAddress must be that of the parameters');
  for (const name of ['walletAddresses', 'refundWalletAddress', 'signature'])
    if (searchParams.has(name)) throw invalid(FIELD, `must have no ${name}`);
  return search;
}
searchToSign.errors = errorsOf('REQUEST_INVALID');
