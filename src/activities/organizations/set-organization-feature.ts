import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { requireNoProxyFeature } from '../../domain/people/auth-proxy.ts';
import { checkReceiver } from '../../domain/webhooks/endpoints.ts';
import { followFeature, WEBHOOK_FEATURE } from '../../domain/webhooks/feature-endpoint.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { FeatureName, Features, featureValue, LONGEST_VALUE, viewFeatures } from '../../wire/features.ts';

export const setOrganizationFeature = activity({
  kind: 'SET_ORGANIZATION_FEATURE',
  resource: '',
  action: '',
  governedBy: 'root-quorum',
  summary: 'Switch a feature on, or change its value',
  fences: true,
  params: v1(z.object({ name: FeatureName, value: z.string().max(LONGEST_VALUE) })),
  result: { key: 'setOrganizationFeatureResult', shape: z.object({ features: Features }) },
  errors: [requireNoProxyFeature, checkReceiver],
  check({ intent: { name, value } }) {
    requireNoProxyFeature(name, 'ENABLE_AUTH_PROXY');
    const { problem } = featureValue(name, value);
    if (problem !== undefined) throw invalid('parameters.value', problem);
  },
  async prepare({ ctx, intent: { name, value } }) {
    if (name === WEBHOOK_FEATURE) await checkReceiver(ctx, value, 'parameters.value');
  },
  async execute({ ctx, intent: { name, value } }) {
    const features = { ...ctx.organization.features, [name]: featureValue(name, value).value };
    await ctx.store.organizations.change(ctx.organization.id, { features }, ctx.now);
    if (name === WEBHOOK_FEATURE) await followFeature(ctx.store, ctx.organization.id, value, ctx.now);
    return { features: viewFeatures(features) };
  },
});
