import { z } from 'zod';
import {
  checkMailed,
  EMAIL_AUTH,
  MAILED_ERRORS,
  mailCredential,
  prepareMailed,
} from '../../domain/credentials/mailed-credentials.ts';
import { activity } from '../../engine/activity/declare.ts';
import { IdOut } from '../../wire/common.ts';
import { params } from './email-auth.history.ts';

export const emailAuth = activity({
  kind: 'EMAIL_AUTH',
  resource: 'AUTH',
  action: 'CREATE',
  summary: 'Mail a user a short-lived API key, sealed to the key of their client',
  callers: 'parent',
  custody: 'issue',
  params,
  result: { key: 'emailAuthResult', shape: z.object({ userId: IdOut, apiKeyId: IdOut }) },
  errors: MAILED_ERRORS,
  check: checkMailed,
  prepare: (ctx, intent) => prepareMailed(ctx, EMAIL_AUTH, intent),
  execute: (ctx, intent, _subject, draft) => mailCredential(ctx, EMAIL_AUTH, intent, draft),
});
