import { z } from 'zod';
import { checkMailed, EMAIL_AUTH, mailCredential, prepareMailed } from '../../domain/credentials/mailed-credentials.ts';
import { activity } from '../../engine/activity/declare.ts';
import { IdOut } from '../../wire/common.ts';
import { params } from './email-auth.history.ts';

export const emailAuth = activity({
  kind: 'EMAIL_AUTH',
  resource: 'AUTH',
  action: 'CREATE',
  usage: { messages: 1 },
  summary: 'Mail a user a short-lived API key, sealed to the key of their client',
  submitters: { from: 'parent' },
  custody: 'issue',
  params,
  result: { key: 'emailAuthResult', shape: z.object({ userId: IdOut, apiKeyId: IdOut }) },
  errors: [checkMailed, prepareMailed, mailCredential],
  check: ({ ctx, intent }) => checkMailed(ctx, intent),
  prepare: ({ ctx, intent }) => prepareMailed(ctx, EMAIL_AUTH, intent),
  execute: ({ ctx, intent, prepared: draft }) => mailCredential(ctx, EMAIL_AUTH, intent, draft),
});
