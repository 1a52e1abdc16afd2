import { randomBytes } from 'node:crypto';
import { emptyAccount } from '../../../src/model/billing-account.ts';
import { newCredential, RECOVERY_KEY } from '../../../src/model/user.ts';
import { initPrivateKeyImport, initWalletImport, sealKey, sealMnemonic } from '../../activities/custody.ts';
import { awaitingHosted, awaitingOutsiders, reEncrypting, severalHosted } from '../../activities/quorum-keys/support.ts';
import { importOf } from '../../activities/secrets/support.ts';
import { givenTransfer } from '../../activities/sending/samples.ts';
import { spark as sparkSamples } from '../../activities/spark/samples.ts';
import { sealedLeaf } from '../../activities/spark/support.ts';
import { approvalsOf, newApp, newDeployment, newLiveApp, newOperator } from '../../activities/tvc/support.ts';
import { bootProofOf } from '../../store/repositories/activities/app-proof-rows.ts';
import { freezeOf } from '../../store/repositories/people/freeze-row.ts';
import { SoftAuthenticator } from '../authenticator.ts';
import { newKeys } from '../client.ts';
import type { Instance } from '../instance.ts';
import { moonpayCredential } from '../on-ramp.ts';
import { newTarget } from '../published.ts';
import { NOBODY } from '../refusals.ts';
import { newHome, newTopLevel } from './homes.ts';
import { newAccount, newLogin, newSecret, providers } from './issuer.ts';
import type { Home, Things } from './kinds.ts';
import { clearCode, codeLogin, sealedCode, tokenLogin } from './otp.ts';
import { newSend } from './sends.ts';

/** A person without a credential, who stamps with the passkey in the request. */
export const NEWCOMER = new SoftAuthenticator();

/** A recovery key of the user for whom the operation runs. */
export const RECOVERY_KEYS = newKeys();

async function giveRecoveryKey({ home }: Things): Promise<object> {
  const { organizationId } = home.client;
  const { store, ids, clock } = home.instance.engine;
  const { parentId } = (await store.read.users.get(organizationId, home.userId))!;
  const own = { organizationId, parentId, userId: home.userId, type: RECOVERY_KEY, name: 'Email Recovery' };
  const made = { ...own, id: ids.next(), publicKey: RECOVERY_KEYS.publicKey, createdAt: clock.now() };
  await store.transaction((tx) => tx.credentials.insert(newCredential(made)));
  return {};
}

const invited = async (things: Things): Promise<{ challenge: string }> => {
  await things.get('invitation');
  return { challenge: await things.get('invitationSecret') };
};

/** A pending send without a wish. */
const onItsWay = async (things: Things): Promise<{ sendTransactionStatusId: string }> => {
  return { sendTransactionStatusId: (await newSend(things.home, await things.get('address'))).id };
};

const frozenWallet = async (things: Things): Promise<{ walletId: string }> => {
  const walletId = await things.get('wallet');
  const { store } = things.home.instance.engine;
  await store.transaction((tx) => tx.freezes.insert(freezeOf(things.home.client.organizationId, walletId)));
  return { walletId };
};

const onItsWayOut = async (things: Things): Promise<{ velocityControlId: string }> => {
  const velocityControlId = await things.get('velocityControl');
  const { instance, client } = things.home;
  await instance.engine.store.transaction((tx) =>
    tx.velocityControls.setRemoval(client.organizationId, velocityControlId, instance.clock.now() + 60_000),
  );
  return { velocityControlId };
};

/** A leaf that was transferred to the account. */
const transferred = async (things: Things): Promise<object> => {
  const { claim } = sparkSamples.SPARK_CLAIM_TRANSFER!() as { claim: { transferId: string; leaves: { leafId: string }[] } };
  const [{ leafId }] = claim.leaves as [{ leafId: string }];
  return { claim: { ...claim, leaves: [sealedLeaf(leafId, claim.transferId, await things.get('sparkIdentity'))] } };
};

const hasPaymentMethod = async ({ home }: Things): Promise<{ paymentMethodId: string }> => {
  const paid = { ...emptyAccount(home.client.organizationId, 0), paymentMethodId: 'pm_1' };
  await home.instance.engine.store.transaction((tx) => tx.billingAccounts.put(paid));
  return { paymentMethodId: paid.paymentMethodId };
};

/** The sample names this process. Boot proofs belong to no organization. */
export async function booted({ engine: { store } }: Instance): Promise<void> {
  const proof = { ...bootProofOf('sample'), publicKey: '04'.repeat(130) };
  if ((await store.read.bootProofs.get(proof.publicKey)) === undefined)
    await store.transaction((tx) => tx.bootProofs.insert(proof));
}

const withBootProof = async ({ home }: Things): Promise<object> => {
  await booted(home.instance);
  return {};
};

