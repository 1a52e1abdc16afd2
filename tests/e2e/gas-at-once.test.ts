import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { paymasterAddresses } from '../../src/app/service-keys.ts';
import { formatUsd, parseUsd } from '../../src/model/gas.ts';
import { startWorld } from '../contracts/support.ts';
import { ethereumAccount, resultOf } from '../support/client.ts';
import { amount } from '../support/full.ts';
import { type Arena, atOnce, type Call, races } from './races.ts';

/** Many sponsored sends at once, on PostgreSQL at two processes: the limit holds. No block is made meanwhile, so that nothing is settled. */
const world = await startWorld();
after(() => world.stop());
await world.admin.setAutomine(false);
const NETWORK = 'eip155:31337';
const race = races({ RPC_URL_EIP155_31337: world.anvil.url, GAS_PRICES_USD: `${NETWORK}=3000` });

const USED = 18;
const ROOM = 2;
const SENDS = amount(25, 200);

const usageOf = async ({ clients }: Arena): Promise<number> =>
  parseUsd((await clients[0]!.query('get_gas_usage')).body.usageUsd as string)!;

/** An account without coins sends nothing, and its reservation would be released. */
async function fundPaymaster(): Promise<void> {
  const rows = await race.raw('SELECT name, public_key AS "publicKey" FROM service_keys WHERE name LIKE \'paymaster-%\'');
  const { eip155 } = paymasterAddresses(rows as { name: string; publicKey: string }[]);
  await world.admin.setBalance({ address: eip155 as `0x${string}`, value: 10n ** 22n });
}

async function configure(top: Arena, orgMicroUsd: number, subMicroUsd: number): Promise<void> {
  const [orgWindowLimitUsd, subOrgWindowLimitUsd] = [orgMicroUsd, subMicroUsd].map(formatUsd);
  const config = { orgWindowLimitUsd, subOrgWindowLimitUsd, windowDurationMinutes: '1440', enabled: true };
  const [answer] = await atOnce(top, [['UPSERT_GAS_USAGE_CONFIG', config]]);
  resultOf(answer!, 'upsertGasUsageConfigResult');
}

/** A send that is like no other: the same body twice would be one activity. */
async function sender(arena: Arena): Promise<() => Call> {
  const [answer] = await atOnce(arena, [['CREATE_WALLET', { walletName: 'Sender', accounts: [ethereumAccount()] }]]);
  const [from] = resultOf(answer!, 'createWalletResult').addresses;
  const to = '0x00000000000000000000000000000000000000aa';
  let made = 0;
  return () => {
    const calls = [{ to, value: String(++made) }];
    return ['ETH_SEND_TRANSACTION_V2', { from, caip2: NETWORK, sponsor: true, gasLimit: '100000', calls }];
  };
}

for (const [whose, limited] of [
  ['a sub-organization', 'sub'],
  ['the parent', 'parent'],
] as const)
  test(`${SENDS} sends at nine tenths of the limit of ${whose}: those that fit are accepted, and no more`, async () => {
    await fundPaymaster();
    const top = await race.top();
    await configure(top, 1e9, 1e9);
    const arena = await race.arena();
    const before = await usageOf(top);
    const call = await sender(arena);
    for (let i = 0; i < USED; i++)
      for (const answer of await atOnce(arena, [call()])) assert.equal(answer.status, 200, answer.text);
    const each = (await usageOf(arena)) / USED;
    assert.ok(Number.isInteger(each) && each > 0);
    assert.equal((await usageOf(top)) - before, USED * each);
    const most = (USED + ROOM) * each + Math.floor(each / 2);
    await configure(top, limited === 'parent' ? before + most : 1e9, limited === 'sub' ? most : 1e9);
    const answers = await atOnce(arena, Array.from({ length: SENDS }, call));
    const over = answers.filter(({ status }) => status !== 200);
    for (const { status, text, headers } of over) {
      assert.deepEqual([status, headers.get('retry-after')], [429, '3600'], text);
      assert.match(text, limited === 'sub' ? /limit of this sub-organization/ : /limit of the parent organization/);
    }
    assert.equal(answers.length - over.length, ROOM);
    assert.equal(await usageOf(arena), (USED + ROOM) * each);
    assert.equal((await usageOf(top)) - before, (USED + ROOM) * each);
  });
