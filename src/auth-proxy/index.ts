import type { ProxyEndpoint } from './declare.ts';
import { account } from './endpoints/account.ts';
import { oauthLogin } from './endpoints/oauth-login.ts';
import { oauth2Authenticate } from './endpoints/oauth2-authenticate.ts';
import { otpInit } from './endpoints/otp-init.ts';
import { otpInitV2 } from './endpoints/otp-init-v2.ts';
import { otpLogin } from './endpoints/otp-login.ts';
import { otpLoginV2 } from './endpoints/otp-login-v2.ts';
import { otpVerify } from './endpoints/otp-verify.ts';
import { otpVerifyV2 } from './endpoints/otp-verify-v2.ts';
import { signup } from './endpoints/signup.ts';
import { signupV2 } from './endpoints/signup-v2.ts';
import { walletKitClientParams } from './endpoints/wallet-kit-client-params.ts';
import { walletKitConfig } from './endpoints/wallet-kit-config.ts';

/** The endpoints that browsers may call without a stamp. Paths, validation and the OpenAPI document come from this list. */
export const proxyEndpoints: readonly ProxyEndpoint[] = [
  account,
  otpInit,
  otpInitV2,
  otpVerify,
  otpVerifyV2,
  otpLogin,
  otpLoginV2,
  oauthLogin,
  oauth2Authenticate,
  signup,
  signupV2,
  walletKitConfig,
  walletKitClientParams,
];
