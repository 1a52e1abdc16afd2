import { z } from 'zod';
import { acceptPlan } from '../../chain-io/sends/evm/accept.ts';
import { checkFees, transactionFields } from '../../chain-io/sends/evm/params.ts';
import { planOf } from '../../chain-io/sends/evm/plan.ts';
import { spendingOf } from '../../chain-io/sends/evm/spending.ts';
import { SEND_ROOTS, viewsOf } from '../../chain-io/sends/evm/view.ts';
import { TRANSFERS_BY_KIND } from '../../domain/transfers/kinds.ts';
import { taken } from '../../domain/transfers/taken.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { SendResult } from '../../wire/sending.ts';

export const ethUndelegate7702 = activity({
  kind: 'ETH_UNDELEGATE_7702',
  resource: 'PRIVATE_KEY',
  action: 'SIGN',
  usage: { signatures: 1, sends: 1 },
  summary: 'End the delegation of an account on an EVM chain (EIP-7702)',
  aliases: { ACTIVITY_TYPE_ETH_UNDELEGATE7702: 'ACTIVITY_TYPE_ETH_UNDELEGATE_7702' },
  params: v1(z.object(transactionFields).superRefine(checkFees)),
  policyRoots: SEND_ROOTS,
  resolve: ({ ctx, intent }) => planOf(ctx, { ...intent, form: 'undelegate', calls: [] }),
  takes: ({ ctx, subject: plan }) => taken(ctx, plan.signer, () => TRANSFERS_BY_KIND.ETH_UNDELEGATE_7702(spendingOf(plan))),
  policyView: ({ ctx, subject: plan }) => viewsOf(ctx, plan),
  result: { key: 'ethUndelegate7702Result', shape: SendResult },
  errors: [acceptPlan],
  async execute({ ctx, subject: plan }) {
    return { sendTransactionStatusId: await acceptPlan(ctx, plan) };
  },
});
