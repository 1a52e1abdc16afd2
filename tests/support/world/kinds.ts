import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { Keypair } from '@solana/web3.js';
import { getAddress } from 'viem';
import { linkOf, mailsOf } from '../../activities/invitations/support.ts';
import { awaitingOutsiders } from '../../activities/quorum-keys/support.ts';
import { imported } from '../../activities/secrets/support.ts';
import { newApp, newDeployment, newOperator } from '../../activities/tvc/support.ts';
import { velocityControl } from '../../activities/velocity-controls/support.ts';
import { approvedBy } from '../../e2e/authority.ts';
import { SoftAuthenticator } from '../authenticator.ts';
import { apiKey, type Client, ethereumAccount, newKeys, resultOf, userWith } from '../client.ts';
import type { Instance } from '../instance.ts';
import { buying, MOONPAY, moonpayCredential } from '../on-ramp.ts';
import { NOBODY } from '../refusals.ts';
import { RECEIVER } from '../samples.ts';
import { newDelivery } from './deliveries.ts';
import { newAccount, newSecret, providers } from './issuer.ts';
import { newOtp } from './otp.ts';
import { newSend } from './sends.ts';

/** An organization in which tests make what requests name, and a root user of it who needs no other approval. */
export type Home = {
  instance: Instance;
  client: Client;
  userId: string;
  /** The name of what is made next: always the same for an organization that others try to reach. */
  label(): string;
};

/** What was made in an organization, by kind. Each is made when it is first asked for, once. */
export type Things = {
  home: Home;
  get(kind: string): Promise<string>;
  put(kind: string, value: string): void;
};

type Kind = {
  /** Makes one, and returns what requests call it. */
  make(things: Things): Promise<string>;
  /** The same form, and nothing has it. An id sorts beside `like`, so that a page which begins there holds the same. */
  unknown(like: string): string;
  /** The field says what a new thing shall be called: a good request brings what nothing has. */
  fresh?: true;
};

const otherDigit = (like: string): string =>
  like.replace(/[0-9a-f](?=[^0-9a-f]*$)/i, (digit) => (Number.parseInt(digit, 16) ^ 1).toString(16));

const byId = (make: Kind['make']): Kind => ({ make, unknown: otherDigit });

/** Made together with another kind. */
const beside = (kind: string, other: string): Kind => byId((things) => things.get(other).then(() => things.get(kind)));

/** Of Ethereum, with the checksum that it has with another digit. */
const addressBeside = (kind: string, other: string): Kind => {
  return { ...beside(kind, other), unknown: (like) => getAddress(otherDigit(like.toLowerCase())) };
};

/** Twelve digits in a row would be the number of a card. */
const unknownText = () => `${randomBytes(5).toString('hex').replace(/^.{5}/, '$&a')}a`;
const identifierOf = (label: string): string => `a_${label.replace(/[^a-zA-Z0-9]/g, '_')}`;
const unknownName = () => `nobody ${unknownText()}`;
const unknownEmail = () => `${unknownText()}@example.com`;
const unknownPhone = () => `+1415${randomInt(2_000_000, 9_999_999)}`;

async function made({ home }: Things, type: string, parameters: unknown, key: string) {
  return resultOf(await home.client.submit(type, parameters), key);
}

