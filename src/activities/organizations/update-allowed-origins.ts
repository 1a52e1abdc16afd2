import { z } from 'zod';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { writeOrigins } from '../../model/origins.ts';
import { Origins } from '../../wire/features.ts';

export const updateAllowedOrigins = activity({
  kind: 'UPDATE_ALLOWED_ORIGINS',
  resource: 'CONFIG',
  action: 'UPDATE',
  summary: 'Set the allowed origins of passkeys: the value of FEATURE_NAME_WEBAUTHN_ORIGINS. An empty list allows any origin',
  params: v1(z.object({ allowedOrigins: Origins })),
  result: { key: 'updateAllowedOriginsResult', shape: z.object({}) },
  errors: [],
  async execute({ ctx, intent: { allowedOrigins } }) {
    const { FEATURE_NAME_WEBAUTHN_ORIGINS: _, ...others } = ctx.organization.features;
    const listed = allowedOrigins.length > 0 && { FEATURE_NAME_WEBAUTHN_ORIGINS: writeOrigins(allowedOrigins) };
    await ctx.store.organizations.change(ctx.organization.id, { features: { ...others, ...listed } }, ctx.now);
    return {};
  },
});
