import { z } from 'zod';
import { activity } from '../../engine/activity.ts';
import { v1 } from '../../engine/versions.ts';
import { checkFeature, FeatureName, Features, viewFeatures } from '../../wire/features.ts';

export const setOrganizationFeature = activity({
  kind: 'SET_ORGANIZATION_FEATURE',
  resource: '',
  action: '',
  governedBy: 'root-quorum',
  summary: 'Switch a feature on, or give it another value',
  params: v1(z.object({ name: FeatureName, value: z.string().max(4096) }).superRefine(checkFeature)),
  result: { key: 'setOrganizationFeatureResult', shape: z.object({ features: Features }) },
  errors: [],
  async execute(ctx, { name, value }) {
    const features = { ...ctx.organization.features, [name]: value };
    await ctx.store.organizations.change(ctx.organization.id, { features }, ctx.now);
    ctx.factsChanged();
    return { features: viewFeatures(features) };
  },
});
