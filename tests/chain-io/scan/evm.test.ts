import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Address } from 'viem';
import { CHAIN } from '../../activities/sending/eth-support.ts';
import { rpc } from '../../support/rpc-liar.ts';
import { seeded } from '../../support/seeded.ts';
import { waitFor } from '../../support/wait.ts';
import { COIN, FINALITY, scanned, scanningInstance } from './support.ts';

const { world, instance, listen, told, delivered, newAccount } = await scanningInstance();
const { root, engine } = instance;
const { token } = world;
await listen(root, '/root');

const of = (address: Address) => told('/root').filter(({ msg }) => msg.address === address);
const brief = (address: Address) =>
  of(address).map(({ type, msg }) => `${type} ${msg.operation} ${msg.asset.amount} ${msg.asset.symbol} ${msg.block.number}`);
const rowsOf = async (address: string, organizationId = root.organizationId) =>
  engine.store.read.scannedTransactions.page({ organizationId, caip2: CHAIN, address }, { limit: 100 });

test('a deposit is told when a block has it, and again when that block is final', async () => {
  const address = await newAccount();
  const txHash = await world.give(undefined, address, { value: 7n });
  await world.give(undefined, address, { tokens: 12n });
  await world.mine();
  const number = await scanned(world, instance);
  await delivered();
  assert.deepEqual(brief(address).sort(), [
    `balances:confirmed deposit 12 HELD ${number}`,
    `balances:confirmed deposit 7 ETH ${number}`,
  ]);
  const { hash, timestamp } = await world.node.getBlock({ blockNumber: BigInt(number) });
  const { idempotencyKey, ...msg } = of(address).find((one) => one.msg.asset.symbol === 'ETH')!.msg;
  assert.deepEqual(msg, {
    operation: 'deposit',
    caip2: CHAIN,
    txHash,
    address,
    asset: { ...COIN, amount: '7' },
    block: { number, hash, timestamp: new Date(Number(timestamp) * 1000).toISOString().replace('.000', '') },
  });
  assert.match(idempotencyKey, /^[0-9a-f]{64}:balances:confirmed$/);

  await world.mine(FINALITY - 1);
  await delivered();
  assert.equal(of(address).length, 2, 'one block before the threshold');
  await world.mine();
  await delivered();
  assert.deepEqual(
    brief(address)
      .filter((one) => one.startsWith('balances:finalized'))
      .sort(),
    [`balances:finalized deposit 12 HELD ${number}`, `balances:finalized deposit 7 ETH ${number}`],
  );
});

test('a parent hears of its sub-organization, and each organization that has the address has rows of its own', async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Scanned', 1, 1);
  const address = await newAccount(0n, clients[0]!);
  await world.give(undefined, address, { value: 3n });
  await world.mine();
  await delivered();
  const [event] = of(address);
  assert.deepEqual([event!.organizationId, event!.parentOrganizationId], [organizationId, root.organizationId]);
  assert.equal((await rowsOf(address, organizationId)).length, 1);
  assert.equal((await rowsOf(address)).length, 0);
});

test('a failed transaction costs its sender a fee, and moves nothing', async () => {
  const from = await newAccount(10n ** 18n);
  const to = await newAccount();
  await world.give(from, to, { tokens: 5n });
  await world.mine();
  await delivered();
  assert.deepEqual([of(from), of(to), await rowsOf(to)], [[], [], []]);
  const [row] = await rowsOf(from);
  assert.deepEqual([row!.failed, row!.transfers], [true, []]);
  assert.equal(BigInt(row!.fee), 10n ** 18n - (await world.node.getBalance({ address: from })));
});

