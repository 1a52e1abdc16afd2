/** Two tabs of one browser, which share what it keeps for a page. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { privateKeyToAddress } from 'viem/accounts';
import { credentialBundle } from '../../src/bundles/credential-bundle.ts';
import { generateHpkeKeyPair, hpkeSeal } from '../../src/crypto/hpke.ts';
import { p256Convert } from '../../src/crypto/p256.ts';
import { hex, seededBytes } from '../crypto/vectors.ts';
import { chromiumProgram, NO_CHROMIUM } from '../support/chromium.ts';
import { resultOf } from '../support/client.ts';
import { type Embedded, framesWorld } from '../support/frames.ts';
import { importsWallet, rootUserId } from './frames-custody.ts';

const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';

describe('frames of two tabs', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  const world = framesWorld({}, '127.0.0.1');
  const random = seededBytes(41);

  test('each tab opens its own export, also after an export or a reset in the other', async () => {
    const { root } = world.instance;
    const { walletId } = await importsWallet(world, WORDS);
    const bundleFor = async (targetPublicKey: string): Promise<string> =>
      resultOf(await root.submit('EXPORT_WALLET', { walletId, targetPublicKey }), 'exportWalletResult').exportBundle;
    const tabs = [await world.open('export'), await world.open('export')] as const;
    assert.equal(tabs[0].key, tabs[1].key, 'they share storage');
    const exports = async ({ call, fails, frame }: Embedded, key: string) => {
      const bundle = await bundleFor(key);
      assert.equal(await call('injectWalletExportBundle', bundle, root.organizationId), true);
      assert.equal(await frame.locator('#key-div').textContent(), WORDS);
      assert.match(await fails('injectWalletExportBundle', bundle, root.organizationId), /page has no key|key of this page/);
    };
    for (const tab of tabs) await exports(tab, tab.key);
    const next = (await tabs[0].call('initEmbeddedKey')) as string;
    assert.notEqual(next, tabs[0].key);
    assert.equal(await tabs[1].call('initEmbeddedKey'), next);
    assert.equal(await tabs[1].call('clearEmbeddedKey'), null);
    assert.equal(await tabs[1].call('getEmbeddedPublicKey'), '');
    const other = (await tabs[1].call('initEmbeddedKey')) as string;
    assert.notEqual(other, next);
    await exports(tabs[0], next);
    // The export in the first tab did not take the second one's key.
    assert.equal((await world.open('export')).key, other);
    await exports(tabs[1], other);
    for (const { page } of tabs) await page.close();
  });

  test('each tab has its own login, and a reset ends only that of its tab', async () => {
    const tabs = [await world.open('auth'), await world.open('auth')] as const;
    assert.equal(tabs[0].key, tabs[1].key);
    const logsIn = async ({ call, key }: Embedded): Promise<string> => {
      const credential = generateHpkeKeyPair(random);
      const { enc, ciphertext } = hpkeSeal(hex(key), credential.privateKey, random);
      assert.equal(await call('injectCredentialBundle', credentialBundle(p256Convert(enc, 'compressed')!, ciphertext)), true);
      return p256Convert(credential.publicKey, 'compressed')!.toString('hex');
    };
    const stamps = async ({ call }: Embedded): Promise<string> => {
      const { stampHeaderValue } = (await call('stamp', 'a body')) as { stampHeaderValue: string };
      return JSON.parse(Buffer.from(stampHeaderValue, 'base64url').toString()).publicKey;
    };
    const keys = [await logsIn(tabs[0]), await logsIn(tabs[1])];
    assert.deepEqual([await stamps(tabs[0]), await stamps(tabs[1])], keys);
    assert.equal(await tabs[0].call('clearEmbeddedKey'), null);
    assert.match(await tabs[0].fails('stamp', 'a body'), /must be injected first/);
    assert.equal(await stamps(tabs[1]), keys[1]);
    const again = await logsIn(tabs[1]);
    assert.equal(await stamps(tabs[1]), again);
    for (const { page } of tabs) await page.close();
  });

  test('each tab imports what was typed in it', async () => {
    const { root } = world.instance;
    const userId = await rootUserId(world);
    const tabs = [await world.open('import'), await world.open('import')] as const;
    const keys = [`0x${'5'.repeat(64)}`, `0x${'6'.repeat(64)}`] as const;
    for (const [i, { frame }] of tabs.entries()) await frame.locator('#plaintext').fill(keys[i]!);
    const given = { userId, curve: 'CURVE_SECP256K1', addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] };
    // One after the other, since a user has one import at a time.
    for (const [i, { call, page }] of tabs.entries()) {
      const { importBundle } = resultOf(await root.submit('INIT_IMPORT_PRIVATE_KEY', { userId }), 'initImportPrivateKeyResult');
      await call('injectImportBundle', importBundle, root.organizationId, userId);
      const encryptedBundle = await call('extractKeyEncryptedBundle');
      const parameters = { ...given, privateKeyName: `of tab ${i}`, encryptedBundle };
      const { addresses } = resultOf(await root.submit('IMPORT_PRIVATE_KEY', parameters), 'importPrivateKeyResult');
      assert.equal(addresses[0].address, privateKeyToAddress(keys[i] as `0x${string}`));
      await page.close();
    }
  });
});
