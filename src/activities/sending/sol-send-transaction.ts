import { reserveGas } from '../../chain-io/sends/gas/reserve.ts';
import { type ReadySolana, readySolana, resolveSolana, solanaTaken, solanaViews } from '../../chain-io/sends/solana/subject.ts';
import { solanaTransaction } from '../../chains/solana/transaction.ts';
import { SIGNER_ROOTS } from '../../domain/policies/policy-view.ts';
import { acceptSend } from '../../domain/sends/sends.ts';
import { activity } from '../../engine/activity/declare.ts';
import { topLevelIdOf } from '../../model/organization.ts';
import { SendResult } from '../../wire/sending.ts';
import { params } from './sol-send-transaction.history.ts';

export const solSendTransaction = activity({
  kind: 'SOL_SEND_TRANSACTION',
  resource: 'PRIVATE_KEY',
  action: 'SIGN',
  usage: { signatures: 1, sends: 1 },
  recalls: true,
  checksLast: ({ sponsor }) => !sponsor,
  summary: 'Sign a Solana transaction and broadcast it until it is mined or has expired',
  params,
  policyRoots: [...SIGNER_ROOTS, solanaTransaction.root],
  resolve: ({ ctx, intent }) => resolveSolana(ctx, intent),
  takes: ({ ctx, subject }) => solanaTaken(ctx, subject),
  policyView: ({ ctx, intent, subject }) => solanaViews(ctx, intent, subject),
  result: { key: 'solSendTransactionResultV2', shape: SendResult },
  oldResults: [{ key: 'solSendTransactionResult', shape: SendResult, until: 1, write: (result) => result }],
  errors: [readySolana, reserveGas],
  async execute({ ctx, intent: request, subject }) {
    const { caip2, account, fromAddress, intent, sponsor }: ReadySolana = readySolana(request, subject);
    const { organization, store, now, reserves } = ctx;
    const id = ctx.ids.next();
    const about = { organizationId: organization.id, id, activityId: ctx.activityId, payerId: topLevelIdOf(organization) };
    const sponsored = sponsor !== undefined;
    const kept = { ...intent, ...(reserves && { reserves: true as const }) };
    await acceptSend(store, { ...about, caip2, kind: 'solana', account, fromAddress, sponsored, intent: kept }, now);
    if (sponsor) await reserveGas(ctx, { sendId: id, units: BigInt(intent.lamports), price: sponsor.price });
    return { sendTransactionStatusId: id };
  },
});
