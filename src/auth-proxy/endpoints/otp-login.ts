import { OtpLoginRequest } from '../../wire/proxy-requests.ts';
import { LoginResult } from '../../wire/sessions.ts';
import { proxyEndpoint } from '../declare.ts';
import { logInByToken } from '../otp-login.ts';

export const otpLogin = proxyEndpoint({
  path: '/v1/otp_login',
  summary: 'Log in the user who verified the contact of a token, with a key of the client',
  params: OtpLoginRequest.partial({ clientSignature: true }),
  result: LoginResult,
  submits: ['ACTIVITY_TYPE_OTP_LOGIN'],
  run: (ctx, login) => logInByToken(ctx, 'ACTIVITY_TYPE_OTP_LOGIN', login),
});
