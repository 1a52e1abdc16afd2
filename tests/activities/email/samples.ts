import { SoftAuthenticator } from '../../support/authenticator.ts';
import { ID, type Samples, TARGET } from '../../support/samples.ts';

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
