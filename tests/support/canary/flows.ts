import { linkOf } from '../../activities/invitations/support.ts';

import { ask, initiate, login, otherThan, sealed } from '../../activities/otp/support.ts';
import { exportOf, importOf, opened as openedSecret } from '../../activities/secrets/support.ts';

import { attested } from '../attested.ts';
import { SoftAuthenticator } from '../authenticator.ts';
import { type Client, newKeys, post, userWith } from '../client.ts';
import { encryptedSecret } from '../oauth2.ts';
import { byPasskey } from '../passkey-client.ts';
import { newTarget, nonceOf } from '../published.ts';
import { STREAM, ticketOf } from '../streams.ts';
import { authProxy } from './auth-proxy.ts';
import { onRamp } from './on-ramp.ts';
import { quorumKeys } from './quorum-keys.ts';
import { rotation } from './rotation.ts';
import type { World } from './world.ts';

/** Carries out a flow, also wrongly, and notes each secret of it. */
export type Flow = { kinds: readonly string[]; run(world: World): Promise<void> };

/** An ID token, for a key if one is given. */
const idToken = ({ secret, issuer }: World, name: string, sub: string, publicKey?: string): string =>
  secret(`${name}: the ID token`, issuer.signNow({ sub, ...(publicKey ? { nonce: nonceOf(publicKey) } : {}) }));

/** A sub-organization whose root user signs in at the issuer as `subject`. */
async function signedUp(world: World, name: string, subject: string) {
  const sub = await world.newSub();
  const oauthProviders = [{ providerName: 'Issuer', oidcToken: idToken(world, name, subject) }];
  await world.done(sub.own, 'CREATE_OAUTH_PROVIDERS_V2', { userId: sub.userId, oauthProviders }, 'createOauthProvidersResultV2');
  return sub;
}

const asking = (email: string, targetPublicKey: string) => ({
  email,
  targetPublicKey,
  emailCustomization: { appName: 'Canary' },
});

/** The key is good, so that the flow is the real one. */
async function works(client: Pick<Client, 'query'>): Promise<void> {
  const answer = await client.query('whoami');
  if (answer.status !== 200) throw new Error(`the stamp is refused: ${answer.text}`);
}

const providersOfUsers: Flow = {
  kinds: ['CREATE_OAUTH_PROVIDERS', 'CREATE_USERS', 'CREATE_SUB_ORGANIZATION'],
  async run(world) {
    await signedUp(world, 'CREATE_OAUTH_PROVIDERS', 'provider');
    const provider = (name: string) => ({ providerName: 'Issuer', oidcToken: idToken(world, name, name) });
    const users = [userWith('By provider', [newKeys()], { oauthProviders: [provider('CREATE_USERS')], userTags: [] })];
    await world.done(world.root, 'CREATE_USERS_V4', { users }, 'createUsersResult');
    const rootUsers = [userWith('Root', [], { oauthProviders: [provider('CREATE_SUB_ORGANIZATION')] })];
    const sub = { subOrganizationName: 'By provider', rootQuorumThreshold: 1, rootUsers };
    await world.done(world.root, 'CREATE_SUB_ORGANIZATION_V8', sub, 'createSubOrganizationResultV8');
    await world.fails(world.root, 'CREATE_USERS_V4', { users });
    const oidcToken = world.secret(
      'CREATE_USERS: a forged ID token',
      world.issuer.signNow({ sub: 'forged' }, { kid: 'unknown' }),
    );
    const forged = [userWith('Forged', [newKeys()], { oauthProviders: [{ providerName: 'P', oidcToken }], userTags: [] })];
    await world.fails(world.root, 'CREATE_USERS_V4', { users: forged });
  },
};

const emailAuth: Flow = {
  kinds: ['EMAIL_AUTH'],
  async run(world) {
    const { email, parent, own } = await world.newSub();
    const target = newTarget();
    await world.done(parent, 'EMAIL_AUTH_V3', asking(email, target.publicKeyUncompressed), 'emailAuthResult');
    const bundle = world.secret('EMAIL_AUTH: the bundle', await world.mail.nextBundle(email));
    await works(own.as(world.opened('EMAIL_AUTH', bundle, target)));
    await world.fails(parent, 'EMAIL_AUTH_V3', asking('nobody@example.com', target.publicKeyUncompressed));
  },
};

