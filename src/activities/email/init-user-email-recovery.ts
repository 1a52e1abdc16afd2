import { z } from 'zod';
import { checkMailed, EMAIL_RECOVERY, mailCredential, prepareMailed } from '../../domain/credentials/mailed-credentials.ts';
import { activity } from '../../engine/activity/declare.ts';
import { IdOut } from '../../wire/common.ts';
import { params } from './init-user-email-recovery.history.ts';

export const initUserEmailRecovery = activity({
  kind: 'INIT_USER_EMAIL_RECOVERY',
  resource: 'RECOVERY',
  action: 'CREATE',
  usage: { messages: 1 },
  summary: 'Mail a user a recovery key, which can only add one passkey with RECOVER_USER',
  submitters: { from: 'parent' },
  custody: 'issue',
  params,
  result: { key: 'initUserEmailRecoveryResult', shape: z.object({ userId: IdOut }) },
  errors: [checkMailed, prepareMailed, mailCredential],
  check: ({ ctx, intent }) => checkMailed(ctx, intent),
  prepare: ({ ctx, intent }) => prepareMailed(ctx, EMAIL_RECOVERY, intent),
  async execute({ ctx, intent, prepared: draft }) {
    const { userId } = await mailCredential(ctx, EMAIL_RECOVERY, intent, draft);
    return { userId };
  },
});
