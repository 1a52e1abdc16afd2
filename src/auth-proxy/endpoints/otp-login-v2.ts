import { OtpLoginRequest } from '../../wire/proxy-requests.ts';
import { LoginResult } from '../../wire/sessions.ts';
import { proxyEndpoint } from '../declare.ts';
import { logInByToken } from '../otp-login.ts';

export const otpLoginV2 = proxyEndpoint({
  path: '/v1/otp_login_v2',
  summary: 'Log in the user who verified the contact of a token, with a signature by the key that the token is bound to',
  params: OtpLoginRequest,
  result: LoginResult,
  submits: ['ACTIVITY_TYPE_OTP_LOGIN_V2'],
  run: (ctx, login) => logInByToken(ctx, 'ACTIVITY_TYPE_OTP_LOGIN_V2', login),
});