/** Every kind of thing that a field names. A field of a new kind needs its entry here, and one in `fields.ts`. */
export const KINDS: Readonly<Record<string, Kind>> = {
  organization: byId(async ({ home }) => home.client.organizationId),
  user: byId(async (things) => {
    const more = { userTags: [], userEmail: await things.get('email'), userPhoneNumber: await things.get('phone') };
    const users = [{ ...userWith(things.home.label(), [newKeys()]), ...more }];
    return (await made(things, 'CREATE_USERS_V4', { users }, 'createUsersResult')).userIds[0];
  }),
  apiKey: byId(async (things) => {
    const keys = newKeys();
    things.put('publicKey', keys.publicKey);
    const parameters = { userId: await things.get('user'), apiKeys: [apiKey(keys, { apiKeyName: things.home.label() })] };
    return (await made(things, 'CREATE_API_KEYS_V2', parameters, 'createApiKeysResult')).apiKeyIds[0];
  }),
  userTag: byId(async (things) => {
    const parameters = { userTagName: things.home.label(), userIds: [await things.get('user')] };
    return (await made(things, 'CREATE_USER_TAG', parameters, 'createUserTagResult')).userTagId;
  }),
  privateKeyTag: byId(async (things) => {
    const parameters = { privateKeyTagName: things.home.label(), privateKeyIds: [await things.get('privateKey')] };
    return (await made(things, 'CREATE_PRIVATE_KEY_TAG', parameters, 'createPrivateKeyTagResult')).privateKeyTagId;
  }),
  invitation: byId(async (things) => {
    const one = {
      receiverUserName: things.home.label(),
      receiverUserEmail: unknownEmail(),
      receiverUserTags: [],
      accessType: 'ACCESS_TYPE_WEB',
      senderUserId: await things.get('user'),
    };
    const [id] = (await made(things, 'CREATE_INVITATIONS', { invitations: [one] }, 'createInvitationsResult')).invitationIds;
    const link = (await mailsOf(things.home.instance)).map(linkOf).find(({ invitationId }) => invitationId === id)!;
    things.put('invitee', link.userId);
    things.put('invitationSecret', link.secret);
    return id;
  }),
  otp: byId(newOtp),
  /** The user whom it invites. */
  invitee: beside('invitee', 'invitation'),
  /** A passkey. */
  authenticator: byId(async (things) => {
    const passkey = new SoftAuthenticator();
    things.put('credentialId', passkey.id);
    const parameters = {
      userId: await things.get('user'),
      authenticators: [passkey.register({ name: things.home.label() })],
    };
    return (await made(things, 'CREATE_AUTHENTICATORS_V2', parameters, 'createAuthenticatorsResult')).authenticatorIds[0];
  }),
  credentialId: {
    make: (things) => things.get('authenticator').then(() => things.get('credentialId')),
    unknown: () => randomBytes(16).toString('base64url'),
    fresh: true,
  },
  oauthProvider: byId(async (things) => {
    const { oidcToken, oidcClaims } = newAccount();
    things.put('oidcToken', oidcToken);
    things.put('oidcClaims', oidcClaims);
    const parameters = { userId: await things.get('user'), oauthProviders: [{ providerName: things.home.label(), oidcToken }] };
    return (await made(things, 'CREATE_OAUTH_PROVIDERS_V2', parameters, 'createOauthProvidersResultV2')).providerIds[0];
  }),
  /** Of the account of a provider. */
  oidcToken: {
    make: (things) => things.get('oauthProvider').then(() => things.get('oidcToken')),
    unknown: () => newAccount().oidcToken,
  },
  oidcClaims: {
    make: (things) => things.get('oauthProvider').then(() => things.get('oidcClaims')),
    unknown: () => newAccount().oidcClaims,
  },
  oauth2Credential: byId(async (things) => {
    const credential = { provider: 'OAUTH2_PROVIDER_X', clientId: providers.clientId, ...(await newSecret(things)) };
    return (await made(things, 'CREATE_OAUTH2_CREDENTIAL', credential, 'createOauth2CredentialResult')).oauth2CredentialId;
  }),
  fiatOnRampCredential: byId(async (things) => {
    const credential = await moonpayCredential(things.home.instance.url);
    return (await made(things, 'CREATE_FIAT_ON_RAMP_CREDENTIAL', credential, 'createFiatOnRampCredentialResult'))
      .fiatOnRampCredentialId;
  }),
  onRampTransaction: byId(async (things) => {
    await things.get('fiatOnRampCredential');
    return (await made(things, 'INIT_FIAT_ON_RAMP', buying(MOONPAY), 'initFiatOnRampResult')).onRampTransactionId;
  }),
  wallet: byId(async (things) => {
    const parameters = { walletName: things.home.label(), accounts: [{ ...ethereumAccount(), name: things.home.label() }] };
    const { walletId, addresses } = await made(things, 'CREATE_WALLET', parameters, 'createWalletResult');
    things.put('address', addresses[0]);
    return walletId;
  }),
  /** Of a wallet account. */
  address: addressBeside('address', 'wallet'),
  walletAccount: byId(async (things) => {
    const { accounts } = (await things.home.client.query('list_wallet_accounts', { walletId: await things.get('wallet') })).body;
    return accounts[0].walletAccountId;
  }),
  solanaAddress: {
    async make(things) {
      const account = { ...ethereumAccount(), curve: 'CURVE_ED25519', addressFormat: 'ADDRESS_FORMAT_SOLANA' };
      const parameters = { walletName: unknownName(), accounts: [{ ...account, name: unknownName() }] };
      return (await made(things, 'CREATE_WALLET', parameters, 'createWalletResult')).addresses[0];
    },
    unknown: () => Keypair.generate().publicKey.toBase58(),
  },
  sparkAddress: {
    async make(things) {
      const account = { ...ethereumAccount(), path: "m/8797555'/0'/0'" };
      const formats = ['ADDRESS_FORMAT_SPARK_MAINNET', 'ADDRESS_FORMAT_COMPRESSED'];
      const accounts = formats.map((addressFormat) => ({ ...account, addressFormat, name: unknownName() }));
      const wallet = await made(things, 'CREATE_WALLET', { walletName: unknownName(), accounts }, 'createWalletResult');
      things.put('sparkIdentity', wallet.addresses[1]);
      return wallet.addresses[0];
    },
    unknown: (like) => `${like.slice(0, -8)}${randomBytes(4).toString('hex')}`,
  },
  /** The public key of that address. */
  sparkIdentity: beside('sparkIdentity', 'sparkAddress'),
  /** Made outside the service, which knows none. */
  outsideId: { make: async () => randomUUID(), unknown: () => randomUUID(), fresh: true },
  privateKey: byId(async (things) => {
    const key = { curve: 'CURVE_SECP256K1', addressFormats: ['ADDRESS_FORMAT_ETHEREUM'], privateKeyTags: [] };
    const parameters = { privateKeys: [{ ...key, privateKeyName: things.home.label() }] };
    const [one] = (await made(things, 'CREATE_PRIVATE_KEYS_V2', parameters, 'createPrivateKeysResultV2')).privateKeys;
    things.put('privateKeyAddress', one.addresses[0].address);
    return one.privateKeyId;
  }),
  privateKeyAddress: addressBeside('privateKeyAddress', 'privateKey'),
  secret: byId(async ({ home }) => (await imported(home.client, ['secret', { name: home.label() }]))[0]!),
  /** It is on its way. */
  send: byId(async (things) => (await newSend(things.home, await things.get('address'))).id),
  policy: byId(async (things) => {
    const parameters = { policyName: things.home.label(), effect: 'EFFECT_ALLOW', consensus: 'false', notes: '' };
    return (await made(things, 'CREATE_POLICY_V3', parameters, 'createPolicyResult')).policyId;
  }),
  mfaPolicy: byId(async (things) => {
    const requiredAuthenticationMethods = [{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] }];
    const policy = { mfaPolicyName: things.home.label(), condition: 'false', requiredAuthenticationMethods, order: 0 };
    const parameters = { userId: await things.get('user'), ...policy };
    return (await made(things, 'CREATE_MFA_POLICY', parameters, 'createMfaPolicyResult')).mfaPolicyId;
  }),
  /** Two operators, of whom both must agree. */
  tvcApp: byId(async ({ home, put }) => {
    const app = await newApp(home.client, [newOperator(), newOperator()], 2, { enableDebugModeDeployments: true });
    put('tvcOperatorSet', app.manifestSetId);
    put('tvcOperator', app.manifestSetOperatorIds[0]!);
    return app.appId;
  }),
  tvcOperatorSet: beside('tvcOperatorSet', 'tvcApp'),
  tvcOperator: beside('tvcOperator', 'tvcApp'),
  tvcDeployment: byId(async (things) => {
    const appId = await things.get('tvcApp');
    const { deploymentId, manifestId } = await newDeployment(things.home.client, appId, { debugMode: true });
    things.put('tvcManifest', manifestId);
    return deploymentId;
  }),
  tvcManifest: beside('tvcManifest', 'tvcDeployment'),
  /** A deployment whose runner waits for shares. */
  tvcAwaiting: byId(async ({ home }) => (await awaitingOutsiders(home.instance, home.client)).deployed.deploymentId),
  webhookEndpoint: byId(async (things) => {
    const parameters = { url: RECEIVER, name: things.home.label() };
    return (await made(things, 'CREATE_WEBHOOK_ENDPOINT', parameters, 'createWebhookEndpointResult')).endpointId;
  }),
  /** It has ended. */
  webhookDelivery: byId(async (things) => (await newDelivery(things.home, await things.get('webhookEndpoint'))).id),
  contractInterface: byId(async (things) => {
    const parameters = {
      smartContractAddress: `0x${randomBytes(20).toString('hex')}`,
      smartContractInterface: '[]',
      type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
      label: things.home.label(),
    };
    const result = await made(things, 'CREATE_SMART_CONTRACT_INTERFACE', parameters, 'createSmartContractInterfaceResult');
    return result.smartContractInterfaceId;
  }),
  /** A sub-organization has those of its parent. */
  sessionProfile: byId(async ({ home }) => {
    const { store, ids, clock } = home.instance.engine;
    const { id, parentId } = (await store.read.organizations.get(home.client.organizationId))!;
    const profile = { id: ids.next(), name: home.label(), scope: 'false', expirationSeconds: null, notes: null };
    const row = { ...profile, organizationId: parentId ?? id, createdAt: clock.now() };
    await store.transaction((tx) => tx.sessionProfiles.insert(row));
    return row.id;
  }),
  /** It waits for a root user. */
  activity: byId(async (things) => {
    const keys = newKeys();
    const users = [{ ...userWith(things.home.label(), [keys]), userTags: [] }];
    const [userId] = (await made(things, 'CREATE_USERS_V4', { users }, 'createUsersResult')).userIds;
    const consensus = `${approvedBy(userId)} && approvers.count() > 1`;
    const walletId = await things.get('wallet');
    const condition = `activity.kind == 'UPDATE_WALLET' && activity.params.wallet_id == '${walletId}'`;
    const policy = { policyName: unknownName(), effect: 'EFFECT_ALLOW', condition, consensus, notes: '' };
    await made(things, 'CREATE_POLICY_V3', policy, 'createPolicyResult');
    const waiting = await things.home.client.as(keys).submit('UPDATE_WALLET', { walletId, walletName: unknownName() });
    if (waiting.body.activity?.status !== 'ACTIVITY_STATUS_CONSENSUS_NEEDED') throw new Error(`does not wait: ${waiting.text}`);
    things.put('fingerprint', waiting.body.activity.fingerprint);
    return waiting.body.activity.id;
  }),
  fingerprint: beside('fingerprint', 'activity'),
  /** What people call things. */
  name: { make: async ({ home }) => home.label(), unknown: unknownName, fresh: true },
  /** What policies call a velocity control. */
  identifier: { make: async ({ home }) => identifierOf(home.label()), unknown: () => `other_${unknownText()}`, fresh: true },
  velocityControl: byId(async (things) => {
    const control = velocityControl({ name: things.home.label(), identifier: await things.get('identifier') });
    return (await made(things, 'CREATE_VELOCITY_CONTROL', control, 'createVelocityControlResult')).velocityControlId;
  }),
  /** A reserved amount. */
  velocityEntry: {
    async make(things) {
      const controlId = await things.get('velocityControl');
      const { store, ids, clock } = things.home.instance.engine;
      const activityId = ids.next();
      const spend = { controlId, bucket: '', window: { kind: 'infinite' }, amount: 1n, count: 1, isReserved: true } as const;
      const org = things.home.client.organizationId;
      await store.transaction((tx) => tx.velocityCounters.count(org, activityId, [spend], clock.now()));
      return `${controlId}/${activityId}/`;
    },
    unknown: () => `${NOBODY}/${NOBODY}/`,
    fresh: true,
  },
  /** A public key that is there. */
  key: { make: (things) => things.get('publicKey'), unknown: () => newKeys().publicKey },
  publicKey: {
    make: (things) => things.get('apiKey').then(() => things.get('publicKey')),
    unknown: () => newKeys().publicKey,
    fresh: true,
  },
  email: { make: async () => unknownEmail(), unknown: unknownEmail, fresh: true },
  /** Of a user who is there. No other field is given it, or others would have it soon. */
  knownEmail: {
    async make(things) {
      const email = unknownEmail();
      const users = [{ ...userWith(things.home.label(), [newKeys()]), userTags: [], userEmail: email }];
      await made(things, 'CREATE_USERS_V4', { users }, 'createUsersResult');
      return email;
    },
    unknown: unknownEmail,
  },
  phone: { make: async () => unknownPhone(), unknown: unknownPhone, fresh: true },
};

export function kindOf(name: string): Kind {
  const kind = KINDS[name];
  if (kind === undefined) throw new Error(`there is no kind "${name}": add it to tests/support/world/kinds.ts`);
  return kind;
}

export function thingsIn(home: Home): Things {
  const known = new Map<string, Promise<string>>();
  const things: Things = {
    home,
    get(name) {
      const found = known.get(name) ?? kindOf(name).make(things);
      known.set(name, found);
      return found;
    },
    put: (name, value) => void known.set(name, Promise.resolve(value)),
  };
  return things;
}
