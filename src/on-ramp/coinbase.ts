import { toHex } from '../base/bytes.ts';
import { ApiError } from '../base/errors.ts';
import { isObject } from '../base/json.ts';
import type { Random } from '../base/random.ts';
import type { OnRampSigning } from '../custody/types.ts';
import { writeJwt } from '../login/tokens/jwt.ts';
import type { FiatOnRampCredential, OnRampOrder, OnRampPaymentMethod } from '../model/on-ramp.ts';
import { readAnswer } from './answers.ts';
import type { Provider } from './provider.ts';
import { afterPrefix, statusOf } from './words.ts';

/** https://docs.cdp.coinbase.com/onramp: session tokens, URLs of the page, and the status of transactions. */
const TITLE = 'Coinbase';
const TOKEN_PATH = '/onramp/v1/token';
const statusPath = (reference: string): string => `/onramp/v1/buy/user/${reference}/transactions`;

const JWT_SECONDS = 120;

/** A session token, which is a part of the page's address. */
const TOKEN = /^[A-Za-z0-9._~+/=-]{1,1024}$/;

const methodOf = (method: OnRampPaymentMethod): string =>
  method === 'FIAT_ON_RAMP_PAYMENT_METHOD_CREDIT_DEBIT_CARD' ? 'CARD' : afterPrefix(method);

const networkOf = ({ network }: OnRampOrder): string => afterPrefix(network).toLowerCase();
const assetOf = ({ cryptoCurrencyCode }: OnRampOrder): string => afterPrefix(cryptoCurrencyCode);

/** Our id, as Coinbase knows it: it recognizes test purchases by this prefix. */
const referenceOf = (id: string, sandboxMode: boolean): string => (sandboxMode ? `sandbox-${id}` : id);

/**
 * Proof of the key for one request, as https://docs.cdp.coinbase.com/api-reference/authentication describes it. `time`: milliseconds
 * since 1970, by the machine's clock.
 */
export function coinbaseJwt(
  { signing, random, time }: { signing: OnRampSigning; random: Random; time: number },
  credential: FiatOnRampCredential,
  request: { method: 'GET' | 'POST'; base: string; path: string },
): string {
  const { publishableApiKey: keyId, sealedPrivateApiKey } = credential;
  if (sealedPrivateApiKey === null)
    throw new ApiError(
      'FIAT_ON_RAMP_NOT_CONFIGURED',
      'the on-ramp credential has no private key: update it with encryptedPrivateApiKey',
    );
  const now = Math.floor(time / 1000);
  const claims = {
    sub: keyId,
    iss: 'cdp',
    uris: [`${request.method} ${request.base}${request.path}`],
    iat: now,
    nbf: now,
    exp: now + JWT_SECONDS,
  };
  return signing.withPrivateKey(credential, sealedPrivateApiKey, ({ alg, sign }) =>
    writeJwt({ alg, kid: keyId, typ: 'JWT', nonce: toHex(random(16)) }, claims, sign),
  );
}

function pageOf(site: string, token: string, order: OnRampOrder, reference: string): string {
  const query = new URLSearchParams({ sessionToken: token, defaultNetwork: networkOf(order), defaultAsset: assetOf(order) });
  if (order.fiatCurrencyAmount !== undefined) query.set('presetFiatAmount', order.fiatCurrencyAmount);
  if (order.fiatCurrencyCode !== undefined) query.set('fiatCurrency', afterPrefix(order.fiatCurrencyCode));
  if (order.paymentMethod !== undefined) query.set('defaultPaymentMethod', methodOf(order.paymentMethod));
  // The parameter had the second name before, and pages of both ages may be served.
  query.set('partnerUserRef', reference);
  query.set('partnerUserId', reference);
  return `${site}?${query}`;
}

export const coinbase: Provider = {
  title: TITLE,
  live: { api: 'https://api.developer.coinbase.com', site: 'https://pay.coinbase.com', page: '/buy/select-asset' },
  sandbox: { api: 'https://api.developer.coinbase.com', site: 'https://pay-sandbox.coinbase.com', page: '/' },

  async page({ call, base, site, means, sendAddress }, { credential, transactionId, order }, address) {
    const jwt = coinbaseJwt(means, credential, { method: 'POST', base, path: TOKEN_PATH });
    const clientIp = sendAddress(address);
    const answered = await call({
      method: 'POST',
      path: TOKEN_PATH,
      headers: { authorization: `Bearer ${jwt}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        addresses: [{ address: order.walletAddress, blockchains: [networkOf(order)] }],
        assets: [assetOf(order)],
        ...(clientIp === undefined ? {} : { clientIp }),
      }),
    });
    const value = readAnswer(TITLE, answered, jwt);
    const token = isObject(value) ? value.token : undefined;
    if (typeof token !== 'string' || !TOKEN.test(token))
      throw new ApiError('REQUEST_INVALID', `${TITLE} answered without a session token`);
    return { url: pageOf(site, token, order, referenceOf(transactionId, credential.sandboxMode)) };
  },

  async status({ call, base, means }, credential, { id, sandboxMode }) {
    const path = statusPath(referenceOf(id, sandboxMode));
    const jwt = coinbaseJwt(means, credential, { method: 'GET', base, path });
    const headers = { authorization: `Bearer ${jwt}` };
    const answered = await call({ method: 'GET', path: `${path}?page_size=10`, headers });
    if (answered.status === 404) return 'PENDING';
    const value = readAnswer(TITLE, answered, jwt);
    const found = isObject(value) && Array.isArray(value.transactions) ? value.transactions : [];
    return statusOf(found, ({ status }) => {
      if (status === 'ONRAMP_TRANSACTION_STATUS_SUCCESS') return 'COMPLETED';
      return status === 'ONRAMP_TRANSACTION_STATUS_FAILED' ? 'FAILED' : 'PENDING';
    });
  },
};
