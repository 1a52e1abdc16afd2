import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encodeFunctionData, type Hex, hexToBytes, type PrivateKeyAccount, toHex } from 'viem';
import fc from '../support/properties.ts';
import { abiOf, type Call, LATER, newAccount, startWorld, stationBatch, stationExecute, type World } from './support.ts';

const START = { nonce: 0n, deadline: LATER };
const SINK = newAccount().address;

let world: World;
let target: Hex;
let account: PrivateKeyAccount;

before(async () => {
  world = await startWorld();
  target = await world.deploy('Target');
  account = await world.delegated(1000n);
});
after(() => world.stop());

const add = (amount: bigint): Call => ({
  to: target,
  value: 3n,
  data: encodeFunctionData({ abi: abiOf('Target'), functionName: 'add', args: [amount] }),
});

const state = async () => ({
  nonce: await world.nonceOf(account.address),
  total: await world.view('Target', target, 'total'),
  own: await world.node.getBalance({ address: account.address }),
  sink: await world.node.getBalance({ address: SINK }),
});

/** What becomes of the state if this is sent, which is then taken back. */
async function effectOf(data: Hex) {
  const id = await world.admin.snapshot();
  await world.must({ to: world.station, data });
  const found = await state();
  await world.admin.revert({ id });
  return found;
}

// Padding, and where the encoding puts its parts, are not signed: they may change, but not what is done.
test('whatever byte of a signed transaction is changed, cut or added, it does what was signed, or nothing', {
  timeout: 600_000,
}, async () => {
  const messages = [
    await stationExecute(account, add(7n), START),
    await stationBatch(account, [add(7n), { to: SINK, value: 5n, data: '0x' }, add(1n)], START),
  ];
  const start = await state();
  for (const data of messages) {
    const meant = await effectOf(data);
    assert.notDeepEqual(meant, start);
    assert.deepEqual(await state(), start);
    const bytes = hexToBytes(data);
    const place = fc.nat(bytes.length - 1);
    const change = fc.oneof(
      { weight: 6, arbitrary: fc.tuple(fc.constant('set'), place, fc.nat(255)) },
      { weight: 2, arbitrary: fc.tuple(fc.constant('cut'), place, fc.nat(40)) },
      { weight: 2, arbitrary: fc.tuple(fc.constant('add'), place, fc.nat(255)) },
      // Where a word of offsets or lengths ends, which the encoding is most likely to follow.
      {
        weight: 6,
        arbitrary: fc.tuple(
          fc.constant('set'),
          fc.nat(Math.floor((bytes.length - 4) / 32) - 1).map((i) => 4 + 32 * i + 31),
          fc.nat(255),
        ),
      },
    );
    let same = 0;
    await fc.assert(
      fc.asyncProperty(change, async ([how, at, value]) => {
        const rest = bytes.subarray(how === 'add' ? at : how === 'set' ? at + 1 : at + value);
        const changed = toHex(new Uint8Array([...bytes.subarray(0, at), ...(how === 'cut' ? [] : [value]), ...rest]));
        if ((await world.reasonOf({ to: world.station, data: changed })) !== undefined) return;
        same++;
        assert.deepEqual(await effectOf(changed), meant);
      }),
      { numRuns: 400 },
    );
    assert.ok(same < 200, `${same} were carried out`);
  }
});
