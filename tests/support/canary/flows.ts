import { linkOf } from '../../activities/invitations/support.ts';
import { ask as codeTo, login, otherThan, sealed } from '../../activities/otp/support.ts';
import { attested, nonceOf } from '../attested.ts';
import { SoftAuthenticator } from '../authenticator.ts';
import { type Client, type Keys, newKeys, userWith } from '../client.ts';
import { encryptedSecret } from '../oauth2.ts';
import { byPasskey } from '../passkey-client.ts';
import { newTarget, type World } from './world.ts';

/** Carries out a flow, also wrongly, and notes each secret of it. */
type Flow = { kinds: readonly string[]; run(world: World): Promise<void> };

/** An ID token, for a key if one is given. */
const idToken = ({ secret, issuer }: World, name: string, sub: string, publicKey?: string): string =>
  secret(`${name}: the ID token`, issuer.signNow({ sub, ...(publicKey ? { nonce: nonceOf({ publicKey }) } : {}) }));

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
      return { oauth2CredentialId, authCode, codeVerifier, redirectUri, nonce: nonceOf(newKeys()) };
    };
    await fails(root, 'OAUTH2_AUTHENTICATE', signIn('OAUTH2_AUTHENTICATE by a wrong secret'));
    const update = { oauth2CredentialId, ...(await parametersOf(clientSecret)) };
    await done(root, 'UPDATE_OAUTH2_CREDENTIAL', update, 'updateOauth2CredentialResult');
    const target = newTarget();
    const login = { ...signIn('OAUTH2_AUTHENTICATE'), bearerTokenTargetPublicKey: target.publicKeyUncompressed };
    const { oidcToken } = await done(root, 'OAUTH2_AUTHENTICATE', login, 'oauth2AuthenticateResult');
    secret('OAUTH2_AUTHENTICATE: the ID token', oidcToken);
    for (const token of providers.bearers()) secret('OAUTH2_AUTHENTICATE: the access token', token);
    await fails(root, 'OAUTH2_AUTHENTICATE', { ...login, nonce: nonceOf(newKeys()) });
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
    const asGuest = { ...root, ...byPasskey(root, passkey) };
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

const attestedByIssuer: Flow = {
  kinds: [],
  async run(world) {
    const { own } = await signedUp(world, 'X-Stamp-Attested', 'attested');
    const keys = newKeys();
    const client = attested(own, keys, { oidcToken: idToken(world, 'X-Stamp-Attested', 'attested', keys.publicKey) });
    await works(client);
    const tag = { userTagName: 'attested', userIds: [] };
    await world.done({ ...own, ...client }, 'CREATE_USER_TAG', tag, 'createUserTagResult');
    const other = newKeys();
    const stranger = attested(own, other, { oidcToken: idToken(world, 'X-Stamp-Attested', 'nobody', other.publicKey) });
    await world.fails({ ...own, ...stranger }, 'CREATE_USER_TAG', tag);
  },
};

const otp: Flow = {
  kinds: ['INIT_OTP', 'VERIFY_OTP', 'OTP_LOGIN'],
  async run(world) {
    const { root, mail, secret, done, fails } = world;
    const { email, parent, own } = await world.newSub();
    const keys = newKeys();
    const initiated = await done(root, 'INIT_OTP_V3', codeTo(email), 'initOtpResultV2');
    const code = secret('INIT_OTP: the code', await mail.nextCode(email));
    await fails(
      root,
      'VERIFY_OTP_V2',
      await sealed(root, secret('VERIFY_OTP: a guess', otherThan(code)), initiated, keys.publicKey),
    );
    const bundle = await sealed(root, code, initiated, keys.publicKey);
    const { verificationToken } = await done(root, 'VERIFY_OTP_V2', bundle, 'verifyOtpResult');
    secret('VERIFY_OTP: the token', verificationToken);
    const session = newKeys();
    await fails(root, 'OTP_LOGIN_V2', login(verificationToken, keys, session));
    await done(parent, 'OTP_LOGIN_V2', login(verificationToken, keys, session), 'otpLoginResult');
    await works(own.as(session));
    const { otpId } = await done(root, 'INIT_OTP_V2', codeTo(email), 'initOtpResultV2');
    const otpCode = secret('INIT_OTP_V2: the code', await mail.nextCode(email));
    await fails(root, 'VERIFY_OTP', { otpId, otpCode: secret('VERIFY_OTP V1: a guess', otherThan(otpCode)) });
    const clear = await done(root, 'VERIFY_OTP', { otpId, otpCode }, 'verifyOtpResult');
    const { publicKey } = newKeys();
    const legacy = { verificationToken: secret('VERIFY_OTP V1: the token', clear.verificationToken), publicKey };
    await done(parent, 'OTP_LOGIN', legacy, 'otpLoginResult');
  },
};

const otpAuth: Flow = {
  kinds: ['INIT_OTP_AUTH', 'OTP_AUTH'],
  async run(world) {
    const { email, parent, own } = await world.newSub();
    const target = newTarget();
    const { otpId } = await world.done(parent, 'INIT_OTP_AUTH_V3', codeTo(email), 'initOtpAuthResultV2');
    const otpCode = world.secret('INIT_OTP_AUTH: the code', await world.mail.nextCode(email));
    const ask = { otpId, otpCode, targetPublicKey: target.publicKeyUncompressed };
    await world.fails(parent, 'OTP_AUTH', { ...ask, otpCode: world.secret('OTP_AUTH: a guess', otherThan(otpCode)) });
    const { credentialBundle } = await world.done(parent, 'OTP_AUTH', ask, 'otpAuthResult');
    await works(own.as(world.opened('OTP_AUTH', credentialBundle, target)));
  },
};

/** A kind of activity that handles secrets and is in no flow fails the test. */
export const FLOWS: readonly Flow[] = [
  providersOfUsers,
  emailAuth,
  recovery,
  otp,
  otpAuth,
  oauth,
  oauth2,
  invitations,
  attestedByIssuer,
];