const recovery: Flow = {
  kinds: ['INIT_USER_EMAIL_RECOVERY', 'RECOVER_USER'],
  async run(world) {
    const { email, parent, own, userId } = await world.newSub();
    const feature = { name: 'FEATURE_NAME_EMAIL_RECOVERY', value: '' };
    await world.done(world.root, 'SET_ORGANIZATION_FEATURE', feature, 'setOrganizationFeatureResult');
    const target = newTarget();
    const parameters = asking(email, target.publicKeyUncompressed);
    await world.done(parent, 'INIT_USER_EMAIL_RECOVERY_V2', parameters, 'initUserEmailRecoveryResult');
    const bundle = world.secret('INIT_USER_EMAIL_RECOVERY: the bundle', await world.mail.nextBundle(email));
    const recovering = own.as(world.opened('INIT_USER_EMAIL_RECOVERY', bundle, target));
    const passkey = new SoftAuthenticator();
    await world.fails(own, 'RECOVER_USER', { userId, authenticator: passkey.register() });
    await world.done(recovering, 'RECOVER_USER', { userId, authenticator: passkey.register() }, 'recoverUserResult');
    await works(byPasskey(own, passkey));
  },
};

const oauth: Flow = {
  kinds: ['OAUTH', 'OAUTH_LOGIN'],
  async run(world) {
    const { parent, own } = await signedUp(world, 'OAUTH', 'oauth');
    const target = newTarget();
    const targetPublicKey = target.publicKeyUncompressed;
    const first = { oidcToken: idToken(world, 'OAUTH', 'oauth', targetPublicKey), targetPublicKey };
    const { credentialBundle } = await world.done(parent, 'OAUTH', first, 'oauthResult');
    await works(own.as(world.opened('OAUTH', credentialBundle, target)));
    const keys = newKeys();
    const login = { oidcToken: idToken(world, 'OAUTH_LOGIN', 'oauth', keys.publicKey), publicKey: keys.publicKey };
    await world.done(parent, 'OAUTH_LOGIN', login, 'oauthLoginResult');
    await works(own.as(keys));
    const { publicKey } = newKeys();
    await world.fails(parent, 'OAUTH_LOGIN', { ...login, publicKey });
    await world.fails(parent, 'OAUTH_LOGIN', { oidcToken: idToken(world, 'OAUTH_LOGIN', 'nobody', publicKey), publicKey });
  },
};

const oauth2: Flow = {
  kinds: ['CREATE_OAUTH2_CREDENTIAL', 'UPDATE_OAUTH2_CREDENTIAL', 'DELETE_OAUTH2_CREDENTIAL', 'OAUTH2_AUTHENTICATE'],
  async run({ service, root, providers, secret, done, fails }) {
    const { clientId } = providers;
    const clientSecret = secret('OAuth 2.0: the client secret', providers.clientSecret);
    const parametersOf = async (text: string) => ({
      provider: 'OAUTH2_PROVIDER_X',
      clientId,
      encryptedClientSecret: await encryptedSecret(service.url, text),
    });
    const wrong = secret('CREATE_OAUTH2_CREDENTIAL: a client secret', 'a client secret of the canary');
    const made = await done(root, 'CREATE_OAUTH2_CREDENTIAL', await parametersOf(wrong), 'createOauth2CredentialResult');
    const { oauth2CredentialId } = made;
    const signIn = (name: string) => {
      const { authCode, codeVerifier, redirectUri } = providers.signIn('1');
      secret(`${name}: the code`, authCode);
      secret(`${name}: the verifier`, codeVerifier);
      return { oauth2CredentialId, authCode, codeVerifier, redirectUri, nonce: nonceOf(newKeys().publicKey) };
    };
    await fails(root, 'OAUTH2_AUTHENTICATE', signIn('OAUTH2_AUTHENTICATE by a wrong secret'));
    const update = { oauth2CredentialId, ...(await parametersOf(clientSecret)) };
    await done(root, 'UPDATE_OAUTH2_CREDENTIAL', update, 'updateOauth2CredentialResult');
    const target = newTarget();
    const login = { ...signIn('OAUTH2_AUTHENTICATE'), bearerTokenTargetPublicKey: target.publicKeyUncompressed };
    const { oidcToken } = await done(root, 'OAUTH2_AUTHENTICATE', login, 'oauth2AuthenticateResult');
    secret('OAUTH2_AUTHENTICATE: the ID token', oidcToken);
    for (const token of providers.bearers()) secret('OAUTH2_AUTHENTICATE: the access token', token);
    await fails(root, 'OAUTH2_AUTHENTICATE', { ...login, nonce: nonceOf(newKeys().publicKey) });
    await done(root, 'DELETE_OAUTH2_CREDENTIAL', { oauth2CredentialId }, 'deleteOauth2CredentialResult');
  },
};

