import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { EmailText, ExpirationSeconds } from '../../wire/common.ts';
import { TargetPublicKey } from '../../wire/exports.ts';
import { EmailAuthCustomizationParams, EmailCustomizationParams, senderParams } from '../../wire/mail.ts';

const common = {
  email: EmailText,
  targetPublicKey: TargetPublicKey,
  expirationSeconds: ExpirationSeconds.optional(),
  ...senderParams,
};

/** V2 names the application. For the older version an empty name stands for the organization's. */
export const params = v1(z.object({ ...common, emailCustomization: EmailCustomizationParams.optional() })).to(
  2,
  z.object({ ...common, emailCustomization: EmailAuthCustomizationParams }),
  ({ emailCustomization, ...rest }) => ({ ...rest, emailCustomization: { appName: '', ...emailCustomization } }),
);