test('what a transaction pays to the contract that it creates is withdrawn', async () => {
  const from = await newAccount(10n ** 18n);
  // Its code only ends.
  const creation = { from, gas: '0x30d40', value: '0x7', data: '0x00' };
  await rpc(world.anvil.url, 'anvil_impersonateAccount', [from]);
  const hash = await rpc<`0x${string}`>(world.anvil.url, 'eth_sendTransaction', [creation]);
  await world.mine();
  await delivered();
  assert.deepEqual(
    of(from).map(({ msg }) => `${msg.operation} ${msg.asset.amount}`),
    ['withdraw 7'],
  );
  const { contractAddress } = await world.node.getTransactionReceipt({ hash });
  const [row] = await rowsOf(from);
  assert.deepEqual(
    row!.transfers.map(({ counterparty }) => counterparty.toLowerCase()),
    [contractAddress!.toLowerCase()],
  );
});

test('a transaction whose block falls out is told again in its new block, and is final once', async () => {
  const address = await newAccount();
  const stays = await world.give(undefined, address, { value: 1n });
  await world.mine();
  const before = await scanned(world, instance);
  const moves = await world.wallet.sendTransaction({ to: address, value: 2n, gas: 21_000n });
  const goes = await world.give(undefined, address, { value: 4n });
  await world.mine();
  await delivered();
  assert.equal(of(address).length, 3);
  const raw = await world.node.request({ method: 'eth_getRawTransactionByHash' as never, params: [moves] as never });
  // The depth is in blocks; the second transaction gets into the block after the first.
  await rpc(world.anvil.url, 'anvil_reorg', [1, [[raw, 0]]]);
  await rpc(world.anvil.url, 'anvil_dropAllTransactions');
  // The chain is as long as it was, and grows no further.
  await waitFor('its new block', () => brief(address).length === 4);
  assert.deepEqual(brief(address), [
    `balances:confirmed deposit 1 ETH ${before}`,
    `balances:confirmed deposit 2 ETH ${before + 1}`,
    `balances:confirmed deposit 4 ETH ${before + 1}`,
    `balances:confirmed deposit 2 ETH ${before + 1}`,
  ]);
  const twice = of(address).filter(({ msg }) => msg.txHash === moves);
  assert.notEqual(twice[0]!.msg.block.hash, twice[1]!.msg.block.hash);
  assert.notEqual(twice[0]!.msg.idempotencyKey, twice[1]!.msg.idempotencyKey);
  assert.deepEqual(
    (await rowsOf(address)).map(({ transactionHash }) => transactionHash),
    [moves, stays],
    'the history has what is in the chain',
  );
  await world.mine(FINALITY + 1);
  await delivered();
  const final = of(address).filter(({ type }) => type === 'balances:finalized');
  assert.deepEqual(
    final.map(({ msg }) => [msg.txHash, msg.block.hash]),
    [
      [stays, of(address)[0]!.msg.block.hash],
      [moves, twice[1]!.msg.block.hash],
    ],
  );
  assert.ok(!final.some(({ msg }) => msg.txHash === goes));
});

test('a node that lies, or does not know a receipt yet, is asked again: nothing is skipped', async () => {
  const address = await newAccount();
  const lies = [
    { kind: 'result', result: null } as const,
    { kind: 'error', code: -32000, message: 'unknown block' } as const,
    { kind: 'result', result: [] } as const,
  ];
  const methods = [['eth_getTransactionReceipt'], ['eth_getLogs'], ['eth_getBlockByNumber']];
  for (const [i, lie] of lies.entries()) {
    world.liar.lie(lie, { methods: methods[i]!, times: 1 });
    await world.give(undefined, address, { tokens: BigInt(i + 1) });
    await world.mine();
    await scanned(world, instance);
    world.liar.truth();
  }
  await delivered();
  assert.deepEqual(
    of(address).map(({ msg }) => msg.asset.amount),
    ['1', '2', '3'],
  );
});

test('a block with more logs than a node gives at once is read from its receipts', async () => {
  const address = await newAccount();
  world.liar.lie(
    { kind: 'error', code: -32005, message: 'query returned more than 10000 results' },
    { methods: ['eth_getLogs'] },
  );
  await world.give(undefined, address, { value: 1n });
  await world.give(undefined, address, { tokens: 5n });
  await world.mine();
  await scanned(world, instance);
  world.liar.truth();
  await delivered();
  assert.deepEqual(
    of(address)
      .map(({ msg }) => `${msg.asset.amount} ${msg.asset.symbol}`)
      .sort(),
    ['1 ETH', '5 HELD'],
  );
});