const invitations: Flow = {
  kinds: ['CREATE_INVITATIONS', 'ACCEPT_INVITATION'],
  async run({ root, mail, secret, done, fails }) {
    const { userId: senderUserId } = (await root.query('whoami')).body;
    const receiverUserEmail = 'guest@example.com';
    const about = { receiverUserName: 'Guest', receiverUserEmail, receiverUserTags: [], accessType: 'ACCESS_TYPE_WEB' };
    await done(root, 'CREATE_INVITATIONS', { invitations: [{ ...about, senderUserId }] }, 'createInvitationsResult');
    const [link = ''] = /https?:\S+\/accept-invitation#\S+/.exec((await mail.next(receiverUserEmail)).text) ?? [];
    const invited = linkOf({ link });
    secret('CREATE_INVITATIONS: the link', link);
    const challenge = secret('CREATE_INVITATIONS: the secret of the link', invited.secret);
    const { invitationId, userId } = invited;
    const passkey = new SoftAuthenticator();
    const accept = (challenge: string) => ({ invitationId, userId, authenticator: passkey.register({ challenge }) });
    const asGuest = byPasskey(root, passkey);
    await fails(
      asGuest,
      'ACCEPT_INVITATION_V2',
      accept(secret('a wrong secret of a link', Buffer.alloc(32, 7).toString('base64url'))),
    );
    await done(asGuest, 'ACCEPT_INVITATION_V2', accept(challenge), 'acceptInvitationResult');
    await works(asGuest);
    await fails(asGuest, 'ACCEPT_INVITATION_V2', accept(challenge));
  },
};

const otps: Flow = {
  kinds: ['INIT_OTP', 'VERIFY_OTP', 'OTP_LOGIN', 'UPDATE_USER_EMAIL'],
  async run(world) {
    const { root, mail, secret, done, fails } = world;
    const { email, parent, own, userId } = await world.newSub();
    const keys = newKeys();
    const initiated = await initiate(root, email);
    const code = secret('INIT_OTP: the code', await mail.nextCode(email));
    const wrong = secret('VERIFY_OTP: a wrong code', otherThan(code));
    const sealedOf = async (what: string, text: string) => {
      const parameters = await sealed(root, text, initiated, keys.publicKey);
      secret(`VERIFY_OTP: ${what}`, JSON.parse(parameters.encryptedOtpBundle).ciphertext);
      return parameters;
    };
    await fails(root, 'VERIFY_OTP_V2', await sealedOf('a sealed wrong code', wrong));
    const { verificationToken } = await done(root, 'VERIFY_OTP_V2', await sealedOf('the sealed code', code), 'verifyOtpResult');
    secret('VERIFY_OTP: the token', verificationToken);
    const session = newKeys();
    await done(parent, 'OTP_LOGIN_V2', login(verificationToken, keys, session), 'otpLoginResult');
    await works(own.as(session));
    await fails(parent, 'OTP_LOGIN_V2', login(verificationToken, keys, newKeys()));
    const change = { userId, userEmail: email, verificationToken };
    await done(own, 'UPDATE_USER_EMAIL', change, 'updateUserEmailResult');
    await fails(own, 'UPDATE_USER_EMAIL', change);
    await works(attested(own, keys, { verificationToken }));

    const { verificationToken: signUp } = await inTheClear(world, 'newcomer@example.com', mail.nextCode, 'OTP_TYPE_EMAIL');
    const rootUsers = [userWith('Newcomer', [newKeys()], { userEmail: 'newcomer@example.com' })];
    const sub = { subOrganizationName: 'Newcomer', rootQuorumThreshold: 1, rootUsers, verificationToken: signUp };
    await done(root, 'CREATE_SUB_ORGANIZATION_V7', sub, 'createSubOrganizationResultV7');
  },
};

/** A token that the first versions make: the code is sent in the clear, and a wrong one before it. */
async function inTheClear(
  { root, secret, done, fails }: World,
  contact: string,
  next: (to: string) => Promise<string>,
  otpType: string,
) {
  const { otpId } = await done(root, 'INIT_OTP_V2', ask(contact, { otpType }), 'initOtpResultV2');
  const otpCode = secret(`INIT_OTP to ${contact}: the code`, await next(contact));
  await fails(root, 'VERIFY_OTP', { otpId, otpCode: secret('VERIFY_OTP: another wrong code', otherThan(otpCode, 2)) });
  const verified = await done(root, 'VERIFY_OTP', { otpId, otpCode }, 'verifyOtpResult');
  secret(`VERIFY_OTP of ${contact}: the token`, verified.verificationToken);
  return verified as { verificationToken: string };
}

