/** Each format of keys, and wallets of both lengths, through both frames. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { decryptExportBundle, encryptPrivateKeyToBundle } from '@turnkey/crypto';
import { mnemonicToAccount } from 'viem/accounts';
import { writeKey } from '../../src/bundles/key-formats.ts';
import { generateMnemonic } from '../../src/crypto/mnemonic.ts';
import { seededBytes } from '../crypto/vectors.ts';
import { chromiumProgram, NO_CHROMIUM } from '../support/chromium.ts';
import { resultOf } from '../support/client.ts';
import { framesWorld } from '../support/frames.ts';
import { newTarget, publishedKey } from '../support/published.ts';
import { exportsKey, exportsWallet, importsKey, importsWallet, rootUserId } from './frames-custody.ts';

describe('formats of the frames', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  const world = framesWorld();
  const random = seededBytes(36);

  for (const [curve, format] of [
    ['CURVE_SECP256K1', 'HEXADECIMAL'],
    ['CURVE_ED25519', 'HEXADECIMAL'],
    ['CURVE_P256', 'HEXADECIMAL'],
    ['CURVE_ED25519', 'SOLANA'],
    ['CURVE_SECP256K1', 'BITCOIN_MAINNET_WIF'],
    ['CURVE_SECP256K1', 'BITCOIN_TESTNET_WIF'],
    ['CURVE_ED25519', 'SUI_BECH32'],
  ] as const)
    test(`a key of ${curve} comes out as it went in as ${format}`, async () => {
      const text = writeKey(random(32), format);
      const privateKeyId = await importsKey(world, text, curve, format);
      assert.equal(await exportsKey(world, privateKeyId, format), text);
    });

  test('the published functions open what a frame imported, and seal what a frame exports', async () => {
    const { root, url } = world.instance;
    const { organizationId } = root;
    const dangerouslyOverrideSignerPublicKey = await publishedKey(url, 'bundle-signer');
    const [text, other] = [writeKey(random(32), undefined), writeKey(random(32), undefined)] as const;
    const target = newTarget();
    const privateKeyId = await importsKey(world, text, 'CURVE_SECP256K1', undefined);
    const parameters = { privateKeyId, targetPublicKey: target.publicKeyUncompressed };
    const { exportBundle } = resultOf(await root.submit('EXPORT_PRIVATE_KEY', parameters), 'exportPrivateKeyResult');
    const opened = { exportBundle, embeddedKey: target.privateKey, organizationId, returnMnemonic: false };
    assert.equal(`0x${await decryptExportBundle({ ...opened, dangerouslyOverrideSignerPublicKey })}`, text);
    const userId = await rootUserId(world);
    const { importBundle } = resultOf(await root.submit('INIT_IMPORT_PRIVATE_KEY', { userId }), 'initImportPrivateKeyResult');
    const sealed = { privateKey: other.slice(2), keyFormat: 'HEXADECIMAL' as const, importBundle, userId, organizationId };
    const encryptedBundle = await encryptPrivateKeyToBundle({ ...sealed, dangerouslyOverrideSignerPublicKey });
    const given = { userId, privateKeyName: 'sealed elsewhere', encryptedBundle, curve: 'CURVE_P256', addressFormats: [] };
    const imported = resultOf(await root.submit('IMPORT_PRIVATE_KEY', given), 'importPrivateKeyResult');
    assert.equal(await exportsKey(world, imported.privateKeyId, undefined), other);
  });

  for (const words of [12, 24] as const)
    for (const passphrase of ['', 'correct horse'])
      test(`a wallet of ${words} words ${passphrase && 'and a passphrase '}comes out as it went in`, async () => {
        const mnemonic = generateMnemonic(words, random);
        const { walletId, addresses } = await importsWallet(world, ` ${mnemonic}\n`, passphrase, { enablePassphrase: true });
        assert.deepEqual(await exportsWallet(world, walletId), { box: mnemonic, passphrase });
        const account = mnemonicToAccount(mnemonic, { passphrase });
        assert.equal(addresses[0], account.address);
        const { root } = world.instance;
        const { page, key, frame, call } = await world.open('export');
        const parameters = { address: addresses[0], targetPublicKey: key };
        const { exportBundle } = resultOf(await root.submit('EXPORT_WALLET_ACCOUNT', parameters), 'exportWalletAccountResult');
        await call('injectKeyExportBundle', exportBundle, root.organizationId);
        const shown = await frame.locator('#key-div').textContent();
        assert.equal(shown, `0x${Buffer.from(account.getHdKey().privateKey!).toString('hex')}`);
        await page.close();
      });
});
