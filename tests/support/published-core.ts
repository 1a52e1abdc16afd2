/** The published browser client in Node.js. The browser's storage is in memory, for one person at a time. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { v1SignRawPayloadResult } from '@turnkey/core';
import { encryptOtpCodeToBundle } from '@turnkey/crypto';
import * as database from 'fake-indexeddb';
import { verifyMessage } from 'viem';
import type { MailServer } from './mail.ts';

class Kept extends Map<string, string> {
  getItem = (key: string) => this.get(key) ?? null;
  setItem = (key: string, value: string) => void this.set(key, value);
  removeItem = (key: string) => void this.delete(key);
}

const localStorage = new Kept();
Object.assign(globalThis, database, { window: { localStorage, location: { hostname: 'localhost' } }, document: {} });

// It looks for the browser when it is loaded.
export const published = await import('@turnkey/core');

export type Core = InstanceType<typeof published.TurnkeyClient>;

/** As in a browser that was never here. */
export async function newCore(url: string, organizationId: string, configId: string): Promise<Core> {
  localStorage.clear();
  const client = new published.TurnkeyClient({ apiBaseUrl: url, authProxyUrl: url, authProxyConfigId: configId, organizationId });
  await client.init();
  return client;
}

/** Asks for a code, reads it in the mail and answers with it. */
export async function verifiedBy(core: Core, mail: MailServer, otpSigner: string, contact: string): Promise<string> {
  const { otpId, otpEncryptionTargetBundle } = await core.initOtp({ otpType: published.OtpType.Email, contact });
  const code = await mail.nextCode(contact);
  const publicKey = await core.createApiKeyPair();
  const encryptedOtpBundle = await encryptOtpCodeToBundle(code, otpEncryptionTargetBundle, publicKey, otpSigner);
  return (await core.httpClient.proxyVerifyOtpV2({ otpId, encryptedOtpBundle })).verificationToken;
}

/** Makes a wallet if there is none, and signs with its account. Returns the account's owner. */
export async function signs(core: Core) {
  if ((await core.fetchWallets()).length === 0)
    await core.createWallet({ walletName: 'Mine', accounts: ['ADDRESS_FORMAT_ETHEREUM'] });
  const [wallet] = await core.fetchWallets();
  const account = wallet!.accounts[0]!;
  const message = randomUUID();
  const { r, s, v }: v1SignRawPayloadResult = await core.signMessage({
    message,
    walletAccount: account,
    addEthereumPrefix: true,
  });
  const signature = `0x${r}${s}${(Number.parseInt(v, 16) + 27).toString(16)}` as const;
  assert.ok(await verifyMessage({ address: account.address as `0x${string}`, message, signature }));
  const { organizationId, userId } = (await core.getSession())!;
  return { organizationId, userId, address: account.address };
}