/** What a sample cannot know of the parameters that complete an operation, by type, kind or query name. */
export const RUNS: Readonly<Record<string, (things: Things) => object | Promise<object>>> = {
  ACTIVITY_TYPE_ACCEPT_INVITATION: async (things) => ({ authenticator: NEWCOMER.registerV1(NOBODY, await invited(things)) }),
  ACCEPT_INVITATION: async (things) => ({ authenticator: NEWCOMER.register(await invited(things)) }),
  ACTIVITY_TYPE_CREATE_ORGANIZATION: () => ({ rootAuthenticator: NEWCOMER.registerV1(NOBODY) }),
  CREATE_ORGANIZATION: () => ({ rootAuthenticator: NEWCOMER.register() }),
  IMPORT_WALLET: async ({ home }) => {
    const bundle = await initWalletImport(home);
    return { encryptedBundle: await sealMnemonic(home, bundle, `${'abandon '.repeat(11)}about`) };
  },
  IMPORT_PRIVATE_KEY: async ({ home }) => {
    const bundle = await initPrivateKeyImport(home);
    return { encryptedBundle: await sealKey(home, bundle, randomBytes(32).toString('hex')) };
  },
  IMPORT_SECRETS: async ({ home }) => importOf(home.client, ['secret', { name: randomBytes(8).toString('hex') }]),
  CREATE_OAUTH_PROVIDERS: () => ({ oauthProviders: [{ providerName: 'New', oidcToken: newAccount().oidcToken }] }),
  CREATE_OAUTH2_CREDENTIAL: newSecret,
  UPDATE_OAUTH2_CREDENTIAL: newSecret,
  CREATE_FIAT_ON_RAMP_CREDENTIAL: ({ home }) => moonpayCredential(home.instance.url),
  UPDATE_FIAT_ON_RAMP_CREDENTIAL: ({ home }) => moonpayCredential(home.instance.url),
  INIT_FIAT_ON_RAMP: async (things) => {
    await things.get('fiatOnRampCredential');
    return {};
  },
  OAUTH2_AUTHENTICATE: () => providers.signIn('2244994945'),
  OAUTH: (things) => newLogin(things, { targetPublicKey: newTarget().publicKeyUncompressed }),
  OAUTH_LOGIN: (things) => newLogin(things, { publicKey: newKeys().publicKey }),
  ACTIVITY_TYPE_VERIFY_OTP: clearCode,
  VERIFY_OTP: sealedCode,
  OTP_LOGIN: tokenLogin,
  OTP_AUTH: codeLogin,
  COUNTERSIGN_UNFREEZE: frozenWallet,
  COUNTERSIGN_KEEP_VELOCITY_CONTROL: onItsWayOut,
  COUNTERSIGN_CANCEL_SEND: onItsWay,
  COUNTERSIGN_SPEED_UP_SEND: onItsWay,
  UPDATE_ROOT_QUORUM: ({ home }) => ({ threshold: 1, userIds: [home.userId] }),
  SOL_SEND_TRANSACTION: async (things) => ({ unsignedTransaction: givenTransfer(await things.get('solanaAddress')) }),
  RECOVER_USER: giveRecoveryKey,
  SPARK_CLAIM_TRANSFER: transferred,
  DELETE_PAYMENT_METHOD: hasPaymentMethod,
  UPDATE_PAYMENT_METHOD: async (things) => {
    await hasPaymentMethod(things);
    return {};
  },
  CREATE_TVC_MANIFEST_APPROVALS: async ({ home: { client } }) => {
    const operator = newOperator();
    const { appId, manifestSetOperatorIds } = await newApp(client, [operator]);
    return approvalsOf(client, await newDeployment(client, appId), [[manifestSetOperatorIds[0]!, operator]]);
  },
  UPDATE_TVC_APP_LIVE_DEPLOYMENT: async ({ home }) => ({ deploymentId: (await newLiveApp(home.client)).live.deploymentId }),
  CREATE_TVC_QUORUM_KEY: async ({ home: { client } }) => ({
    operatorEncryptKeys: (await severalHosted(client, 2)).map(({ encryptPublicKey }) => encryptPublicKey),
  }),
  POST_TVC_QUORUM_KEY_SHARE: async ({ home: { instance, client } }) => {
    const { outsiders, deployed, ephemeral } = await awaitingOutsiders(instance, client);
    return outsiders[0]!.posting(deployed, ephemeral.ephemeralPublicKey);
  },
  RE_ENCRYPT_TVC_QUORUM_KEY_SHARE: async ({ home: { instance, client } }) => {
    const { hosted, deployed } = await awaitingHosted(instance, client);
    return reEncrypting(client, deployed, hosted[0]!);
  },
  RESTORE_TVC_DEPLOYMENT: async ({ home: { client } }) => {
    const { deploymentId } = await newDeployment(client, (await newApp(client, [newOperator()])).appId);
    await client.submit('DELETE_TVC_DEPLOYMENT', { deploymentId });
    return { deploymentId };
  },
  get_boot_proof: withBootProof,
  get_latest_boot_proof: withBootProof,
  DELETE_SUB_ORGANIZATION: () => ({ deleteWithoutExport: true }),
  DELETE_WALLETS: () => ({ deleteWithoutExport: true }),
  DELETE_WALLET_ACCOUNTS: () => ({ deleteWithoutExport: true }),
  DELETE_PRIVATE_KEYS: () => ({ deleteWithoutExport: true }),
};

/** Where an operation is carried out that changes the organization for what comes after it. */
export const PLACES: Readonly<Record<string, (instance: Instance) => Promise<Home>>> = {
  // It adds the newcomer's passkey.
  ACCEPT_INVITATION: (instance) => newHome(instance, 'With somebody new'),
  // No user logs in to a top-level organization this way.
  OAUTH: (instance) => newHome(instance, 'With an account'),
  OAUTH_LOGIN: (instance) => newHome(instance, 'With an account'),
  // Recovery is on there.
  INIT_USER_EMAIL_RECOVERY: (instance) => newHome(instance, 'With mail'),
  RECOVER_USER: (instance) => newHome(instance, 'With mail'),
  OTP_AUTH: (instance) => newHome(instance, 'With a code'),
  UPDATE_ROOT_QUORUM: (instance) => newHome(instance, 'With one root user'),
  DELETE_ORGANIZATION: (instance) => newTopLevel(instance, 'To be deleted'),
  DELETE_SUB_ORGANIZATION: (instance) => newHome(instance, 'To be deleted'),
};
