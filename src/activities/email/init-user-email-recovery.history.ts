import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { EmailText, ExpirationSeconds } from '../../wire/common.ts';
import { TargetPublicKey } from '../../wire/exports.ts';
import { EmailAuthCustomizationParams, EmailCustomizationParams, named, senderParams } from '../../wire/mail.ts';

const common = {
  email: EmailText,
  targetPublicKey: TargetPublicKey,
  expirationSeconds: ExpirationSeconds.optional(),
  ...senderParams,
};

/** V2 requires the application's name if the request customizes the mail. */
export const params = v1(z.object({ ...common, emailCustomization: EmailCustomizationParams.optional() })).to(
  2,
  z.object({ ...common, emailCustomization: EmailAuthCustomizationParams.optional() }),
  named,
);
