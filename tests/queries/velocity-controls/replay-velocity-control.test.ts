import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { replayVelocityControl } from '../../../src/queries/velocity-controls/replay-velocity-control.ts';
import { signWei, TO, wei, weiControl } from '../../activities/velocity-controls/spends.ts';
import { method, velocityControl } from '../../activities/velocity-controls/support.ts';
import { newWallet } from '../../e2e/authority.ts';
import type { Client } from '../../support/client.ts';
import { isFull } from '../../support/full.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refusesEachQuery } from '../../support/refusals.ts';

const instance = await sharedInstance();
const HOURLY = { window: { rolling: { duration: '3600' } } };
const ALWAYS = { enforcement: 'ALWAYS' };

let root: Client;
let addresses: string[];
let walletIds: string[];
const signed: string[] = [];

async function replay(draft: object, more: object = {}) {
  const { status, body, text } = await root.query('replay_velocity_control', { velocityControl: draft, ...more });
  assert.equal(status, 200, text);
  assert.deepEqual(replayVelocityControl.result.parse(body), body, 'the answer has its declared shape');
  return body;
}

const refusedOf = ({ activities }: { activities: { activityId: string; asked: string; left: string }[] }) =>
  activities.map(({ activityId, asked, left }) => [signed.indexOf(activityId), Number(asked) * 1e18, Number(left) * 1e18]);

async function sign(wallet: number, value: bigint): Promise<void> {
  signed.push((await root.submit('SIGN_TRANSACTION_V2', signWei(addresses[wallet]!, value))).body.activity.id);
}

let between: number;
before(async () => {
  [root] = (await instance.newSubOrganization('Replayed', 1, 1)).clients as [Client];
  const wallets = [await newWallet(root), await newWallet(root)];
  addresses = wallets.map((wallet) => wallet.addresses[0]!);
  walletIds = wallets.map(({ walletId }) => walletId);
  for (const [wallet, value] of [
    [0, 3n],
    [1, 4n],
    [0, 4n],
    [0, 2n],
  ] as const)
    await sign(wallet, value);
  instance.clock.advance(3_700_000);
  between = instance.clock.now();
  await sign(0, 5n);
});

test('a draft shows what it would have refused, counts the rest, and writes nothing', async () => {
  const answers = async () => [(await root.query('list_activities')).text, (await root.query('list_velocity_controls')).text];
  const untouched = await answers();
  const byWallet = await replay(weiControl('draft', 5n, { countersign: ALWAYS }, { ...HOURLY, groupBy: { wallet: {} } }));
  assert.deepEqual([byWallet.examined, refusedOf(byWallet), byWallet.next], [5, [[2, 4, 2]], undefined]);
  assert.deepEqual(
    byWallet.velocityBuckets,
    [
      [walletIds[0], wei(5n)],
      [walletIds[1], wei(4n)],
    ].map(([bucket, most]) => ({ bucket, most })),
  );
  const inAll = await replay(weiControl('draft', 5n, {}, HOURLY));
  assert.deepEqual(
    refusedOf(inAll),
    [
      [1, 4, 2],
      [2, 4, 2],
    ],
    'one counter, and refused amounts are not in it',
  );
  assert.deepEqual(
    refusedOf(await replay(weiControl('draft', 5n))),
    [
      [1, 4, 2],
      [2, 4, 2],
      [4, 5, 0],
    ],
    'a day',
  );
  const recent = await replay(weiControl('draft', 5n), { fromMs: String(between) });
  assert.deepEqual([recent.examined, refusedOf(recent)], [1, []]);
  const early = await replay(weiControl('draft', 20n), { untilMs: String(between - 1) });
  assert.deepEqual([early.examined, early.velocityBuckets], [4, [{ bucket: '', most: wei(13n) }]]);
  assert.deepEqual(await answers(), untouched);
});

test('a draft for single activities shows the most of one, and one by recipient the most of each', async () => {
  const single = { countersign: { ...ALWAYS, window: { transaction: {} } } };
  const each = await replay(weiControl('draft', 4n, single, { window: { infinite: {} } }));
  assert.deepEqual(
    [refusedOf(each), each.velocityBuckets],
    [[[4, 5, 4]], [{ bucket: '', most: wei(4n) }]],
    'four of one activity, though all together have more',
  );
  const byRecipient = await replay(weiControl('draft', 9n, { countersign: { ...ALWAYS, groupBy: 'recipient' } }));
  assert.deepEqual(
    [refusedOf(byRecipient), byRecipient.velocityBuckets],
    [
      [
        [2, 4, 2],
        [4, 5, 0],
      ],
      [{ bucket: `/${TO}`, most: wei(9n) }],
    ],
  );
});

