/** Imports and exports through the frames, with a root user's stamps. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { FrameLocator } from 'playwright-core';
import { resultOf } from '../support/client.ts';
import type { FramesWorld } from '../support/frames.ts';

const ACCOUNT = {
  curve: 'CURVE_SECP256K1',
  pathFormat: 'PATH_FORMAT_BIP32',
  path: "m/44'/60'/0'/0/0",
  addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
};

/** Attributes, address and history are read by other programs, and outlast the text of a page. */
async function hasNoneOf(frame: FrameLocator, secrets: readonly string[]): Promise<void> {
  const kept = await frame.locator('html').evaluate((html) => {
    const attributes = [...html.querySelectorAll('*')].flatMap(({ attributes: own }) => [...own].map(({ value }) => value));
    return JSON.stringify([attributes, location.href, history.state, document.title]);
  });
  for (const secret of secrets) assert.ok(secret === '' || !kept.includes(secret.trim()), kept);
}

export async function rootUserId({ instance: { root } }: FramesWorld): Promise<string> {
  return (await root.query('whoami', {})).body.userId as string;
}

export async function importsWallet(world: FramesWorld, words: string, passphrase = '', settings?: object) {
  const { root } = world.instance;
  const userId = await rootUserId(world);
  const { importBundle } = resultOf(await root.submit('INIT_IMPORT_WALLET', { userId }), 'initImportWalletResult');
  const { page, key, frame, call } = await world.open('import');
  assert.equal(key, '');
  if (settings !== undefined) assert.equal(await call('applySettings', settings), true);
  assert.equal(await call('injectImportBundle', importBundle, root.organizationId, userId), true);
  await frame.locator('#plaintext').fill(words);
  if (passphrase !== '') await frame.locator('#passphrase').fill(passphrase);
  await hasNoneOf(frame, [words, passphrase]);
  const encryptedBundle = (await call('extractWalletEncryptedBundle')) as string;
  assert.equal(await frame.locator('#plaintext').inputValue(), '', 'the text is gone');
  await page.close();
  const parameters = { userId, walletName: randomUUID(), encryptedBundle, accounts: [ACCOUNT] };
  return resultOf(await root.submit('IMPORT_WALLET', parameters), 'importWalletResult') as {
    walletId: string;
    addresses: string[];
  };
}

export async function exportsWallet(world: FramesWorld, walletId: string) {
  const { root } = world.instance;
  const { page, key, frame, call } = await world.open('export');
  const exported = await root.submit('EXPORT_WALLET', { walletId, targetPublicKey: key });
  const { exportBundle } = resultOf(exported, 'exportWalletResult');
  assert.equal(await call('injectWalletExportBundle', exportBundle, root.organizationId), true);
  const [box, passphrase] = [await frame.locator('#key-div').textContent(), await frame.locator('#passphrase').textContent()];
  await hasNoneOf(frame, [box!, passphrase!]);
  await page.close();
  return { box, passphrase };
}

export async function importsKey(
  world: FramesWorld,
  text: string,
  curve: string,
  keyFormat: string | undefined,
): Promise<string> {
  const { root } = world.instance;
  const userId = await rootUserId(world);
  const { importBundle } = resultOf(await root.submit('INIT_IMPORT_PRIVATE_KEY', { userId }), 'initImportPrivateKeyResult');
  const { page, frame, call } = await world.open('import');
  await call('injectImportBundle', importBundle, root.organizationId, userId);
  await frame.locator('#plaintext').fill(`${text}\n`);
  const encryptedBundle = (await call('extractKeyEncryptedBundle', keyFormat)) as string;
  await page.close();
  const parameters = { userId, privateKeyName: randomUUID(), encryptedBundle, curve, addressFormats: [] };
  return resultOf(await root.submit('IMPORT_PRIVATE_KEY', parameters), 'importPrivateKeyResult').privateKeyId;
}

export async function exportsKey(world: FramesWorld, privateKeyId: string, keyFormat: string | undefined) {
  const { root } = world.instance;
  const { page, key, frame, call } = await world.open('export');
  const exported = await root.submit('EXPORT_PRIVATE_KEY', { privateKeyId, targetPublicKey: key });
  const { exportBundle } = resultOf(exported, 'exportPrivateKeyResult');
  assert.equal(await call('injectKeyExportBundle', exportBundle, root.organizationId, keyFormat), true);
  const text = await frame.locator('#key-div').textContent();
  await page.close();
  return text;
}
