import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Hex } from 'viem';
import { CHAIN, dataOf, newAccount, sendingWorld } from '../../activities/sending/eth-support.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEachQuery } from '../../support/refusals.ts';
import { startLiar } from '../../support/rpc-liar.ts';
import { waitFor } from '../../support/wait.ts';

const QUERY = 'get_wallet_address_balances';
const world = await sendingWorld();
const silent = await startLiar(world.anvil.url);
const first = await startLiar(world.anvil.url);
const second = await startLiar(world.anvil.url);
const token = await world.deploy('HeldToken', [1_000_000n]);
const foreign = await world.deploy('HeldToken', [7n]);
const folder = mkdtempSync(join(tmpdir(), 'countersign-tokens-'));
after(async () => {
  await Promise.all([silent.stop(), first.stop(), second.stop()]);
  await world.stop();
  rmSync(folder, { recursive: true, force: true });
});
const named = (address: Hex, symbol: string) => ({
  caip19: `${CHAIN}/erc20:${address}`,
  symbol,
  name: `The ${symbol}`,
  decimals: 6,
});
const file = join(folder, 'tokens.json');
writeFileSync(file, JSON.stringify([{ ...named(token, 'HELD'), stable: true }, named(foreign, 'OTHER')]));
const instance = await sharedInstance({ ...world.env, TOKENS: file });
const { root } = instance;

const give = async (to: Hex, amount: bigint) =>
  void (await world.must({ to: token, data: dataOf('HeldToken', 'transfer', [to, amount]) }));
const breakDown = async (now: boolean) => void (await world.must({ to: foreign, data: dataOf('HeldToken', 'breakDown', [now]) }));
const coin = (balance: string) => ({ caip19: `${CHAIN}/slip44:60`, symbol: 'ETH', balance, decimals: 18, name: 'Ether' });
const held = (balance: string) => ({
  caip19: `${CHAIN}/erc20:${token.toLowerCase()}`,
  symbol: 'HELD',
  balance,
  decimals: 6,
  name: 'The HELD',
});
const address = await newAccount(world, root, 5n);
const ask = async (more: object = {}) => root.query(QUERY, { address, caip2: CHAIN, ...more });

test('the coin and each token of which the address has some are there, in any spelling of the address', async () => {
  assert.deepEqual((await ask()).body, { balances: [coin('5')] });
  await give(address, 12n);
  world.liar.sizes.splice(0);
  assert.deepEqual((await ask({ address: address.toLowerCase() })).body, { balances: [coin('5'), held('12')] });
  assert.deepEqual(world.liar.sizes, [1, 3], 'the number of the block, then everything at that block in one batch');
  const empty = await newAccount(world, root, 0n);
  assert.deepEqual((await ask({ address: empty })).body, { balances: [] });
});

test('all balances are those of one block, although the next one comes between two answers', async () => {
  world.liar.lie({ kind: 'frozen', block: await world.node.getBlockNumber() }, { methods: ['eth_blockNumber'] });
  try {
    await give(address, 1n);
    await world.admin.setBalance({ address, value: 6n });
    await world.admin.mine({ blocks: 1 });
    assert.deepEqual((await ask()).body, { balances: [coin('5'), held('12')] });
  } finally {
    world.liar.truth();
  }
  assert.deepEqual((await ask()).body, { balances: [coin('6'), held('13')] });
});

test('a token that reverts, or answers nonsense, refuses the whole request for now, and is named', async () => {
  const isNamed = new RegExp(`${foreign.toLowerCase()} answers balanceOf .* no balance.* TOKENS`);
  await breakDown(true);
  refused(await ask(), [503, 'UNAVAILABLE', isNamed]);
  await breakDown(false);
  const code = (await world.node.getCode({ address: foreign }))!;
  for (const nonsense of ['0x', '0x60406000f3'] as const) {
    await world.admin.setCode({ address: foreign, bytecode: nonsense });
    refused(await ask(), [503, 'UNAVAILABLE', isNamed]);
  }
  await world.admin.setCode({ address: foreign, bytecode: code });
  assert.equal((await ask()).status, 200);
});

test('an address that is no wallet account of the organization is not found, also if a private key has it', async () => {
  const { curve, addressFormats } = { curve: 'CURVE_SECP256K1', addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] };
  const privateKeys = [{ privateKeyName: 'Key', curve, addressFormats, privateKeyTags: [] }];
  const made = resultOf(await root.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys }), 'createPrivateKeysResultV2');
  const ofKey = made.privateKeys[0].addresses[0].address;
  for (const other of [ofKey, world.paymaster.address, 'nonsense'])
    refused(await ask({ address: other }), [404, 'UNSPECIFIED', /wallet account not found/]);
  await refusesEachQuery(root, QUERY, [
    [{ address, caip2: 'eip155:77' }, 'caip2', /RPC_URL_EIP155_77/],
    [{ address, caip2: 'solana:devnet' }, 'caip2', /RPC_URL_SOLANA_DEVNET/],
    [{ address, caip2: 'bip122:1' }, 'caip2', /CAIP-2/],
  ]);
});

test('a node that fails in the middle gives no part: the next endpoint gives all, or the answer is 503', async () => {
  const two = await sharedInstance({ RPC_URL_EIP155_31337: `${first.url},${second.url}`, TOKENS: file });
  const own = await newAccount(world, two.root, 9n);
  const askTwo = () => two.root.query(QUERY, { address: own, caip2: CHAIN });
  const error = { kind: 'error', code: -32000, message: 'header not found' } as const;
  first.lie(error, { methods: ['eth_call'] });
  assert.deepEqual((await askTwo()).body, { balances: [coin('9')] });
  second.lie(error, { methods: ['eth_call'] });
  refused(await askTwo(), [503, 'UNAVAILABLE', /no RPC endpoint of eip155:31337 gives all balances/]);
});

test('a silent node ends the request after five seconds; a fifth request of an organization is told to wait', async () => {
  const slow = await sharedInstance({ RPC_URL_EIP155_31337: silent.url, TOKENS: file });
  const own = await newAccount(world, slow.root, 1n);
  const askSlow = () => slow.root.query(QUERY, { address: own, caip2: CHAIN });
  assert.equal((await askSlow()).status, 200);
  silent.lie({ kind: 'silence' }, { methods: ['eth_call'] });
  silent.asked.splice(0);
  const began = performance.now();
  const four = [askSlow(), askSlow(), askSlow(), askSlow()];
  await waitFor('four are under way', () => silent.asked.filter((method) => method === 'eth_call').length >= 4);
  const fifth = await askSlow();
  refused(fifth, [429, 'RATE_LIMIT_EXCEEDED', /4 requests for balances of this organization are under way/]);
  for (const answer of await Promise.all(four))
    refused(answer, [503, 'UNAVAILABLE', /no RPC endpoint of eip155:31337 answers now/]);
  const seconds = (performance.now() - began) / 1000;
  assert.ok(seconds > 4.5 && seconds < 9, `${seconds} s`);
  silent.truth();
  assert.equal((await askSlow()).status, 200);
});
