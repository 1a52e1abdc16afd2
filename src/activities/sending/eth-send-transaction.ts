import { acceptPlan } from '../../chain-io/sends/evm/accept.ts';
import { planOf } from '../../chain-io/sends/evm/plan.ts';
import { spendingOf } from '../../chain-io/sends/evm/spending.ts';
import { SEND_ROOTS, viewsOf } from '../../chain-io/sends/evm/view.ts';
import { reserveGas } from '../../chain-io/sends/gas/reserve.ts';
import { TRANSFERS_BY_KIND } from '../../domain/transfers/kinds.ts';
import { taken } from '../../domain/transfers/taken.ts';
import { activity } from '../../engine/activity/declare.ts';
import { SendResult } from '../../wire/sending.ts';
import { params } from './eth-send-transaction.history.ts';

export const ethSendTransaction = activity({
  kind: 'ETH_SEND_TRANSACTION',
  resource: 'PRIVATE_KEY',
  action: 'SIGN',
  usage: { signatures: 1, sends: 1 },
  recalls: true,
  // A sponsored send locks rows of sponsored gas, which others lock after their organization's row.
  checksLast: ({ sponsor }) => !sponsor,
  summary: 'Send a transaction, or several calls in one, on an EVM chain',
  params,
  policyRoots: SEND_ROOTS,
  batch: true,
  resolve: ({ ctx, intent: { sponsor, calls, ...rest } }) => {
    const form = sponsor ? 'sponsored' : calls.length > 1 ? 'batch' : 'call';
    return planOf(ctx, { ...rest, form, calls: calls.map(({ to, value = '0', data = '0x' }) => ({ to, value, data })) });
  },
  takes: ({ ctx, subject: plan }) => taken(ctx, plan.signer, () => TRANSFERS_BY_KIND.ETH_SEND_TRANSACTION(spendingOf(plan))),
  policyView: ({ ctx, subject: plan }) => viewsOf(ctx, plan),
  result: { key: 'ethSendTransactionResultV2', shape: SendResult },
  oldResults: [{ key: 'ethSendTransactionResult', shape: SendResult, until: 1, write: (result) => result }],
  errors: [acceptPlan, reserveGas],
  async execute({ ctx, subject: plan }) {
    return { sendTransactionStatusId: await acceptPlan(ctx, plan) };
  },
});
