import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedInstance } from '../../support/instance.ts';
import { ask, proofsOf } from './support.ts';

const { root } = await sharedInstance();

test('the latest boot proof is that of the process which signed, once it has signed', async () => {
  const latest = () => root.query('get_latest_boot_proof', { appName: 'countersign' });
  assert.equal((await latest()).status, 404);
  const [proof] = proofsOf(await ask(root, 'CREATE_WALLET', { walletName: 'Booted', accounts: [] }));
  assert.equal((await latest()).body.bootProof.ephemeralPublicKeyHex, proof!.publicKey);
  assert.equal((await root.query('get_latest_boot_proof', { appName: 'signer' })).status, 404);
});
