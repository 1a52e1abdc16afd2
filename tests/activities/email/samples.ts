import { SoftAuthenticator } from '../../support/authenticator.ts';
import { ID, type Samples } from '../../support/samples.ts';

/** The base point of P-256: its private key is 1, and no test opens bundles sealed to it. */
const TARGET =
  '046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5';

/** Well-formed parameters of each operation's newest version. */
export const email: Samples = {
  EMAIL_AUTH: () => ({
    email: 'sample@example.com',
    targetPublicKey: TARGET,
    apiKeyName: 'Sample',
    expirationSeconds: '600',
    invalidateExisting: true,
    emailCustomization: { appName: 'Sample' },
    sendFromEmailAddress: 'sample@example.com',
    sendFromEmailSenderName: 'Sample',
    replyToEmailAddress: 'sample@example.com',
  }),
  INIT_USER_EMAIL_RECOVERY: () => ({
    email: 'sample@example.com',
    targetPublicKey: TARGET,
    expirationSeconds: '600',
    emailCustomization: { appName: 'Sample' },
  }),
  RECOVER_USER: () => ({ userId: ID, authenticator: new SoftAuthenticator().register() }),
};
