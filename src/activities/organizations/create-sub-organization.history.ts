import { z } from 'zod';
import { since } from '../../engine/activity/versions.ts';
import { Label } from '../../wire/common.ts';
import { ClientSignature, VerificationTokenText } from '../../wire/tokens.ts';
import { RootUserParams } from '../../wire/users.ts';
import { WalletParams } from '../../wire/wallets.ts';

const P7 = z.object({
  subOrganizationName: Label,
  rootUsers: z.array(RootUserParams).min(1, 'must name at least one root user').max(100),
  rootQuorumThreshold: z.int('quorum threshold must be non-zero integer').positive('quorum threshold must be non-zero integer'),
  wallet: WalletParams.optional(),
  disableEmailRecovery: z.boolean().optional(),
  disableEmailAuth: z.boolean().optional(),
  disableSmsAuth: z.boolean().optional(),
  disableOtpEmailAuth: z.boolean().optional(),
  verificationToken: VerificationTokenText.optional(),
  clientSignature: ClientSignature.optional(),
});

/** V8 accepts an OAuth provider as claims; the fields are the same. */
const P8 = P7;

/** Version 8 takes no tokens of the first version of VERIFY_OTP. */
type Intent = z.output<typeof P8> & { legacyTokens?: true };

export const params = since(7, P7).toBreak(8, P8, (p): Intent => ({ ...p, legacyTokens: true }));
