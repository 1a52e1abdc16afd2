import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { Limits } from '../../model/limits.ts';
import { type AuthenticationMethod, type MfaPolicy, type MfaStep, NO_PROFILE } from '../../model/mfa-policy.ts';
import { type Organization, topLevelIdOf } from '../../model/organization.ts';
import { isApiKeyType, type User } from '../../model/user.ts';
import type { Reader } from '../../store/types.ts';

const WHAT = {
  AUTHENTICATION_TYPE_PASSKEY: 'the passkeys',
  AUTHENTICATION_TYPE_API_KEY: 'the API keys',
  AUTHENTICATION_TYPE_OAUTH: 'the OAuth providers',
} as const;

/** Throws NOT_FOUND. */
export async function mfaPolicyOf(
  read: Pick<Reader, 'mfaPolicies'>,
  organizationId: string,
  { userId, mfaPolicyId }: { userId: string; mfaPolicyId: string },
  field: string,
): Promise<MfaPolicy> {
  const policy = await read.mfaPolicies.get(organizationId, userId, mfaPolicyId);
  if (policy === undefined)
    throw new ApiError(
      'NOT_FOUND',
      `mfa policy not found: ${field} names ${mfaPolicyId}, which is not an MFA policy of user ${userId}`,
    );
  return policy;
}
mfaPolicyOf.errors = errorsOf('NOT_FOUND');

/** Refuses steps that no user could have. */
export function checkSteps(steps: readonly MfaStep[]): void {
  for (const [i, { any }] of steps.entries())
    for (const [j, { type, id }] of any.entries())
      if (id !== undefined && (type === 'AUTHENTICATION_TYPE_EMAIL_OTP' || type === 'AUTHENTICATION_TYPE_SMS_OTP'))
        throw invalid(fieldOf(i, j), `must be left out: ${type} uses the user's contact`);
}
checkSteps.errors = errorsOf('REQUEST_INVALID');

const lengthOf = ({ name, condition, steps, notes }: MfaPolicy): number =>
  name.length + condition.length + JSON.stringify(steps).length + (notes ?? '').length;

/** Throws LIMIT_EXCEEDED. Every vote of a user is shown with all of their policies. A text that gets no longer may stay. */
export async function requireTextRoom(read: Reader, limits: Limits, policy: MfaPolicy): Promise<void> {
  const all = await read.mfaPolicies.listByUser(policy.organizationId, policy.userId);
  const before = all.find(({ id }) => id === policy.id);
  if (before !== undefined && lengthOf(policy) <= lengthOf(before)) return;
  const others = all.filter((one) => one !== before);
  const characters = [...others, policy].reduce((sum, one) => sum + lengthOf(one), 0);
  const most = limits.mfaPolicyCharacters;
  if (characters > most)
    throw new ApiError(
      'LIMIT_EXCEEDED',
      `user has exceeded maximum characters in MFA policies: at most ${most} in all names, conditions, steps and notes (LIMIT_MFA_POLICY_CHARACTERS)`,
    );
}
requireTextRoom.errors = errorsOf('LIMIT_EXCEEDED');

const fieldOf = (step: number, method: number) => `parameters.requiredAuthenticationMethods[${step}].any[${method}].id`;

/** Whether the user has the credential or contact that the method names. */
async function has(read: Reader, organization: Organization, user: User, { type, id }: AuthenticationMethod): Promise<boolean> {
  const { organizationId } = user;
  if (id === undefined) return true;
  if (type === 'AUTHENTICATION_TYPE_SESSION')
    return id === NO_PROFILE || (await read.sessionProfiles.get(topLevelIdOf(organization), id)) !== undefined;
  if (type === 'AUTHENTICATION_TYPE_PASSKEY') return (await read.authenticators.get(organizationId, id))?.userId === user.id;
  if (type === 'AUTHENTICATION_TYPE_OAUTH') return (await read.oauthProviders.get(organizationId, id))?.userId === user.id;
  const key = await read.credentials.get(organizationId, id);
  return key?.userId === user.id && isApiKeyType(key.type);
}

/** Throws REQUEST_INVALID for a step that no stamp could meet: its user could not even change the policy. */
export async function requireMethods(
  read: Reader,
  organization: Organization,
  user: User,
  steps: readonly MfaStep[],
): Promise<void> {
  for (const [i, { any }] of steps.entries()) {
    if (organization.parentId === null && any.every(({ type }) => type === 'AUTHENTICATION_TYPE_OAUTH'))
      throw invalid(
        `parameters.requiredAuthenticationMethods[${i}].any`,
        'must also have another method: users of a top-level organization cannot stamp with an OAuth provider',
      );
    for (const [j, method] of any.entries()) {
      if (await has(read, organization, user, method)) continue;
      const { type } = method;
      throw invalid(
        fieldOf(i, j),
        type === 'AUTHENTICATION_TYPE_SESSION'
          ? `must be a session profile of the organization or of its parent, or ${NO_PROFILE} for sessions without one`
          : `must be one of ${WHAT[type as keyof typeof WHAT]} of user ${user.id}`,
      );
    }
  }
}
requireMethods.errors = errorsOf('REQUEST_INVALID');