const sms: Flow = {
  kinds: ['UPDATE_USER_PHONE_NUMBER'],
  async run(world) {
    const { own, userId } = await world.newSub();
    const feature = { name: 'FEATURE_NAME_SMS_AUTH', value: '' };
    await world.done(world.root, 'SET_ORGANIZATION_FEATURE', feature, 'setOrganizationFeatureResult');
    const userPhoneNumber = '+14155550123';
    const { verificationToken } = await inTheClear(world, userPhoneNumber, world.nextText, 'OTP_TYPE_SMS');
    const change = { userId, userPhoneNumber, verificationToken };
    await world.done(own, 'UPDATE_USER_PHONE_NUMBER', change, 'updateUserPhoneNumberResult');
    await world.fails(own, 'UPDATE_USER_PHONE_NUMBER', change);
  },
};

const otpAuth: Flow = {
  kinds: ['INIT_OTP_AUTH', 'OTP_AUTH'],
  async run(world) {
    const { secret, done, fails } = world;
    const { email, parent, own } = await world.newSub();
    const { otpId } = await done(parent, 'INIT_OTP_AUTH_V3', ask(email), 'initOtpAuthResultV2');
    const otpCode = secret('INIT_OTP_AUTH: the code', await world.mail.nextCode(email));
    const target = newTarget();
    const targetPublicKey = target.publicKeyUncompressed;
    const wrong = secret('OTP_AUTH: a wrong code', otherThan(otpCode));
    await fails(parent, 'OTP_AUTH', { otpId, otpCode: wrong, targetPublicKey });
    const { credentialBundle } = await done(parent, 'OTP_AUTH', { otpId, otpCode, targetPublicKey }, 'otpAuthResult');
    await works(own.as(world.opened('OTP_AUTH', credentialBundle, target)));
  },
};

const sessions: Flow = {
  kinds: ['STAMP_LOGIN', 'CREATE_READ_ONLY_SESSION', 'CREATE_READ_WRITE_SESSION'],
  async run(world) {
    const { own, userId } = await world.newSub();
    const keys = newKeys();
    await world.done(own, 'STAMP_LOGIN', { publicKey: keys.publicKey }, 'stampLoginResult');
    await works(own.as(keys));
    const { session } = await world.done(own, 'CREATE_READ_ONLY_SESSION', {}, 'createReadOnlySessionResult');
    world.secret('CREATE_READ_ONLY_SESSION: the session', session);
    world.secret('CREATE_READ_ONLY_SESSION: its secret', session.slice(-43));
    const body = JSON.stringify({ organizationId: own.organizationId });
    const bySession = (text: string) => post(`${own.url}/public/v1/query/whoami`, body, { 'x-session': text });
    await works({ query: () => bySession(session) });
    const wrong = world.secret('X-Session: a wrong one', `${session.slice(0, -43)}${'x'.repeat(43)}`);
    world.errors.push((await bySession(wrong)).text);
    const target = newTarget();
    const wanted = { targetPublicKey: target.publicKeyUncompressed, userId };
    const made = await world.done(own, 'CREATE_READ_WRITE_SESSION_V2', wanted, 'createReadWriteSessionResultV2');
    await works(own.as(world.opened('CREATE_READ_WRITE_SESSION', made.credentialBundle, target)));
  },
};

const streams: Flow = {
  kinds: [],
  async run({ root, secret, errors }) {
    const at = root.url + STREAM;
    const asked = async (url: string, init: RequestInit = {}) => {
      const answer = await fetch(url, init);
      if (answer.status === 200) await answer.body!.cancel();
      else errors.push(await answer.text());
    };
    const ticket = async (name: string) => secret(`a ticket ${name}`, await ticketOf(root));
    // The log shows the beginning of a long path.
    secret('an address with a ticket', '?ticket=st_');
    const [inHeader, inAddress, nowhere] = [
      await ticket('in a header'),
      await ticket('in the address'),
      await ticket('elsewhere'),
    ];
    const headers = { authorization: `Bearer ${inHeader}` };
    for (let uses = 0; uses < 2; uses++) {
      await asked(at, { headers });
      await asked(`${at}?ticket=${inAddress}`);
    }
    for (const method of ['POST', 'HEAD', 'OPTIONS']) await asked(`${at}?ticket=${nowhere}`, { method });
    for (const path of ['/public/v1/stream', '/public/v1/stream/activities/', '/public/v1/stream/%61ctivities'])
      await asked(`${root.url}${path}?ticket=${nowhere}`);
  },
};

