import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CHAIN, newAccount } from '../../activities/sending/eth-support.ts';
import { type Instance, sharedInstance, startInstance } from '../../support/instance.ts';
import { waitFor } from '../../support/wait.ts';
import { scanned, scannedWorld } from './support.ts';

const world = await scannedWorld();
after(() => world.stop());
const endpoints = `${world.liar.url},${world.anvil.url}`;
const instance = await sharedInstance({ ...world.env, RPC_URL_EIP155_31337: endpoints, SCAN: CHAIN });
const place = () => instance.engine.store.read.scan.place(CHAIN);
await waitFor('the scan begins', place);

test('an endpoint that lacks a block below the latest one does not stop the scan: the other one is asked', async () => {
  const next = (await place())!.number + 1;
  world.liar.lie({ kind: 'result', result: null }, { methods: ['eth_getBlockByNumber'], first: `0x${next.toString(16)}` });
  await world.mine(8);
  await scanned(world, instance);
});

/** Blocks that the node mines in one request. */
const AT_ONCE = 50;

test('a scan that is more than 1,000 blocks behind tells its lag, goes on, and skips none', async (t) => {
  const lines: Record<string, unknown>[] = [];
  const write = (block: Buffer): void =>
    void lines.push(
      ...String(block)
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
  const output = {
    write(block: Buffer, done: (error?: null) => void) {
      write(block);
      done();
    },
    last: write,
  };
  world.liar.truth();
  const late: Instance = await startInstance({ ...world.env, SCAN: CHAIN, LOG_LEVEL: 'warn' }, { output });
  t.after(() => late.close());
  const placeOf = () => late.engine.store.read.scan.place(CHAIN);
  const { number: begun } = await waitFor('the scan begins', placeOf);
  const address = await newAccount(world, late.root, 0n);
  const lagNow = async () => {
    const page = await (await fetch(`${late.url}/metrics`)).text();
    return Number(/^countersign_scan_lag_blocks\{.*\} (\d+)$/m.exec(page)?.[1]);
  };

  // No endpoint has the next block, until there are many.
  world.liar.lie({ kind: 'result', result: null }, { methods: ['eth_getBlockByNumber'], first: `0x${(begun + 1).toString(16)}` });
  const latest = async () => Number(await world.node.getBlockNumber({ cacheTime: 0 }));
  const given: [number, string[]][] = [];
  for (const [i, blocks] of [500, 1, 500, 100].entries()) {
    given.push([(await latest()) + 1, [`${i + 1}`]]);
    await world.give(undefined, address, { value: BigInt(i + 1) });
    for (let left = blocks; left > 0; left -= AT_ONCE) await world.mine(Math.min(left, AT_ONCE));
  }
  const behind = (await latest()) - begun;
  late.clock.advance(10_000);
  await waitFor('the lag', async () => (await lagNow()) === behind);
  assert.equal((await placeOf())!.number, begun);

  world.liar.truth();
  assert.equal(await scanned(world, late), begun + behind);
  const told = lines.find(({ msg }) => msg === 'the scan of a chain is behind; it goes on, and skips nothing');
  assert.deepEqual([told?.network, told?.lag], [CHAIN, behind]);
  const filter = { organizationId: late.root.organizationId, caip2: CHAIN, address };
  const rows = await late.engine.store.read.scannedTransactions.page(filter, { limit: 10 });
  const found = rows.map(({ blockNumber, transfers }) => [blockNumber, transfers.map(({ amount }) => amount)]).reverse();
  assert.deepEqual(found, given);
  late.clock.advance(10_000);
  await waitFor('no lag', async () => (await lagNow()) === 0);
});
