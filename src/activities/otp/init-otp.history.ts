import { v1 } from '../../engine/activity/versions.ts';
import { InitOtpParams, InitOtpParamsV1, withAppName } from '../../wire/otp.ts';

/** V2 has the application's name beside `emailCustomization`. V3 dropped codes that are verified unencrypted. */
export const params = v1(InitOtpParamsV1)
  .to(2, InitOtpParams, withAppName)
  .toBreak(3, InitOtpParams, (older) => ({ ...older, inTheClear: true as boolean | undefined }));

export type InitOtp = ReturnType<typeof params.raise>;
