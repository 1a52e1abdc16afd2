/** The published browser client where an MFA policy asks for a second factor. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MfaContext } from '@turnkey/core';
import { enabledProxy } from '../support/auth-proxy.ts';
import { sharedInstance } from '../support/instance.ts';
import { sharedMail } from '../support/mail.ts';
import { publishedKey } from '../support/published.ts';
import { type Core, newCore, published, signs, verifiedBy } from '../support/published-core.ts';

const mail = await sharedMail();
const instance = await sharedInstance(mail.env);

test('it asks for a second factor where an MFA policy does, and goes on with the result', async () => {
  const { configId } = await enabledProxy(instance.root);
  const otpSigner = await publishedKey(instance.url, 'otp-signer');
  const verified = (core: Core, contact: string) => verifiedBy(core, mail, otpSigner, contact);
  const core = await newCore(instance.url, instance.credentials.organizationId, configId);
  const contact = 'gus@example.com';
  await core.signUpWithOtp({ verificationToken: await verified(core, contact), contact, otpType: published.OtpType.Email });
  await signs(core);
  const { userId } = (await core.getSession())!;
  await core.httpClient.createMfaPolicy({
    userId,
    mfaPolicyName: 'A code for each signature',
    condition: "activity.kind == 'SIGN_RAW_PAYLOAD'",
    requiredAuthenticationMethods: [
      { any: [{ type: 'AUTHENTICATION_TYPE_SESSION' }] },
      { any: [{ type: 'AUTHENTICATION_TYPE_EMAIL_OTP' }] },
    ],
    order: 0,
  });
  const asked: MfaContext[] = [];
  core.config.onMfaRequired = async (context) => {
    asked.push(context);
    const verificationToken = await verified(core, contact);
    const publicKey = published.decodeVerificationToken(verificationToken).public_key;
    await core.overrideAttestedStamper({ verificationToken, publicKey });
    await core.httpClient.approveActivity({ fingerprint: context.fingerprint }, published.StamperType.Attested);
  };
  core.httpClient = core.createHttpClient();
  await signs(core);
  const [{ activityStatus, mfaStatuses }, ...more] = asked as [MfaContext, ...MfaContext[]];
  assert.deepEqual([more.length, activityStatus], [0, 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED']);
  assert.deepEqual(
    mfaStatuses.map((status) => [status.userId, status.satisfied, status.satisfiedMethods.map(({ type }) => type)]),
    [[userId, false, ['AUTHENTICATION_TYPE_SESSION']]],
  );
});
