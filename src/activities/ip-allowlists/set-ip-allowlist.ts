import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { allowlistOf, rulesOf } from '../../domain/people/ip-allowlists.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { whyNotInForce } from '../../model/ip-allowlist.ts';
import { CredentialPublicKey, IpRuleParamsList, OnEvaluationError } from '../../wire/ip-allowlists.ts';

export const setIpAllowlist = activity({
  kind: 'SET_IP_ALLOWLIST',
  resource: 'CONFIG',
  action: 'UPDATE',
  summary: 'Set the addresses from which requests are accepted: of the organization, or of one key',
  submitters: { from: 'top-level' },
  params: v1(
    z.object({
      publicKey: CredentialPublicKey.optional(),
      enabled: z.boolean().optional(),
      rules: IpRuleParamsList.optional(),
      onEvaluationError: OnEvaluationError.optional(),
    }),
  ),
  result: { key: 'setIpAllowlistResult', shape: z.object({}) },
  errors: [rulesOf, allowlistOf],
  check({ intent: { publicKey, enabled, rules } }) {
    if (publicKey !== undefined && enabled === false)
      throw invalid('parameters.enabled', "is only for the organization's list: a key's list is enabled if it has rules");
    rulesOf(rules ?? [], [], 0);
  },
  async review({ ctx: { organization, read, warn }, intent: { publicKey, rules } }) {
    if (publicKey === undefined) return;
    const stored = (await read.credentials.holder(organization.id, publicKey))?.credential.ipAllowlist;
    const why = whyNotInForce((rules ?? stored?.rules ?? []).length, organization.ipAllowlist);
    if (why !== undefined) warn('IP_ALLOWLIST_NOT_IN_FORCE', `the key's IP allow-list is stored, but not in force: ${why}`);
  },
  async execute({ ctx, intent: { publicKey, enabled, rules, onEvaluationError = 'DENY' } }) {
    const { stored, write } = await allowlistOf(ctx, ctx.organization, publicKey);
    const before = stored?.rules ?? [];
    await write({
      enabled: publicKey !== undefined || (enabled ?? stored?.enabled ?? false),
      rules: rules === undefined ? before : rulesOf(rules, before, ctx.now),
      onEvaluationError,
    });
    return {};
  },
});
