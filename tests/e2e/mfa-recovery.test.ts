import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailed, newCustomer, setFeature } from '../activities/email/support.ts';
import { invitation, linkOf, mailsOf } from '../activities/invitations/support.ts';
import { newToken } from '../activities/tokens.ts';
import { attested } from '../support/attested.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { newKeys, post, resultOf, submitPath } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { sharedMail } from '../support/mail.ts';
import { approve, done, method, newMfa, open, steps } from './mfa-support.ts';

/** The returning user, and the new user. */
const mail = await sharedMail();
const instance = await sharedInstance(mail.env);
await setFeature(instance.root, 'FEATURE_NAME_EMAIL_RECOVERY', true);

test('a recovery is under the MFA policies of its user, and a recovery key shows nothing', async () => {
  const customer = await newCustomer(instance, 'Coming back');
  const { userId, own, email } = customer;
  const session = method('SESSION');
  await newMfa(own, { userId }, steps([method('API_KEY'), session]), { condition: "activity.kind == 'RECOVER_USER'" });
  const { keys } = await mailed(mail, customer.parent, 'INIT_USER_EMAIL_RECOVERY_V2', email);
  const authenticator = new SoftAuthenticator().register();
  const activity = open(await own.as(keys).submit('RECOVER_USER', { userId, authenticator }));
  const mine = newKeys();
  const byEmail = attested(own, mine, { verificationToken: newToken(instance, email, mine).jwt });
  open(await approve(byEmail, activity));
  assert.equal((await own.query('get_authenticators', { userId })).body.authenticators.length, 0);
  done(await approve(own, activity));
  assert.equal((await own.query('get_authenticators', { userId })).body.authenticators.length, 1);
});

test('a new user has no factor to show yet: their MFA policies hold from then on', async () => {
  const other = await sharedInstance();
  const { root } = other;
  const made = await root.submit('CREATE_INVITATIONS', { invitations: [invitation('New here', other.credentials.userId)] });
  const [invitationId] = resultOf(made, 'createInvitationsResult').invitationIds;
  const link = linkOf((await mailsOf(other)).find((one) => linkOf(one).invitationId === invitationId)!);
  await newMfa(root, link, steps([method('EMAIL_OTP')]));
  const passkey = new SoftAuthenticator();
  const parameters = { invitationId, userId: link.userId, authenticator: passkey.register({ challenge: link.secret }) };
  const body = root.bodyOf('ACCEPT_INVITATION_V2', parameters);
  const path = submitPath('ACCEPT_INVITATION_V2');
  resultOf(await post(`${root.url}${path}`, body, passkey.stamp(body)), 'acceptInvitationResult');
  const users = root.bodyOf('UPDATE_USER_NAME', { userId: link.userId, userName: 'Other' });
  const policy = { policyName: 'all', effect: 'EFFECT_ALLOW', consensus: 'true', notes: '' };
  resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  open(await post(`${root.url}${submitPath('UPDATE_USER_NAME')}`, users, passkey.stamp(users)));
});
