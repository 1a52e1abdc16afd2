import { z } from 'zod';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { credentialFor } from '../../on-ramp/credentials.ts';
import { checkOrder, searchToSign } from '../../on-ramp/order.ts';
import { IdOut } from '../../wire/common.ts';
import { InitFiatOnRampParams } from '../../wire/on-ramp.ts';

/** How long the status of a purchase can be asked for. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1000;
const SWEPT_AT_ONCE = 10;

export const initFiatOnRamp = activity({
  kind: 'INIT_FIAT_ON_RAMP',
  resource: 'FIAT_TRANSACTION',
  action: 'CREATE',
  summary: 'Open the page of an on-ramp provider on which a person buys cryptocurrency for an address',
  resultSecrets: ['onRampUrl', 'onRampUrlSignature'],
  params: v1(InitFiatOnRampParams),
  policyParams: {
    onramp_provider: [STRING, ({ onrampProvider }) => onrampProvider],
    wallet_address: [STRING, ({ walletAddress }) => walletAddress],
    network: [STRING, ({ network }) => network],
    crypto_currency_code: [STRING, ({ cryptoCurrencyCode }) => cryptoCurrencyCode],
    fiat_currency_code: [STRING, ({ fiatCurrencyCode }) => fiatCurrencyCode ?? ''],
    fiat_currency_amount: [STRING, ({ fiatCurrencyAmount }) => fiatCurrencyAmount ?? ''],
    payment_method: [STRING, ({ paymentMethod }) => paymentMethod ?? ''],
  },
  result: {
    key: 'initFiatOnRampResult',
    shape: z.object({ onRampUrl: z.string(), onRampTransactionId: IdOut, onRampUrlSignature: z.string().optional() }),
  },
  errors: [checkOrder, credentialFor, searchToSign, 'FIAT_ON_RAMP_NOT_CONFIGURED'],
  check: ({ intent }) => checkOrder(intent),
  async prepare({ ctx: { organization, read, ids, onRampPage }, intent }) {
    const { onrampProvider: provider, sandboxMode = false, ...order } = intent;
    const credential = await credentialFor(read, organization, { provider, sandboxMode });
    const id = ids.next();
    const page = await onRampPage({ credential, transactionId: id, order, searchToSign: searchToSign(intent, credential) });
    return { page, transaction: { id, provider, sandboxMode, credentialId: credential.id } };
  },
  async execute({
    ctx: {
      organization: { id: organizationId },
      store,
      now,
    },
    prepared: { page, transaction },
  }) {
    await store.onRampTransactions.sweep(organizationId, now - KEPT_MS, SWEPT_AT_ONCE);
    const times = { askedAt: 0, createdAt: now, updatedAt: now };
    await store.onRampTransactions.insert({ organizationId, ...transaction, status: 'PENDING', ...times });
    const { url, signature } = page;
    return {
      onRampUrl: url,
      onRampTransactionId: transaction.id,
      ...(signature === undefined ? {} : { onRampUrlSignature: signature }),
    };
  },
});