test('for random blocks the sums of events are the differences of the balances', async () => {
  const random = seeded(28);
  const start = 10n ** 20n;
  const accounts: Address[] = [];
  for (let i = 0; i < 4; i++) accounts.push(await newAccount(start));
  for (const account of accounts) await world.give(undefined, account, { tokens: 1000n });
  await world.mine();
  for (let block = 0; block < 12; block++) {
    for (let n = random(5); n >= 0; n--) {
      const from = random(5) === 0 ? undefined : accounts[random(4)];
      const to = random(5) === 0 ? world.paymaster.address : accounts[random(4)]!;
      const amount = BigInt(random(900));
      await world.give(from, to, random(2) === 0 ? { value: amount } : { tokens: amount + 1n });
    }
    await world.mine();
  }
  await world.mine(FINALITY);
  await delivered();
  for (const address of accounts)
    for (const type of ['balances:confirmed', 'balances:finalized']) {
      const sums = new Map<string, bigint>();
      for (const { msg } of of(address).filter((one) => one.type === type)) {
        const amount = msg.operation === 'deposit' ? BigInt(msg.asset.amount) : -BigInt(msg.asset.amount);
        sums.set(msg.asset.caip19, (sums.get(msg.asset.caip19) ?? 0n) + amount);
      }
      const fees = (await rowsOf(address))
        .filter(({ sender }) => sender === address)
        .reduce((sum, { fee }) => sum + BigInt(fee), 0n);
      assert.equal(start + (sums.get(COIN.caip19) ?? 0n) - fees, await world.node.getBalance({ address }), `${type}: coins`);
      const { body } = await root.query('get_wallet_address_balances', { address, caip2: CHAIN });
      const held = body.balances.find(({ caip19 }: { caip19: string }) => caip19 === token.caip19);
      assert.equal(sums.get(token.caip19) ?? 0n, BigInt(held?.balance ?? 0), `${type}: tokens`);
    }
});

test('without a listener no event is made, and history has the rows', async () => {
  const { organizationId } = root;
  const endpoints = (await root.query('list_webhook_endpoints', {})).body.webhookEndpoints;
  for (const { endpointId } of endpoints) await root.submit('DELETE_WEBHOOK_ENDPOINT', { endpointId });
  await waitFor('no listeners', async () => (await engine.store.read.organizations.listeners(organizationId)) === 0);
  const address = await newAccount();
  await world.give(undefined, address, { value: 9n });
  await world.mine();
  await scanned(world, instance);
  assert.equal((await rowsOf(address)).length, 1);
  const [events] = await instance.raw('SELECT count(*) AS n FROM webhook_events WHERE subject LIKE $1', `%${address}%`);
  assert.equal(Number(events!.n), 0);
});

test('more blocks fall out than are final: the scan stops, says so, and goes on when they are back', async () => {
  await scanned(world, instance);
  const { number } = (await engine.store.read.scan.place(CHAIN))!;
  const metric = async () => {
    const page = await (await fetch(`${instance.url}/metrics`)).text();
    return new RegExp(`countersign_scan_stopped\\{network="${CHAIN}"\\} (\\d)`).exec(page)?.[1];
  };
  // As if the node had been replaced by one with another history.
  const kept = await instance.raw('SELECT number, hash FROM scan_blocks');
  assert.equal(kept.length, FINALITY + 1, 'blocks that are final are forgotten');
  await instance.raw('UPDATE scan_blocks SET hash = $1', 'other');
  await instance.raw('UPDATE scan_places SET hash = $1', 'other');
  await world.mine();
  await waitFor('it stops', async () => (await metric()) === '1');
  assert.equal((await engine.store.read.scan.place(CHAIN))!.number, number);
  for (const block of kept) await instance.raw('UPDATE scan_blocks SET hash = $1 WHERE number = $2', block.hash, block.number);
  await waitFor('it goes on', async () => (await metric()) === '0');
  await scanned(world, instance);
});