const attestedByIssuer: Flow = {
  kinds: [],
  async run(world) {
    const { own } = await signedUp(world, 'X-Stamp-Attested', 'attested');
    const keys = newKeys();
    const client = attested(own, keys, { oidcToken: idToken(world, 'X-Stamp-Attested', 'attested', keys.publicKey) });
    await works(client);
    const tag = { userTagName: 'attested', userIds: [] };
    await world.done(client, 'CREATE_USER_TAG', tag, 'createUserTagResult');
    const other = newKeys();
    const stranger = attested(own, other, { oidcToken: idToken(world, 'X-Stamp-Attested', 'nobody', other.publicKey) });
    await world.fails(stranger, 'CREATE_USER_TAG', tag);
  },
};

const storedSecrets: Flow = {
  kinds: ['INIT_IMPORT_SECRETS', 'IMPORT_SECRETS', 'EXPORT_SECRETS', 'DELETE_SECRETS'],
  async run({ root, secret, bundles, done, fails }) {
    const [kept, deleted] = ['kept', 'deleted'].map((what) =>
      secret(`IMPORT_SECRETS: the ${what} secret`, `${what}-by-the-canary`),
    );
    const parameters = await importOf(root, [kept!, { name: 'Canary' }], [deleted!]);
    const [first, second] = parameters.secrets;
    await fails(root, 'IMPORT_SECRETS', { secrets: [first, { ...second, secretPayload: first!.secretPayload }] });
    const { secretIds } = await done(root, 'IMPORT_SECRETS', parameters, 'importSecretsResult');
    await fails(root, 'IMPORT_SECRETS', parameters);
    const target = newTarget();
    const { secretPayloads } = await done(root, 'EXPORT_SECRETS', exportOf(target, secretIds), 'exportSecretsResult');
    for (const payload of secretPayloads) bundles.push({ name: 'EXPORT_SECRETS: a payload', text: JSON.parse(payload).data });
    if ((await openedSecret(root, secretPayloads[1], target)) !== deleted) throw new Error('another secret came out');
    await done(root, 'DELETE_SECRETS', { secretIds: secretIds.slice(1) }, 'deleteSecretsResult');
    await fails(root, 'EXPORT_SECRETS', exportOf(target, secretIds));
  },
};

/** Card data: in the version that carries it, in the other one, and in bodies that are no JSON. */
const payments: Flow = {
  kinds: ['SET_PAYMENT_METHOD'],
  async run({ root, secret, errors, done, fails }) {
    const number = secret('SET_PAYMENT_METHOD: the card number', '4242000098761234');
    const card = { number, cvv: '987', expiryMonth: '12', expiryYear: '2031' };
    const holder = { cardHolderEmail: 'holder@example.com', cardHolderName: 'Card Holder' };
    const paid = { paymentMethodId: 'pm_canary', ...holder };
    await fails(root, 'SET_PAYMENT_METHOD', { ...card, ...holder });
    await fails(root, 'SET_PAYMENT_METHOD_V2', { ...card, ...paid });
    await fails(root, 'SET_PAYMENT_METHOD_V2', { ...paid, paymentMethodId: number });
    await fails(root, 'SET_PAYMENT_METHOD_V2', { ...paid, cardHolderName: number });
    await fails(root, 'UPDATE_PAYMENT_METHOD', { paymentEmail: 'holder@example.com', number });
    const body = root.bodyOf('SET_PAYMENT_METHOD', { ...card, ...holder });
    for (const text of [body, body.slice(0, -1), `${body}${number}`, number, `{"${number}":1}`]) {
      const answer = await post(`${root.url}/public/v1/submit/set_payment_method`, text);
      if (answer.status !== 400) throw new Error(`card data was not refused: ${answer.text}`);
      errors.push(answer.text);
    }
    await done(root, 'SET_PAYMENT_METHOD_V2', paid, 'setPaymentMethodResult');
  },
};

export const FLOWS: readonly Flow[] = [
  payments,
  providersOfUsers,
  emailAuth,
  recovery,
  oauth,
  oauth2,
  invitations,
  attestedByIssuer,
  otps,
  sms,
  otpAuth,
  sessions,
  storedSecrets,
  quorumKeys,
  streams,
  onRamp,
  authProxy,
  rotation,
];
