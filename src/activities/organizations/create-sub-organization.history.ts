import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { AuthenticatorParamsV2 } from '../../wire/authenticators.ts';
import { Label } from '../../wire/common.ts';
import { onP256 } from '../../wire/credentials.ts';
import { ClientSignature, VerificationTokenText } from '../../wire/tokens.ts';
import { RootUserParams, RootUserParamsV1, RootUserParamsV2, RootUserParamsV3, RootUserParamsV8 } from '../../wire/users.ts';
import { PrivateKeyParams, WalletParams } from '../../wire/wallets.ts';

const NON_ZERO = 'quorum threshold must be non-zero integer';

const subOrganizationName = Label;
const rootQuorumThreshold = z.int(NON_ZERO).positive(NON_ZERO);
const rootUsers = <U extends z.ZodType>(user: U) => z.array(user).min(1, 'must name at least one root user').max(100);

const wallet = WalletParams.optional();
const disableEmailRecovery = z.boolean().optional();
const disableEmailAuth = z.boolean().optional();

const P1 = z.object({ name: Label, rootAuthenticator: AuthenticatorParamsV2 });

const P2 = z.object({ subOrganizationName, rootUsers: rootUsers(RootUserParamsV1), rootQuorumThreshold });

const P3 = P2.extend({ privateKeys: z.array(PrivateKeyParams).max(100) });

const P4 = P2.extend({ wallet, disableEmailRecovery, disableEmailAuth });

const P5 = P4.extend({ rootUsers: rootUsers(RootUserParamsV2) });

const P6 = P5.extend({ rootUsers: rootUsers(RootUserParamsV3) });

const P7 = P6.extend({
  rootUsers: rootUsers(RootUserParams),
  disableSmsAuth: z.boolean().optional(),
  disableOtpEmailAuth: z.boolean().optional(),
  verificationToken: VerificationTokenText.optional(),
  clientSignature: ClientSignature.optional(),
});

/** V8 accepts an OAuth provider as claims. */
const P8 = P7.extend({ rootUsers: rootUsers(RootUserParamsV8) });

/** V4 replaced `privateKeys` by `wallet`. Each later step passes on those of an older body. */
type WithKeys<P extends z.ZodType> = z.output<P> & Partial<Pick<z.output<typeof P3>, 'privateKeys'>>;

/** Version 8 accepts no tokens of the first version of VERIFY_OTP. */
type Intent = WithKeys<typeof P8> & { legacyTokens?: true };

export const params = v1(P1)
  .to(2, P2, ({ name, rootAuthenticator }) => ({
    subOrganizationName: name,
    rootUsers: [{ userName: 'Root user', apiKeys: [], authenticators: [rootAuthenticator] }],
    rootQuorumThreshold: 1,
  }))
  .to(3, P3, (p) => ({ ...p, privateKeys: [] }))
  .toBreak(4, P4, (p): WithKeys<typeof P4> => p)
  .toBreak(
    5,
    P5,
    (p): WithKeys<typeof P5> => ({
      ...p,
      rootUsers: p.rootUsers.map((user) => ({ ...user, oauthProviders: [] })),
    }),
  )
  .toBreak(
    6,
    P6,
    (p): WithKeys<typeof P6> => ({
      ...p,
      rootUsers: p.rootUsers.map((user) => ({ ...user, apiKeys: onP256(user.apiKeys) })),
    }),
  )
  .toBreak(7, P7, (p): WithKeys<typeof P7> => p)
  .toBreak(8, P8, (p): Intent => ({ ...p, legacyTokens: true }));
