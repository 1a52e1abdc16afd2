import { z } from 'zod';
import { requireNoProxyFeature } from '../../domain/people/auth-proxy.ts';
import { requireRootsCanLogIn } from '../../domain/people/lasting-credentials.ts';
import { followFeature, WEBHOOK_FEATURE } from '../../domain/webhooks/feature-endpoint.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { FeatureName, Features, viewFeatures } from '../../wire/features.ts';

export const removeOrganizationFeature = activity({
  kind: 'REMOVE_ORGANIZATION_FEATURE',
  resource: '',
  action: '',
  governedBy: 'root-quorum',
  summary: 'Switch a feature off; a feature that is off stays off',
  params: v1(z.object({ name: FeatureName })),
  result: { key: 'removeOrganizationFeatureResult', shape: z.object({ features: Features }) },
  errors: [requireNoProxyFeature, requireRootsCanLogIn],
  check: ({ intent: { name } }) => requireNoProxyFeature(name, 'DISABLE_AUTH_PROXY'),
  async execute({ ctx, intent: { name } }) {
    await requireRootsCanLogIn(ctx.store, ctx.organization, name, 'parameters.name');
    const { [name]: _, ...features } = ctx.organization.features;
    await ctx.store.organizations.change(ctx.organization.id, { features }, ctx.now);
    if (name === WEBHOOK_FEATURE) await followFeature(ctx.store, ctx.organization.id, undefined, ctx.now);
    return { features: viewFeatures(features) };
  },
});
