/** A refusal by limits over time names the time from which nothing refuses the same amount. Its details have the same as data. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFunctionData, parseAbi, serializeTransaction } from 'viem';
import { agreed, newPair } from '../activities/support.ts';
import { signWei, wei, weiControl } from '../activities/velocity-controls/spends.ts';
import { aggregation, method, velocityControl } from '../activities/velocity-controls/support.ts';
import { type Answer, type Client, ethereumAccount, resultOf } from '../support/client.ts';
import { refusedByOwn } from '../support/refusals.ts';
import { ALWAYS, control, digestBy, EXCEEDED, instance, newPlace, type Place, SIGN, signs, userIn } from './velocity-place.ts';

const HOUR = 3_600_000;
const HOURLY = { window: { rolling: { duration: '3600' } } };
const INFINITE = { window: { infinite: {} } };
const EACH = { transaction: {} };

// biome-ignore lint/suspicious/noExplicitAny: details are looked into freely
const detailOf = ({ body }: Answer): any =>
  body.details.find((one: { '@type': string }) => one['@type'].endsWith('.VelocityDetail'));

/** How long until the room that a refusal names. Undefined: there never is. */
async function untilRoom({ client }: Pick<Place, 'client'>, parameters: object, identifier: string): Promise<number | undefined> {
  const answer = await client.submit(SIGN, parameters);
  refusedByOwn(answer, [403, 'VELOCITY_CONTROL_EXCEEDED', new RegExp(`^velocity control ${identifier}: `)]);
  const { roomAt, ...detail } = detailOf(answer);
  assert.equal(detail.identifier, identifier);
  assert.match(
    answer.body.message,
    roomAt === undefined ? /there never is room for it$/ : new RegExp(`room for it at ${roomAt} `),
  );
  return roomAt && Date.parse(roomAt) - instance.clock.now();
}

const isAbout = (ms: number | undefined, hours: number): boolean =>
  ms !== undefined && ms > hours * HOUR && ms < 1.02 * hours * HOUR;

