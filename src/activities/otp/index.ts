import type { ActivityKind } from '../../engine/activity/declare.ts';
import { initOtp } from './init-otp.ts';
import { initOtpAuth } from './init-otp-auth.ts';
import { otpAuth } from './otp-auth.ts';
import { otpLogin } from './otp-login.ts';
import { verifyOtp } from './verify-otp.ts';

export const otp: readonly ActivityKind[] = [initOtp, initOtpAuth, otpAuth, otpLogin, verifyOtp];
