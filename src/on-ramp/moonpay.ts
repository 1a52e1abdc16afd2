import type { FiatOnRampCredential, OnRampOrder } from '../model/on-ramp.ts';
import { readAnswer } from './answers.ts';
import type { Provider } from './provider.ts';
import { afterPrefix, statusOf } from './words.ts';

/** https://dev.moonpay.com: the parameters of the page, their signature, and transactions by an external id. */
const TITLE = 'MoonPay';

const SUFFIXES: { readonly [network: string]: string } = { SOLANA: '_sol', BASE: '_base' };

/** MoonPay's code of a currency names the network, unless it is the currency's first one. */
function currencyOf({ network, cryptoCurrencyCode }: OnRampOrder): string {
  const code = afterPrefix(cryptoCurrencyCode).toLowerCase();
  return code === 'sol' ? code : `${code}${SUFFIXES[afterPrefix(network)] ?? ''}`;
}

function searchOf({ publishableApiKey }: FiatOnRampCredential, order: OnRampOrder, externalTransactionId: string): string {
  const query = new URLSearchParams({
    apiKey: publishableApiKey,
    currencyCode: currencyOf(order),
    walletAddress: order.walletAddress,
  });
  if (order.fiatCurrencyCode !== undefined) query.set('baseCurrencyCode', afterPrefix(order.fiatCurrencyCode).toLowerCase());
  if (order.fiatCurrencyAmount !== undefined) query.set('baseCurrencyAmount', order.fiatCurrencyAmount);
  if (order.paymentMethod !== undefined) query.set('paymentMethod', afterPrefix(order.paymentMethod).toLowerCase());
  query.set('externalTransactionId', externalTransactionId);
  return `?${query}`;
}

export const moonpay: Provider = {
  title: TITLE,
  live: { api: 'https://api.moonpay.com', site: 'https://buy.moonpay.com', page: '/' },
  sandbox: { api: 'https://api.moonpay.com', site: 'https://buy-sandbox.moonpay.com', page: '/' },

  async page({ site, means: { signing } }, { credential, transactionId, order, searchToSign }) {
    const sign = (text: string) => signing.signText(credential, credential.sealedSecretApiKey, text);
    const search = searchOf(credential, order, transactionId);
    return {
      url: `${site}${search}&signature=${encodeURIComponent(sign(search))}`,
      ...(searchToSign === undefined ? {} : { signature: sign(searchToSign) }),
    };
  },

  async status({ call }, { publishableApiKey }, { id }) {
    const query = new URLSearchParams({ apiKey: publishableApiKey });
    const answered = await call({ method: 'GET', path: `/v1/transactions/ext/${id}?${query}` });
    if (answered.status === 404) return 'PENDING';
    const value = readAnswer(TITLE, answered, publishableApiKey);
    const found = Array.isArray(value) ? value : [value];
    return statusOf(found, ({ status, failureReason }) => {
      if (status === 'completed') return 'COMPLETED';
      if (status !== 'failed') return 'PENDING';
      return failureReason === 'cancelled' ? 'CANCELLED' : 'FAILED';
    });
  },
};