const allow = async (client: Client, condition: string, consensus = 'true'): Promise<void> => {
  const policy = { policyName: condition, effect: 'EFFECT_ALLOW', condition, consensus, notes: '' };
  resultOf(await client.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
};

test('of several limits that refuse, the one that has room last is named, and then all have', async () => {
  const place = await newPlace();
  const [address] = place.addresses;
  await control(place, weiControl('hourly', 10n, ALWAYS, HOURLY));
  await control(place, weiControl('daily', 12n, ALWAYS));
  await signs(place, signWei(address, 10n));
  const daily = await untilRoom(place, signWei(address, 5n), 'daily');
  assert.ok(isAbout(daily, 24), String(daily));
  instance.clock.advance(daily!);
  await signs(place, signWei(address, 5n));
  await control(place, weiControl('each', 4n, { countersign: { enforcement: 'ALWAYS', window: EACH } }, INFINITE));
  assert.equal(await untilRoom(place, signWei(address, 8n), 'each'), undefined);
});

test('of several recipients of one transaction, the one that has room last is named', async () => {
  const token = `0x${'cc'.repeat(20)}` as const;
  const paid = `0x${'dd'.repeat(20)}` as const;
  const abi = parseAbi(['function transfer(address to, uint256 amount)']);
  const definition = ['slip44:60', `erc20:${token}`].map((asset) => ({ caip19: `eip155:1/${asset}`, decimals: '18' }));
  const countersign = { enforcement: 'ALWAYS', groupBy: 'recipient' };
  const terms = { threshold: wei(10n), ...HOURLY };
  for (const isCoin of [true, false]) {
    const place = await newPlace();
    let nonce = 0;
    /** Pays coins to the token's contract, and tokens to another account. */
    const pay = (value: bigint, amount: bigint) => {
      const data = encodeFunctionData({ abi, functionName: 'transfer', args: [paid, amount] });
      const fields = {
        type: 'eip1559',
        chainId: 1,
        nonce: nonce++,
        to: token,
        value,
        data,
        gas: 60_000n,
        maxFeePerGas: 1n,
      } as const;
      return {
        signWith: place.addresses[0],
        type: 'TRANSACTION_TYPE_ETHEREUM',
        unsignedTransaction: serializeTransaction(fields),
      };
    };
    const dataSource = { chainAssetTransfer: { definition } };
    await control(place, velocityControl({ identifier: 'each', dataSource, aggregation: aggregation(terms), countersign }));
    await signs(place, isCoin ? pay(7n, 0n) : pay(0n, 7n));
    instance.clock.advance(HOUR / 2);
    await signs(place, isCoin ? pay(0n, 7n) : pay(7n, 0n));
    const room = await untilRoom(place, pay(5n, 5n), 'each');
    assert.ok(isAbout(room, 1), String(room));
  }
});

test('a denial names the time from which policies allow it, and no binding limit refuses it', async () => {
  const place = await newPlace();
  const [address] = place.addresses;
  await control(place, weiControl('hourly', 10n, {}, HOURLY));
  await control(place, weiControl('daily', 12n));
  const user = { client: await userIn(place.client, 'Agent') };
  await allow(place.client, 'controls.hourly && controls.daily');
  await signs(user, signWei(address, 10n));
  assert.ok(isAbout(await untilRoom(user, signWei(address, 5n), 'daily'), 24));
  // A user who may sign by another policy waits for that one alone.
  await allow(place.client, 'controls.hourly');
  assert.ok(isAbout(await untilRoom(user, signWei(address, 5n), 'hourly'), 1));
  await control(place, weiControl('always', 12n, ALWAYS, { window: { rolling: { duration: '7200' } } }));
  await signs(place, signWei(address, 10n));
  const both = await untilRoom(user, signWei(address, 5n), 'always');
  assert.ok(isAbout(both, 2), String(both));
  instance.clock.advance(both!);
  await signs(user, signWei(address, 5n));
});

test('an amount that cannot be read is told before all else, and its reason and the window are data too', async () => {
  const place = await newPlace();
  const filter = { activity: [{ activityType: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' }] };
  const counts = aggregation({ method: method('COUNT'), threshold: '0' });
  await control(
    place,
    velocityControl({ ...ALWAYS, identifier: 'none', dataSource: { activityExecution: { filter } }, aggregation: counts }),
  );
  const calendar = { unit: 'week', zone: 'Europe/Berlin' };
  await control(place, weiControl('weekly', 10n, { countersign: { enforcement: 'ALWAYS', window: { calendar } } }, INFINITE));
  const answer = await place.client.submit('SIGN_RAW_PAYLOAD_V2', digestBy(place.addresses[0]));
  refusedByOwn(answer, [403, 'VELOCITY_NOT_READABLE', /^velocity control weekly: what the activity takes cannot be read: /]);
  const { unreadable, window } = detailOf(answer);
  assert.deepEqual([window, answer.body.message.endsWith(`: ${unreadable}`)], [{ calendar }, true]);
  const exceeded = await place.client.submit(SIGN, signWei(place.addresses[0], 11n));
  assert.deepEqual(detailOf(exceeded).window, { calendar });
});

const simulated = async (client: Client, parameters: object): Promise<{ outcome: string; reason?: string }> =>
  (await client.query('simulate_activity', { type: `ACTIVITY_TYPE_${SIGN}`, parameters })).body;

test('a simulation says what a submit says of a control that a policy reads', async () => {
  const place = await newPlace();
  await control(place, weiControl('limit', 10n));
  const client = await userIn(place.client, 'Agent');
  await allow(place.client, 'controls.limit && eth.tx.value < 100');
  const [some, many] = [11n, 101n].map((value) => signWei(place.addresses[0], value)) as [object, object];
  const { outcome, reason } = await simulated(client, some);
  assert.deepEqual([outcome, reason], ['OUTCOME_DENY_IMPLICIT', (await client.submit(SIGN, some)).body.message]);
  assert.match(reason!, EXCEEDED);
  assert.deepEqual((await simulated(client, many)).reason, undefined);
});

test('a simulation and a review of what waits for votes say that a limit would refuse the last one', async () => {
  const pair = await newPair(instance, 'Waits');
  const [first] = pair.clients;
  const made = await agreed(pair, 'CREATE_WALLET', { walletName: 'W', accounts: [ethereumAccount()] });
  const { addresses } = resultOf(made, 'createWalletResult');
  resultOf(await agreed(pair, 'CREATE_VELOCITY_CONTROL', weiControl('limit', 10n, ALWAYS)), 'createVelocityControlResult');
  const asked = signWei(addresses[0], 11n);
  const { outcome, reason } = await simulated(first, asked);
  assert.equal(outcome, 'OUTCOME_REQUIRES_CONSENSUS');
  assert.match(reason!, EXCEEDED);
  const { activity } = (await first.submit(SIGN, asked)).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const { verdict } = (await first.query('review_activity', { activityId: activity.id })).body;
  assert.deepEqual([verdict.outcome, EXCEEDED.test(verdict.reason)], ['OUTCOME_REQUIRES_CONSENSUS', true]);
});
