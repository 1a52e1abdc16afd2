/** What the page does, by the published client. Nothing here knows of the page. */
import { FilterType, getAuthProxyConfig, OtpType, type Session, TurnkeyClient, type WalletAccount } from '@turnkey/core';
import { encryptOtpCodeToBundle } from '@turnkey/crypto';
import { verifyMessage } from 'viem';
import { framesOf } from './frames.ts';

/** What `build.ts` writes into settings.json. */
export type Settings = {
  apiUrl: string;
  authProxyUrl: string;
  authProxyConfigId: string;
  /** The key with which the service signs what a code is sealed to. The client has another one built in. */
  otpSigner: string;
  /** Where the service has its frames. Without, the page exports and imports nothing. */
  framesUrl?: string;
  /** Where the page sends. Without, it has nothing to send with. */
  network?: Network;
};

/** `caip2`: the network's name in requests. `explorer`: the address of a site that shows transactions. */
export type Network = { caip2: string; name: string; symbol: string; sponsored: boolean; explorer?: string };

/** `value`: in wei. */
export type Transfer = { to: string; value: bigint };
export type SendStatus = {
  state: 'INITIALIZED' | 'BROADCASTING' | 'INCLUDED' | 'FAILED';
  hash: string | undefined;
  /** Why it failed, or reverted in its block. */
  problem: string | undefined;
};

export type Person = { name: string; email: string | undefined };
export type Signed = { signature: `0x${string}`; valid: boolean };
export type SentCode = { email: string; otpId: string; otpEncryptionTargetBundle: string };

export type App = Awaited<ReturnType<typeof openApp>>;

/** The client allows only some characters in the name of a passkey. */
const passkeyName = (name: string): string => {
  const plain = name.normalize('NFD').replace(/[^a-zA-Z0-9 _.:/-]/g, '');
  return plain.trim() || 'Harbour';
};

export async function openApp({ apiUrl, authProxyUrl, authProxyConfigId, otpSigner, framesUrl, network }: Settings) {
  const config = await getAuthProxyConfig(authProxyConfigId, authProxyUrl);
  const { organizationId, enabledProviders, sessionExpirationSeconds: expirationSeconds } = config;
  const passkeyConfig = { rpId: location.hostname };
  const client = new TurnkeyClient({ apiBaseUrl: apiUrl, authProxyUrl, authProxyConfigId, organizationId, passkeyConfig });
  await client.init();

  /** Whom a mailed code was sent to, and what is needed to answer with it. */
  async function sendCode(email: string): Promise<SentCode> {
    return { email, ...(await client.initOtp({ otpType: OtpType.Email, contact: email })) };
  }

  /** Seals the code to the service, with a new key of this browser. The token in the answer works with that key only. */
  async function verify({ otpId, otpEncryptionTargetBundle }: SentCode, code: string): Promise<string> {
    const publicKey = await client.createApiKeyPair();
    try {
      const encryptedOtpBundle = await encryptOtpCodeToBundle(code, otpEncryptionTargetBundle, publicKey, otpSigner);
      return (await client.httpClient.proxyVerifyOtpV2({ otpId, encryptedOtpBundle })).verificationToken;
    } catch (error) {
      await client.deleteApiKeyPair({ publicKey });
      throw error;
    }
  }

  /** Logs in the person with the address, and signs them up if they have no account. */
  async function enterWithCode(sent: SentCode, code: string): Promise<void> {
    const verificationToken = await verify(sent, code);
    const account = { filterType: FilterType.Email, filterValue: sent.email, verificationToken };
    const { organizationId: mine } = await client.httpClient.proxyGetAccount(account);
    if (mine) await client.loginWithOtp({ verificationToken, organizationId: mine, expirationSeconds });
    else await client.signUpWithOtp({ verificationToken, contact: sent.email, otpType: OtpType.Email });
  }

  /** Makes a passkey, and a new user who has it. */
  async function signUpWithPasskey(name: string): Promise<void> {
    const createSubOrgParams = { userName: name, subOrgName: name };
    await client.signUpWithPasskey({ passkeyDisplayName: passkeyName(name), createSubOrgParams, expirationSeconds });
  }

  const loginWithPasskey = async (): Promise<void> => void (await client.loginWithPasskey({ expirationSeconds }));

  /** The session of this browser, unless it has ended. */
  async function session(): Promise<Session | undefined> {
    const active = await client.getSession();
    if (!active || active.expiry * 1000 > Date.now()) return active;
    await client.clearAllSessions();
    return undefined;
  }

  async function person(): Promise<Person> {
    const { userName, userEmail } = await client.fetchUser();
    return { name: userName, email: userEmail };
  }

  /** The first account of the first wallet. */
  const account = async (): Promise<WalletAccount | undefined> => (await client.fetchWallets())[0]?.accounts[0];

  const makeWallet = async (): Promise<void> =>
    void (await client.createWallet({ walletName: 'Harbour', accounts: ['ADDRESS_FORMAT_ETHEREUM'] }));

  /** Signs as Ethereum's personal_sign does, and checks the signature against the address. */
  async function sign(walletAccount: WalletAccount, message: string): Promise<Signed> {
    const { r, s, v } = await client.signMessage({ message, walletAccount, addEthereumPrefix: true });
    const recovery = (Number.parseInt(v, 16) + 27).toString(16);
    const signature = `0x${r}${s}${recovery}` as const;
    const address = walletAccount.address as `0x${string}`;
    return { signature, valid: await verifyMessage({ address, message, signature }) };
  }

  /** Has the service send a transfer, whose nonce, gas and fees it fills in. The id by which its status is asked for. */
  async function send({ address }: WalletAccount, { to, value }: Transfer): Promise<string> {
    const { sponsored, ...on } = network!;
    const caip2 = on.caip2 as 'eip155:1';
    return client.ethSendTransaction({
      transaction: { from: address, to, value: String(value), caip2, ...(sponsored && { sponsor: true }) },
    });
  }

  async function sendStatus(sendTransactionStatusId: string): Promise<SendStatus> {
    const { txStatus, eth, txError, error } = await client.httpClient.getSendTransactionStatus({ sendTransactionStatusId });
    return {
      state: txStatus as SendStatus['state'],
      hash: eth?.txHash || undefined,
      problem: error?.message || txError || undefined,
    };
  }

  const signOut = async (): Promise<void> => client.logout();

  return {
    byEmail: enabledProviders.includes('email'),
    byPasskey: enabledProviders.includes('passkey'),
    sendCode,
    enterWithCode,
    signUpWithPasskey,
    loginWithPasskey,
    session,
    person,
    account,
    makeWallet,
    frames: framesUrl === undefined ? undefined : framesOf(client, framesUrl),
    sign,
    network,
    send,
    sendStatus,
    signOut,
  };
}
