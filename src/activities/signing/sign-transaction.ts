import { z } from 'zod';
import { toHex } from '../../base/bytes.ts';
import { transactionTypes } from '../../chains/transactions.ts';
import { SIGNER_ROOTS, viewOfSigner } from '../../domain/policy-view.ts';
import { findSigner, keyOf, lookUpSigner, schemeOf } from '../../domain/signers.ts';
import { readTransaction, transactionView } from '../../domain/transactions.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { params } from './sign-transaction.history.ts';

export const signTransaction = activity({
  kind: 'SIGN_TRANSACTION',
  resource: 'PRIVATE_KEY',
  action: 'SIGN',
  summary: 'Sign an unsigned transaction with a wallet account or private key',
  custody: 'sign',
  params,
  policyParams: { type: [STRING, ({ type }) => type] },
  policyRoots: [...SIGNER_ROOTS, ...transactionTypes.map(({ root }) => root)],
  async policyView(ctx, intent) {
    const found = await lookUpSigner(ctx.read, ctx.organization.id, intent.signWith);
    return [{ ...(await viewOfSigner(ctx, found)), ...(await transactionView(ctx, found, intent)) }];
  },
  result: { key: 'signTransactionResult', shape: z.object({ signedTransaction: z.string() }) },
  errors: ['REQUEST_INVALID', 'NOT_FOUND', 'INVALID_TRANSACTION', 'UNSUPPORTED_TRANSACTION_TYPE'],
  async execute(ctx, intent) {
    const signer = await findSigner(ctx.store, ctx.organization.id, intent.signWith);
    const { toSign, attach } = await readTransaction(ctx.store, signer, intent);
    const signatures = ctx.vault.sign(keyOf(signer), schemeOf(signer), toSign);
    return { signedTransaction: toHex(attach(signatures)) };
  },
});
