import { z } from 'zod';
import { since } from '../../engine/activity/versions.ts';
import { Label } from '../../wire/common.ts';
import { RootUserParams, RootUserParamsV8 } from '../../wire/users.ts';
import { WalletParams } from '../../wire/wallets.ts';

const verificationToken = z.never({ error: 'verificationToken is not supported by this release: leave it out' });
const clientSignature = z.never({ error: 'clientSignature is not supported by this release: leave it out' });

const rootUsers = <U extends z.ZodType>(user: U) => z.array(user).min(1, 'must name at least one root user').max(100);

const P7 = z.object({
  subOrganizationName: Label,
  rootUsers: rootUsers(RootUserParams),
  rootQuorumThreshold: z.int('quorum threshold must be non-zero integer').positive('quorum threshold must be non-zero integer'),
  wallet: WalletParams.optional(),
  disableEmailRecovery: z.boolean().optional(),
  disableEmailAuth: z.boolean().optional(),
  disableSmsAuth: z.boolean().optional(),
  disableOtpEmailAuth: z.boolean().optional(),
  verificationToken: verificationToken.optional(),
  clientSignature: clientSignature.optional(),
});

/** V8 accepts an OAuth provider as claims, and only tokens that are bound to a key. */
const P8 = P7.extend({ rootUsers: rootUsers(RootUserParamsV8) });

export const params = since(7, P7).to(8, P8, (p) => p);
