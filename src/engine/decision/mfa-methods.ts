import { ATTESTED_SCHEME } from '../../model/attested.ts';
import { type AuthenticationMethod, type AuthenticationType, type MfaStep, NO_PROFILE } from '../../model/mfa-policy.ts';
import { type Credential, isApiKeyType, PASSKEY_TYPE, RECOVERY_KEY } from '../../model/user.ts';

/** A stamp of a user, with the credential that made it. */
export type Stamped = { scheme: string; credential: Credential };

/**
 * The method that a stamp proves. A key that a login made proves only the session, however the user logged in. A recovery key
 * proves nothing.
 */
export function methodOf({ scheme, credential }: Stamped): AuthenticationMethod | undefined {
  const { id, type, name } = credential;
  const by = (method: AuthenticationType): AuthenticationMethod => ({ type: method, id });
  if (scheme === ATTESTED_SCHEME) {
    if (type === 'CREDENTIAL_TYPE_OAUTH_KEY_P256') return by('AUTHENTICATION_TYPE_OAUTH');
    return { type: name === 'email' ? 'AUTHENTICATION_TYPE_EMAIL_OTP' : 'AUTHENTICATION_TYPE_SMS_OTP' };
  }
  if (type === PASSKEY_TYPE) return by('AUTHENTICATION_TYPE_PASSKEY');
  if (isApiKeyType(type)) return by('AUTHENTICATION_TYPE_API_KEY');
  if (type === RECOVERY_KEY) return undefined;
  return { type: 'AUTHENTICATION_TYPE_SESSION', id: credential.sessionProfileId ?? NO_PROFILE };
}

const meets = ({ any }: MfaStep, shown: AuthenticationMethod): boolean =>
  any.some(({ type, id }) => type === shown.type && (id === undefined || id === shown.id));

/** The steps that no stamp meets yet, and the methods that meet one. A stamp counts for every step that names its method. */
export function judge(
  steps: readonly MfaStep[],
  stamps: readonly Stamped[],
): { missing: MfaStep[]; shown: AuthenticationMethod[] } {
  const methods = stamps.flatMap((stamp) => methodOf(stamp) ?? []);
  return {
    missing: steps.filter((step) => !methods.some((method) => meets(step, method))),
    shown: methods.filter(
      (method, i) =>
        steps.some((step) => meets(step, method)) &&
        methods.findIndex(({ type, id }) => type === method.type && id === method.id) === i,
    ),
  };
}
