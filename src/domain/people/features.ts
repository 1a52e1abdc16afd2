import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError } from '../../base/errors.ts';
import type { Caller } from '../../engine/context.ts';
import { featureIsOn, type Organization } from '../../model/organization.ts';

type FeatureName = `FEATURE_NAME_${string}`;

type Ctx = { organization: Organization; submitter: Pick<Caller, 'organization'> };

/** The earlier name of a feature: either name switches it on. */
const EARLIER: Readonly<Record<FeatureName, FeatureName>> = {
  FEATURE_NAME_EMAIL_RECOVERY: 'FEATURE_NAME_ROOT_USER_EMAIL_RECOVERY',
};

/**
 * Refuses an activity whose feature is off where it runs. If a user of the parent submitted it, the feature must also be on in
 * the parent. Throws REQUEST_NOT_AUTHORIZED.
 */
export function requireFeature({ organization, submitter }: Ctx, name: FeatureName): void {
  const names = [name, EARLIER[name] ?? name];
  for (const { id } of [organization, submitter.organization].filter((one) => !featureIsOn(one, ...names)))
    throw new ApiError(
      'REQUEST_NOT_AUTHORIZED',
      `request not authorized: ${name} is off in the organization ${id}. Switch it on with set_organization_feature`,
    );
}
requireFeature.errors = errorsOf('REQUEST_NOT_AUTHORIZED');
