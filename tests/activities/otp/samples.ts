import { newKeys } from '../../support/client.ts';
import { ID, type Samples } from '../../support/samples.ts';

const ask = { otpType: 'OTP_TYPE_EMAIL', contact: 'sample@example.com' };
const asked = {
  ...ask,
  appName: 'Sample',
  otpLength: 6,
  alphanumeric: false,
  expirationSeconds: '300',
  userIdentifier: 'sample',
};
const keys = newKeys();

const clientSignature = {
  publicKey: keys.publicKey,
  scheme: 'CLIENT_SIGNATURE_SCHEME_API_P256',
  message: '{}',
  signature: '00'.repeat(64),
};

/** Well-formed parameters of each operation's newest version. */
export const otp: Samples = {
  INIT_OTP: () => ({ ...asked, emailCustomization: { templateVariables: '{"name":"Sample"}' } }),
  ACTIVITY_TYPE_INIT_OTP: () => ({ ...ask, emailCustomization: { appName: 'Sample' } }),
  INIT_OTP_AUTH: () => asked,
  ACTIVITY_TYPE_INIT_OTP_AUTH: () => ask,
  ACTIVITY_TYPE_INIT_OTP_AUTH_V2: () => ({ ...ask, otpLength: 6, alphanumeric: false }),
  VERIFY_OTP: () => ({
    otpId: ID,
    encryptedOtpBundle: JSON.stringify({ encappedPublic: keys.publicKey, ciphertext: '00'.repeat(40) }),
    expirationSeconds: '600',
  }),
  ACTIVITY_TYPE_VERIFY_OTP: () => ({ otpId: ID, otpCode: '000000', publicKey: keys.publicKey, expirationSeconds: '600' }),
  OTP_LOGIN: () => ({ verificationToken: 'none', publicKey: keys.publicKey, clientSignature, expirationSeconds: '600' }),
  OTP_AUTH: () => ({ otpId: ID, otpCode: '000000', targetPublicKey: keys.publicKey, apiKeyName: 'Sample' }),
};
