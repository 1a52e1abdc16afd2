import { z } from 'zod';
import { toHex } from '../../base/bytes.ts';
import { keyOf, schemeOf, usableSigner } from '../../domain/keys/signers.ts';
import { readable, resolveTransaction, TRANSACTION_ROOTS, transactionView } from '../../domain/keys/transactions.ts';
import { SIGNER_ROOTS, viewOfSigner } from '../../domain/policies/policy-view.ts';
import { transactionTaken } from '../../domain/transfers/taken.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { params } from './sign-transaction.history.ts';

export const signTransaction = activity({
  kind: 'SIGN_TRANSACTION',
  resource: 'PRIVATE_KEY',
  action: 'SIGN',
  summary: 'Sign an unsigned transaction with a wallet account or private key',
  custody: 'sign',
  writes: false,
  usage: { signatures: 1 },
  params,
  policyParams: { type: [STRING, ({ type }) => type] },
  policyRoots: [...SIGNER_ROOTS, ...TRANSACTION_ROOTS],
  resolve: ({ ctx, intent }) => resolveTransaction(ctx, intent),
  takes: ({ ctx, intent, subject }) => transactionTaken(ctx, subject, intent),
  async policyView({ ctx, intent: { type }, subject: { signer, unsigned } }) {
    return [{ ...(await viewOfSigner(ctx, signer)), ...(await transactionView(ctx, type, unsigned)) }];
  },
  result: { key: 'signTransactionResult', shape: z.object({ signedTransaction: z.string() }) },
  errors: [usableSigner, readable],
  async execute({ ctx, intent: { signWith }, subject }) {
    const signer = usableSigner(subject.signer, signWith);
    const { toSign, attach } = readable(subject.unsigned);
    const signatures = ctx.vault.sign(keyOf(signer), schemeOf(signer), toSign);
    return { signedTransaction: toHex(attach(signatures)) };
  },
});
