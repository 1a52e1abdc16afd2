import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signWei, weiControl } from '../activities/velocity-controls/spends.ts';
import { operator } from '../activities/velocity-controls/support.ts';
import { type Answer, type Client, ethereumAccount, newKeys, resultOf, submitPath, userWith } from '../support/client.ts';
import { amount } from '../support/full.ts';
import { type Arena, atOnce, type Call, races } from './races.ts';

/** Many signatures at once, on PostgreSQL at two processes: a limit over time is never passed. */
const race = races({});

/** 1,000 with `--full`. */
const SPENDS = amount(100, 1_000);
const THRESHOLD = BigInt(SPENDS / 2);

async function made(arena: Arena, type: string, parameters: object, key: string) {
  const [answer] = await atOnce(arena, [[type, parameters]]);
  return resultOf(answer!, key);
}

async function walletOf(arena: Arena): Promise<string> {
  const { addresses } = await made(
    arena,
    'CREATE_WALLET',
    { walletName: 'W', accounts: [ethereumAccount()] },
    'createWalletResult',
  );
  return addresses[0];
}

const control = (arena: Arena, parameters: object) =>
  made(arena, 'CREATE_VELOCITY_CONTROL', parameters, 'createVelocityControlResult');

/** What the counters of a control say, and what its entries sum up to. */
async function countedIn({ clients: [client] }: Arena): Promise<[counters: bigint, entries: bigint, rows: number][]> {
  const sums = async (sql: string) => race.raw(sql, client!.organizationId);
  const byControl = new Map<string, [bigint, bigint, number]>();
  const of = (id: unknown) => {
    const key = Buffer.isBuffer(id) ? id.toString('hex') : String(id).replaceAll('-', '');
    const known = byControl.get(key) ?? [0n, 0n, 0];
    byControl.set(key, known);
    return known;
  };
  for (const { control_id, steps } of await sums('SELECT control_id, steps FROM velocity_counters WHERE organization_id = $1'))
    for (const [, counted] of JSON.parse(steps as string)) of(control_id)[0] += BigInt(counted);
  for (const { control_id, amount: added } of await sums(
    'SELECT control_id, amount FROM velocity_entries WHERE organization_id = $1',
  )) {
    of(control_id)[1] += BigInt(added as string);
    of(control_id)[2]++;
  }
  return [...byControl.values()];
}

const signs = (address: string): Call => ['SIGN_TRANSACTION_V2', signWei(address, 1n)];

/** The same body again leads to the same activity, so a lost connection loses nothing. */
async function sent(client: Client, [type, parameters]: Call): Promise<Answer> {
  const body = client.bodyOf(type, parameters);
  for (let left = 100; ; left--)
    try {
      const answer = await client.send(submitPath(type), body);
      if (answer.status !== 503 || left === 0) return answer;
    } catch (error) {
      if (left === 0) throw error;
    }
}

const allAtOnce = ({ clients }: Arena, count: number, address: string): Promise<Answer[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => sent(clients[i % clients.length]!, signs(address))));

async function spendAll(arena: Arena, address: string): Promise<string[]> {
  const answers = await allAtOnce(arena, SPENDS, address);
  const refused = answers.filter(({ status }) => status !== 200);
  assert.equal(answers.length - refused.length, Number(THRESHOLD));
  for (const [counters, entries, rows] of await countedIn(arena))
    assert.deepEqual([counters, entries, rows], [THRESHOLD, THRESHOLD, Number(THRESHOLD)]);
  return refused.map(({ text }) => text);
}

test(`${SPENDS} spends of 1 against ${THRESHOLD} that bind the root quorum too: exactly ${THRESHOLD} are signed`, async () => {
  const arena = await race.arena();
  await control(arena, weiControl('always', THRESHOLD, { countersign: { enforcement: 'ALWAYS' } }));
  for (const text of await spendAll(arena, await walletOf(arena)))
    assert.match(text, /"message":"velocity control always: 0\.0{17}1 asked, 0 left of 0\.0+\d+ in 86400 s/);
});

async function userOf(arena: Arena): Promise<{ arena: Arena; userId: string }> {
  const keys = newKeys();
  const users = [{ ...userWith('Agent', [keys]), userTags: [] }];
  const { userIds } = await made(arena, 'CREATE_USERS_V4', { users }, 'createUsersResult');
  const clients: Client[] = arena.clients.map((client) => client.as(keys, client.organizationId));
  return { arena: { clients, userId: userIds[0] }, userId: userIds[0] };
}

for (const [what, policies, comparison] of [
  ['an ALLOW within the limit', [['EFFECT_ALLOW', 'controls.limit']], 'LESS_THAN_OR_EQUAL'],
  [
    'a DENY beyond it',
    [
      ['EFFECT_ALLOW', "activity.action == 'SIGN'"],
      ['EFFECT_DENY', 'controls.limit'],
    ],
    'GREATER_THAN',
  ],
] as const)
  test(`${SPENDS} spends of 1 against ${THRESHOLD} by ${what}: exactly ${THRESHOLD} are signed`, async () => {
    const root = await race.arena();
    await control(root, weiControl('limit', THRESHOLD, {}, { operator: operator(comparison) }));
    const { arena, userId } = await userOf(root);
    for (const [effect, condition] of policies) {
      const consensus = effect === 'EFFECT_ALLOW' ? `approvers.any(u, u.id == '${userId}')` : '';
      const policy = { policyName: effect, effect, condition, consensus, notes: '' };
      await made(root, 'CREATE_POLICY_V3', policy, 'createPolicyResult');
    }
    for (const text of await spendAll(arena, await walletOf(root))) assert.match(text, /VELOCITY_CONTROL_EXCEEDED/);
  });

test('ten controls on each spend, from two sides: no deadlock, and the smallest holds', async () => {
  const arena = await race.arena();
  for (let i = 0; i < 10; i++)
    await control(arena, weiControl(`limit_${i}`, 20n + BigInt(i), { countersign: { enforcement: 'ALWAYS' } }));
  const address = await walletOf(arena);
  const answers = await allAtOnce(arena, 100, address);
  assert.equal(answers.filter(({ status }) => status === 200).length, 20);
  for (const [counters, entries] of await countedIn(arena)) assert.deepEqual([counters, entries], [20n, 20n]);
});

test('200 spends of 1 where nine tenths of 1,000 are counted: exactly 100 are signed', async () => {
  const arena = await race.arena();
  await control(arena, weiControl('limit', 1_000n, { countersign: { enforcement: 'ALWAYS' } }));
  const address = await walletOf(arena);
  await made(arena, 'SIGN_TRANSACTION_V2', signWei(address, 900n), 'signTransactionResult');
  const answers = await allAtOnce(arena, 200, address);
  assert.equal(answers.filter(({ status }) => status === 200).length, 100);
  assert.deepEqual(await countedIn(arena), [[1_000n, 1_000n, 101]]);
});