test('executed activities are counted by kind, and what cannot be read says why', async () => {
  const executed = { activityExecution: { filter: { activity: [{ activityType: 'ACTIVITY_TYPE_CREATE_WALLET' }] } } };
  const aggregation = { ...velocityControl().aggregation, method: method('COUNT'), threshold: '1' };
  const { examined, activities } = await replay(velocityControl({ dataSource: executed, aggregation }));
  assert.deepEqual([examined, activities.length, activities[0].asked, activities[0].left], [2, 1, '1', '0']);
  await root.submit('SIGN_RAW_PAYLOAD_V2', {
    ...{ signWith: addresses[0], payload: 'aa'.repeat(32) },
    ...{ encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP' },
  });
  const unread = await replay(weiControl('draft', 5n), { fromMs: String(between + 1) });
  assert.match(unread.activities.at(-1).unreadable, /./);
});

test('a replay of many activities ends early, and goes on with the counters that it had', {
  skip: !isFull && 'with --full',
}, async () => {
  const fromMs = String(instance.clock.now() + 1);
  instance.clock.advance(10);
  const many = 503;
  for (let made = 0; made < many; made += 50)
    await Promise.all(Array.from({ length: Math.min(50, many - made) }, () => sign(0, 1n)));
  const draft = weiControl('draft', 502n, { countersign: ALWAYS }, { window: { infinite: {} } });
  const first = await replay(draft, { fromMs });
  assert.ok(first.examined <= 500 && first.next !== undefined);
  let [examined, found, last] = [first.examined, first.activities.length, first];
  for (; last.next !== undefined; examined += last.examined, found += last.activities.length)
    last = await replay(draft, { fromMs, after: last.next });
  assert.deepEqual([examined, found, last.velocityBuckets], [many, 1, [{ bucket: '', most: wei(502n) }]]);
});

test('a replay goes on where the answer before ended, with its counters', async () => {
  const draft = weiControl('draft', 5n);
  const position = JSON.stringify([signed[1], instance.clock.now(), [['', '3', [[1, '3', 1]]]]]);
  const rest = await replay(
    { ...draft, aggregation: { ...velocityControl().aggregation, threshold: wei(5n), window: { infinite: {} } } },
    { after: position },
  );
  assert.deepEqual(refusedOf(rest)[0], [2, 4, 2]);
});

test('drafts that would be refused, and positions of another form, are refused with their place', async () => {
  const draft = weiControl('draft', 5n);
  await refusesEachQuery(root, 'replay_velocity_control', [
    [{ velocityControl: { ...draft, identifier: 'wallet' } }, 'velocityControl.identifier', /word of the policy language/],
    [{ velocityControl: { ...draft, extra: 1 } }, 'velocityControl.extra', /not a known member/],
    [{ velocityControl: draft, after: '[]' }, 'after', /`next` of the previous answer/],
    [{ velocityControl: draft, after: JSON.stringify([signed[0], 1, [['', '-1', []]]]) }, 'after', /./],
    [{ velocityControl: draft, fromMs: 'yesterday' }, 'fromMs', /milliseconds/],
  ]);
});

test('what left a short window a moment ago is in no sum', async () => {
  const { clients } = await instance.newSubOrganization('A minute', 1, 1);
  const client = clients[0]!;
  const { addresses } = await newWallet(client);
  const sign = () => client.submit('SIGN_TRANSACTION_V2', signWei(addresses[0]!, 10n));
  await sign();
  instance.clock.advance(65_000);
  await sign();
  const draft = weiControl('draft', 10n, {}, { window: { rolling: { duration: '60' } } });
  const { body } = await client.query('replay_velocity_control', { velocityControl: draft });
  assert.deepEqual(
    [body.activities, body.velocityBuckets.map(({ most }: { most: string }) => most)],
    [[], ['0.00000000000000001']],
  );
});
