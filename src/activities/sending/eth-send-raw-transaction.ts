import { z } from 'zod';
import { fromHex } from '../../base/bytes.ts';
import { storeSend } from '../../chain-io/sends/evm/accept.ts';
import { rawIntent, rawPlanOf, rawViews } from '../../chain-io/sends/evm/raw.ts';
import { SEND_ROOTS } from '../../chain-io/sends/evm/view.ts';
import { frozenKey, requireUnfrozen } from '../../domain/keys/frozen.ts';
import { broadcastTaken } from '../../domain/transfers/taken.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { EvmCaip2 } from '../../wire/sending.ts';

/** Twice the size of the largest transaction that nodes accept, and 0x. */
const LONGEST = 2 + 2 * 131_072;

const SignedTransaction = z
  .string()
  .min(1, 'must be a signed transaction')
  .max(LONGEST)
  .regex(/^(?:0x)?(?:[0-9a-fA-F]{2})*$/, 'must be hex digits, two for each byte')
  .transform((text) => `0x${text.replace(/^0x/, '').toLowerCase()}` as const);

export const ethSendRawTransaction = activity({
  kind: 'ETH_SEND_RAW_TRANSACTION',
  resource: 'PRIVATE_KEY',
  action: 'SIGN',
  usage: { sends: 1 },
  recalls: true,
  checksLast: () => true,
  summary: 'Send a signed transaction on an EVM chain',
  params: v1(z.object({ signedTransaction: SignedTransaction, caip2: EvmCaip2 })),
  policyRoots: SEND_ROOTS,
  resolve: ({ ctx, intent }) => rawPlanOf(ctx, intent),
  takes: ({ ctx, subject: { signer, bytes } }) => broadcastTaken(ctx, signer, fromHex(bytes.slice(2)) ?? new Uint8Array()),
  policyView: ({ ctx, subject: plan }) => rawViews(ctx, plan),
  result: { key: 'ethSendRawTransactionResult', shape: z.object({ transactionHash: z.string() }) },
  errors: [requireUnfrozen, 'REQUEST_INVALID', 'INVALID_TRANSACTION', 'UNSUPPORTED_TRANSACTION_TYPE'],
  async execute({ ctx, subject: { transaction, bytes, caip2, signer, problem } }) {
    if (problem !== undefined || transaction === undefined) throw problem;
    if (signer?.isFrozen) throw frozenKey();
    await requireUnfrozen(ctx.store, ctx.organization.id, []);
    const { from, hash } = transaction;
    const intent = rawIntent(transaction, bytes);
    await storeSend(ctx, { caip2, account: from, fromAddress: from, sponsored: false, intent });
    return { transactionHash: hash };
  },
});
