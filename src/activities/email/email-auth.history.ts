import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { EmailText, ExpirationSeconds, Label } from '../../wire/common.ts';
import { TargetPublicKey } from '../../wire/exports.ts';
import { EmailAuthCustomizationParams, EmailCustomizationParams, named, senderParams } from '../../wire/mail.ts';

const common = {
  email: EmailText,
  targetPublicKey: TargetPublicKey,
  apiKeyName: Label.optional(),
  expirationSeconds: ExpirationSeconds.optional(),
  invalidateExisting: z.boolean().optional(),
  ...senderParams,
};
const older = z.object({ ...common, emailCustomization: EmailCustomizationParams.optional() });

/** V3 requires the application's name if the request customizes the mail. */
export const params = v1(older)
  .to(2, older, (p) => p)
  .to(3, z.object({ ...common, emailCustomization: EmailAuthCustomizationParams.optional() }), named);
