import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { ApiError, Unreachable } from '../../../../src/base/errors.ts';
import { chainNodes } from '../../../../src/chain-io/nodes/chain-nodes.ts';
import type { EvmNode } from '../../../../src/chain-io/nodes/evm/node.ts';
import { DEFAULT_STATION, problemOf, stationAt, stations } from '../../../../src/chain-io/sends/gas/stations.ts';
import { CREATE2_FACTORY } from '../../../../src/chains/ethereum/gas-station-deployment.ts';
import { parseCaip2 } from '../../../../src/model/caip2.ts';
import { addresses, startWorld } from '../../../contracts/support.ts';
import { startAnvil } from '../../../support/anvil.ts';

const log = { info() {}, warn() {}, error() {} };
const clock = { now: () => performance.now() };
const network = parseCaip2('eip155:31337')!;

const world = await startWorld();
const nodesAt = (url: string) => chainNodes({ settings: [{ network, urls: [url] }], elapsed: clock, machine: clock, log });
const nodes = nodesAt(world.anvil.url);
const node = nodes.chainNode('eip155:31337') as EvmNode;
after(async () => {
  await nodes.close();
  await world.stop();
});

test('the default addresses are those of the artefacts', () => {
  assert.equal(DEFAULT_STATION.station, addresses.station.address.toLowerCase());
  assert.equal(DEFAULT_STATION.delegate, addresses.delegate.address.toLowerCase());
});

test('a network has its own addresses, or those for all, or the default ones', () => {
  const [one, other] = [
    { station: `0x${'1'.repeat(40)}`, delegate: `0x${'2'.repeat(40)}` },
    { station: `0x${'3'.repeat(40)}`, delegate: `0x${'4'.repeat(40)}` },
  ] as const;
  const on = new Map([['eip155:1', one]]);
  assert.equal(stationAt({ on, elsewhere: other }, 'eip155:1'), one);
  assert.equal(stationAt({ on, elsewhere: other }, 'eip155:2'), other);
  assert.equal(stationAt({ on, elsewhere: undefined }, 'eip155:2'), DEFAULT_STATION);
});

test('contracts on a chain that are what they should be have no problem, and others say which', async () => {
  assert.equal(await problemOf(node, DEFAULT_STATION), undefined);
  const empty = `0x${'77'.repeat(20)}` as const;
  assert.match((await problemOf(node, { ...DEFAULT_STATION, station: empty }))!, /^there is no gas station 0x7777/);
  assert.match((await problemOf(node, { ...DEFAULT_STATION, delegate: empty }))!, /^there is no delegate 0x7777/);
  assert.match((await problemOf(node, { station: empty, delegate: empty }))!, /no delegate .* and no gas station/);
  const factory = CREATE2_FACTORY.toLowerCase() as `0x${string}`;
  assert.match((await problemOf(node, { ...DEFAULT_STATION, station: factory }))!, /is not a gas station of the delegate/);
  assert.match(
    (await problemOf(node, { ...DEFAULT_STATION, delegate: factory }))!,
    /is not a gas station of the delegate 0x0000/,
  );
});

test('a delegate of another domain is none', async () => {
  // A station that says that the factory is its delegate.
  const { station } = DEFAULT_STATION;
  const fake = `0x${'55'.repeat(20)}` as const;
  const code = await world.node.getCode({ address: station });
  const factory = CREATE2_FACTORY.toLowerCase() as `0x${string}`;
  const changed = code!.toLowerCase().replaceAll(DEFAULT_STATION.delegate.slice(2), factory.slice(2)) as `0x${string}`;
  assert.notEqual(changed, code!.toLowerCase());
  await world.admin.setCode({ address: fake, bytecode: changed });
  assert.match(
    (await problemOf(node, { station: fake, delegate: factory }))!,
    /not a delegate with the message domain TKGasDelegate 1.1/,
  );
});

test('contracts are looked at once, those that are missing again after a while, and all who ask at once share an answer', async () => {
  let now = 0;
  let asked = 0;
  let isThere = false;
  const counting: EvmNode = {
    ...node,
    async code(account) {
      asked++;
      return isThere ? node.code(account) : '0x';
    },
  };
  const found = stations({ on: new Map(), elsewhere: undefined }, { now: () => now });
  const refused = async () => {
    await assert.rejects(found.of(counting), (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, 'SPONSORSHIP_UNAVAILABLE');
      assert.match(error.message, /eip155:31337: there is no delegate .*chain deploy-station --network eip155:31337/);
      return true;
    });
  };
  await Promise.all([refused(), refused(), refused()]);
  assert.equal(asked, 2);
  isThere = true;
  await refused();
  assert.equal(asked, 2);
  now += 3000;
  assert.deepEqual(await Promise.all([found.of(counting), found.of(counting)]), [DEFAULT_STATION, DEFAULT_STATION]);
  assert.equal(asked, 4);
  now += 1e9;
  assert.equal(await found.of(counting), DEFAULT_STATION);
  assert.equal(asked, 4);
});

test('without a node nothing is known, and the next who asks looks again', async () => {
  const anvil = await startAnvil();
  const gone = nodesAt(anvil.url);
  await anvil.stop();
  const found = stations({ on: new Map(), elsewhere: undefined }, clock);
  const lost = gone.chainNode('eip155:31337') as EvmNode;
  await assert.rejects(found.of(lost), Unreachable);
  assert.equal(await found.of(node), DEFAULT_STATION);
  await gone.close();
});
