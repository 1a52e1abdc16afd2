import { z } from 'zod';
import { allowlistOf } from '../../domain/people/ip-allowlists.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { CredentialPublicKey } from '../../wire/ip-allowlists.ts';

export const removeIpAllowlist = activity({
  kind: 'REMOVE_IP_ALLOWLIST',
  resource: 'CONFIG',
  action: 'DELETE',
  summary: 'Remove the IP allow-list of the organization, or of one key; if there is none, nothing changes',
  submitters: { from: 'top-level' },
  params: v1(z.object({ publicKey: CredentialPublicKey.optional() })),
  result: { key: 'removeIpAllowlistResult', shape: z.object({}) },
  errors: [allowlistOf],
  async execute({ ctx, intent: { publicKey } }) {
    const { write } = await allowlistOf(ctx, ctx.organization, publicKey);
    await write(null);
    return {};
  },
});
