import { INT, type ParameterTable, STRING } from '../policy/index.ts';

const login = { session_profile_id: STRING };

/**
 * Parameters of activity types of the published interface that this release does not serve yet. Policies can already use them. An
 * activity's own declaration takes precedence, so new operations need no change here.
 */
export const laterParameters: ParameterTable = {
  ACTIVITY_TYPE_INIT_OTP_AUTH_V2: { otp_length: INT },
  ACTIVITY_TYPE_INIT_OTP_AUTH_V3: { otp_length: INT },
  ACTIVITY_TYPE_OTP_LOGIN: login,
  ACTIVITY_TYPE_OTP_LOGIN_V2: login,
  ACTIVITY_TYPE_STAMP_LOGIN: login,
  ACTIVITY_TYPE_OAUTH_LOGIN: login,
};
