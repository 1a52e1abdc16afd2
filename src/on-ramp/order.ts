import { errorsOf } from '../base/declared-errors.ts';
import { invalid } from '../base/errors.ts';
import { CURRENCIES_OF, type FiatOnRampCredential, type OnRampOrder, type OnRampProvider, takes } from '../model/on-ramp.ts';
import { isAddressOf } from './addresses.ts';

type Wish = OnRampOrder & {
  onrampProvider: OnRampProvider;
  countryCode?: string | undefined;
  countrySubdivisionCode?: string | undefined;
  sandboxMode?: boolean | undefined;
  urlForSignature?: string | undefined;
};

/** Refuses what cannot be bought in this way. Throws REQUEST_INVALID. */
export function checkOrder(wish: Wish): void {
  const { onrampProvider, network, cryptoCurrencyCode, walletAddress, paymentMethod, countryCode, sandboxMode = false } = wish;
  const currencies = CURRENCIES_OF[network];
  if (!currencies.includes(cryptoCurrencyCode))
    throw invalid('parameters.cryptoCurrencyCode', `is not a currency of ${network}, which has ${currencies.join(' and ')}`);
  if (!isAddressOf(network, walletAddress, sandboxMode))
    throw invalid('parameters.walletAddress', `is not an address of ${network}`);
  if (paymentMethod !== undefined && !takes(onrampProvider, paymentMethod))
    throw invalid('parameters.paymentMethod', `${paymentMethod} is not a payment method of ${onrampProvider}`);
  if (countryCode === 'US' && wish.countrySubdivisionCode === undefined)
    throw invalid('parameters.countrySubdivisionCode', 'must name the state if countryCode is US');
  if (wish.urlForSignature !== undefined && onrampProvider !== 'FIAT_ON_RAMP_PROVIDER_MOONPAY')
    throw invalid('parameters.urlForSignature', 'is for MoonPay: pages of other providers have no signature');
}
checkOrder.errors = errorsOf('REQUEST_INVALID');

const FIELD = 'parameters.urlForSignature';

/** Whether a parameter may name an address too: walletAddresses, or another spelling that MoonPay might read as walletAddress. */
const isOtherAddress = (name: string): boolean => name !== 'walletAddress' && /walletaddress/i.test(name);

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
  for (const name of searchParams.keys())
    if (name === 'signature' || isOtherAddress(name)) throw invalid(FIELD, `must have no ${name}`);
  return search;
}
searchToSign.errors = errorsOf('REQUEST_INVALID');
