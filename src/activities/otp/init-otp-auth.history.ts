import { v1 } from '../../engine/activity/versions.ts';
import { InitOtpAuthParamsV1, InitOtpAuthParamsV2, InitOtpParams, withAppName } from '../../wire/otp.ts';

/** V2 has the form of the code, V3 the application's name beside `emailCustomization`. */
export const params = v1(InitOtpAuthParamsV1)
  .to(2, InitOtpAuthParamsV2, (older) => older)
  .to(3, InitOtpParams, withAppName);

export type InitOtpAuth = ReturnType<typeof params.raise>;
