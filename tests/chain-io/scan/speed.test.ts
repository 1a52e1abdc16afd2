import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, test } from 'node:test';
import type { EvmNode } from '../../../src/chain-io/nodes/evm/node.ts';
import { evmScanner } from '../../../src/chain-io/scan/evm/scanner.ts';
import { toChecksumAddress } from '../../../src/chains/ethereum/address.ts';
import type { Signer } from '../../../src/model/keys.ts';
import { CHAIN } from '../../activities/sending/eth-support.ts';
import { sharedInstance } from '../../support/instance.ts';
import { scannedWorld } from './support.ts';

const WATCHED = 10_000;
const TRANSACTIONS = 300;
const BLOCKS = 20;
/** Of a block. */
const OURS = 10;
/** Some 30 alone. Beside other tests the processor takes twice as long for the same work. */
const MOST_MS = 100;

const world = await scannedWorld();
after(() => world.stop());
const { engine, root } = await sharedInstance(world.env);
const { store, nodes, ids } = engine;
const newAddress = () => toChecksumAddress(`0x${randomBytes(20).toString('hex')}`);

/** Rows as accounts of wallets have them. */
async function watch(): Promise<string[]> {
  const addresses = Array.from({ length: WATCHED }, newAddress);
  const { organizationId } = root;
  const more = { format: 'ADDRESS_FORMAT_ETHEREUM', curve: 'CURVE_SECP256K1', disabled: false, position: 0, parentId: null };
  await store.transaction(async (tx) => {
    for (const address of addresses) {
      const signer: Signer = { organizationId, address, keyId: ids.next(), walletId: ids.next(), ...more };
      await tx.signers.insert(signer);
    }
  });
  return addresses;
}

async function fill(watched: readonly string[]): Promise<void> {
  const accounts = (await world.node.request({ method: 'eth_accounts' as never })) as string[];
  const call = (to: string, i: number) => ({
    jsonrpc: '2.0',
    id: i,
    method: 'eth_sendTransaction',
    params: [{ from: accounts[i % accounts.length], to, value: '0x1', gas: '0x5208' }],
  });
  for (let block = 0; block < BLOCKS; block++) {
    const batch = Array.from({ length: TRANSACTIONS }, (_, i) =>
      call(i < OURS ? watched[(block * OURS + i) % WATCHED]! : newAddress(), i),
    );
    const body = JSON.stringify(batch);
    await fetch(world.anvil.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    await world.mine();
  }
}

test(`a block of ${TRANSACTIONS} transactions takes less than ${MOST_MS} ms with ${WATCHED} watched addresses`, async (t) => {
  const watched = await watch();
  const node = nodes.chainNode(CHAIN) as EvmNode;
  const nothing = () => {};
  const counts = { blocks: nothing, lag: nothing, reorganized: nothing, failed: nothing, leftOut: nothing, stopped: nothing };
  const elapsed = { now: () => performance.now() };
  const scanner = evmScanner({ store, node, assets: nodes.assets(node), elapsed, log: engine.log, counts, finalityBlocks: 5 });
  const held = {
    isClosed: () => false,
    write: <T>(work: (tx: never, now: number) => Promise<T>) => store.transaction((tx) => work(tx as never, Date.now())),
  };
  await scanner.step(held as never);
  await fill(watched);
  const place = async () => (await store.read.scan.place(CHAIN))!.number;
  const from = await place();
  // The least of all steps: what others do on the machine makes a step dearer, and none cheaper.
  let each = Number.POSITIVE_INFINITY;
  for (let ms = 0; ms === 0; ) {
    const [before, begun] = [process.cpuUsage(), await place()];
    ms = await scanner.step(held as never);
    const { user, system } = process.cpuUsage(before);
    const blocks = (await place()) - begun;
    if (blocks > 0) each = Math.min(each, (user + system) / 1000 / blocks);
  }
  assert.equal(await place(), from + BLOCKS);
  const { length } = await store.read.scan.notFinal(CHAIN, { from: 0, upTo: Number.MAX_SAFE_INTEGER }, 10_000);
  assert.equal(length, OURS * 5, 'the last blocks are not final');
  t.diagnostic(`${each.toFixed(1)} ms of processor time a block`);
  assert.ok(each < MOST_MS, `${each} ms`);
});
