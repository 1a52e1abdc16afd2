/** A key and a wallet through the import and the export frame, in Chromium with the published package. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chromiumProgram, NO_CHROMIUM } from '../support/chromium.ts';
import { framesWorld } from '../support/frames.ts';
import { exportsKey, exportsWallet, importsKey, importsWallet } from './frames-custody.ts';

const WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const SETTINGS = {
  styles: { padding: '4px 8px', color: '#0A0A0A', backgroundColor: '#FFFFFF', fontSize: '14px' },
  enablePassphrase: true,
};

describe('the export and the import frame', { skip: chromiumProgram() === undefined && NO_CHROMIUM }, () => {
  const world = framesWorld();

  test('a wallet with a passphrase, and a key, come out as they went in', async () => {
    const { walletId } = await importsWallet(world, WORDS, ' correct horse ', SETTINGS);
    const { box, passphrase } = await exportsWallet(world, walletId);
    assert.deepEqual([box, passphrase], [WORDS, ' correct horse ']);
    const key = `0x${'7'.repeat(64)}`;
    const privateKeyId = await importsKey(world, key, 'CURVE_SECP256K1', undefined);
    assert.equal(await exportsKey(world, privateKeyId, undefined), key);
  });
});
