import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { encodeFunctionData, type Hex, type PrivateKeyAccount, parseEther } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { stationInitCode } from '../../src/chains/ethereum/gas-station-deployment.ts';
import {
  abiOf,
  type Call,
  delegateArtifact,
  LATER,
  startWorld,
  stationArtifact,
  stationBatch,
  stationExecute,
  type World,
} from './support.ts';

let world: World;
let token: Hex;
let account: PrivateKeyAccount;

before(async () => {
  world = await startWorld();
  token = await world.deploy('Token');
  account = privateKeyToAccount(`0x${'46'.repeat(32)}`);
  await world.admin.setBalance({ address: account.address, value: parseEther('1') });
});
after(() => world.stop());

const SINK = '0x00000000000000000000000000000000deadbeef';
const approve = (amount: bigint): Call => ({
  to: token,
  value: 0n,
  data: encodeFunctionData({ abi: abiOf('Token'), functionName: 'approve', args: [SINK, amount] }),
});
const pay: Call = { to: SINK, value: 1n, data: '0x' };

const table = readFileSync(new URL('../../contracts/README.md', import.meta.url), 'utf8');

/** What contracts/README.md says about a transaction, in thousands. */
function documented(what: string): number {
  const figure = table.match(new RegExp(`^\\| ${what} \\| ([\\d,]+) \\|`, 'm'))?.[1];
  assert.ok(figure, `contracts/README.md has no gas figure for: ${what}`);
  return Number(figure.replaceAll(',', ''));
}

test('gas is what the documentation says, within one part in a hundred', async () => {
  let nonce = 0n;
  const next = () => ({ nonce: nonce++, deadline: LATER });
  const used = async (data: Hex, authorizationList?: unknown) => {
    const receipt = await world.must({ to: world.station, data, ...(authorizationList ? { authorizationList } : {}) } as never);
    return Number(receipt.gasUsed);
  };
  const calls = (count: number) => Array.from({ length: count }, (_, i) => approve(BigInt(1000 + i)));
  // The first message writes the slot of the nonce for the first time, and makes the sink an account.
  const first = await used(await stationExecute(account, pay, next()), [await world.authorize(account, world.delegate)]);
  await used(await stationExecute(account, approve(1n), next()));
  const figures = {
    'first message, with the authorization: a transfer': first,
    'a transfer': await used(await stationExecute(account, pay, next())),
    'an approval of a token': await used(await stationExecute(account, approve(2n), next())),
    'a batch of 1 approval': await used(await stationBatch(account, calls(1), next())),
    'a batch of 5 approvals': await used(await stationBatch(account, calls(5), next())),
    'a batch of 20 approvals': await used(await stationBatch(account, calls(20), next())),
  };
  const code = [delegateArtifact.bytecode, stationInitCode(stationArtifact.bytecode, world.delegate)] as const;
  const [delegate, station] = await Promise.all(
    code.map((data) => world.node.estimateGas({ account: world.paymaster.address, data, prepare: false } as never)),
  );
  const deployed = { 'deploying the delegate': Number(delegate), 'deploying the station': Number(station) };
  for (const [what, gas] of Object.entries({ ...figures, ...deployed })) {
    const said = documented(what);
    assert.ok(Math.abs(gas - said) <= said / 100, `${what}: ${gas}, and the documentation says ${said}`);
  }
});
