import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { toHex } from 'viem';
import { MESSAGE_NONCE_SLOT } from '../../../src/chains/ethereum/delegation.ts';
import { CHAIN, FRIEND, sendingWorld } from '../../activities/sending/eth-support.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEachQuery } from '../../support/refusals.ts';

const world = await sendingWorld();
after(() => world.stop());
const instance = await sharedInstance({ ...world.env, RPC_URL_EIP155_5: 'http://127.0.0.1:9' });
const { root } = instance;
const ask = async (more: object) => (await root.query('get_nonces', { address: FRIEND, caip2: CHAIN, ...more })).body;

test('each nonce that is asked for, of any account', async () => {
  assert.deepEqual(await ask({}), {});
  assert.deepEqual(await ask({ nonce: true, gasStationNonce: true }), { nonce: '0', gasStationNonce: '0' });
  await world.admin.setNonce({ address: FRIEND, nonce: 7 });
  const word = toHex((5n << 128n) + 12n, { size: 32 });
  await world.admin.setStorageAt({ address: FRIEND, index: MESSAGE_NONCE_SLOT, value: word });
  assert.deepEqual(await ask({ nonce: true, gasStationNonce: false }), { nonce: '7' });
  assert.deepEqual(await ask({ gasStationNonce: true }), { gasStationNonce: '12' });
});

test('a wrong field is refused by its name; a network that does not answer, for now', async () => {
  await refusesEachQuery(root, 'get_nonces', [
    [{ caip2: CHAIN, address: '0x12' }, 'address', /40 hex digits/],
    [{ caip2: 'eip155:77', address: FRIEND, nonce: true }, 'caip2', /RPC_URL_EIP155_77/],
    [{ caip2: CHAIN, address: FRIEND, nonce: 'yes' }, 'nonce', /./],
  ]);
  const silent = await root.query('get_nonces', { address: FRIEND, caip2: 'eip155:5', nonce: true });
  refused(silent, [503, 'UNAVAILABLE', /no RPC endpoint of eip155:5 answers now/]);
});
