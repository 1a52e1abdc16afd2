import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { EvmNode } from '../../../src/chain-io/nodes/evm/node.ts';
import { evmScanner } from '../../../src/chain-io/scan/evm/scanner.ts';
import { CHAIN } from '../../activities/sending/eth-support.ts';
import { sharedInstance } from '../../support/instance.ts';
import { rpc } from '../../support/rpc-liar.ts';
import { clockAt, type Line } from '../nodes/support.ts';
import { FINALITY, scannedWorld } from './support.ts';

const world = await scannedWorld();
after(() => world.stop());
const { engine } = await sharedInstance(world.env);
const { store, nodes } = engine;

test('a chain that was reset and is shorter stops the scan after a minute, and an endpoint that lags does not', async () => {
  const node = nodes.chainNode(CHAIN) as EvmNode;
  const nothing = () => {};
  let isStopped = false;
  const stopped = (is: boolean) => {
    isStopped = is;
  };
  const counts = { blocks: nothing, lag: nothing, reorganized: nothing, failed: nothing, leftOut: nothing, stopped };
  const lines: Line[] = [];
  const write = (level: string) => (fields: Record<string, unknown>, message: string) =>
    void lines.push({ level, fields, message });
  const log = { info: write('info'), warn: write('warn'), error: write('error') } as never;
  const elapsed = clockAt(1_000_000);
  const scanner = evmScanner({ store, node, assets: nodes.assets(node), elapsed, log, counts, finalityBlocks: FINALITY });
  const held = {
    isClosed: () => false,
    write: <T>(work: (tx: never, now: number) => Promise<T>) => store.transaction((tx) => work(tx as never, Date.now())),
  } as never;
  const aMinute = async () => {
    for (let i = 0; i < 8; i++) {
      await scanner.step(held);
      elapsed.move(10_000);
    }
  };
  await scanner.step(held);
  await world.mine(3);
  for (let ms = 0; ms === 0; ) ms = await scanner.step(held);
  const { number } = (await store.read.scan.place(CHAIN))!;

  world.liar.lie({ kind: 'frozen', block: BigInt(number - 1) });
  await aMinute();
  assert.equal(isStopped, false);
  world.liar.truth();

  await rpc(world.anvil.url, 'anvil_reset');
  await aMinute();
  assert.equal(isStopped, true);
  assert.match(String(lines.find(({ level }) => level === 'error')!.fields.reason), /the chain was reset/);
  assert.equal((await store.read.scan.place(CHAIN))!.number, number);
});
