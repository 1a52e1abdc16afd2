import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  buildIndex,
  candidates,
  compilePolicy,
  contributes,
  type DecisionInput,
  decide,
  type NamedPolicy,
  openRequest,
  type PolicyDecision,
  type PolicySource,
  qualifiesToVote,
  type Roots,
  type Voter,
} from '../../src/policy/index.ts';
import { environment } from './agreement.ts';

const now = Date.parse('2026-03-02T10:00:00Z');
const open = "time.now < Timestamp('2027-01-01T00:00:00Z')";
const shut = "time.now < Timestamp('2026-01-01T00:00:00Z')";

function compiled(id: string, source: PolicySource): NamedPolicy {
  const result = compilePolicy(source, environment);
  assert.ok(result.ok, result.ok ? '' : result.errors[0]?.message);
  return { id, policy: result.policy };
}

function allow(id: string, condition?: string, consensus?: string, time?: string): NamedPolicy {
  return compiled(id, { effect: 'EFFECT_ALLOW', condition, consensus, time });
}

function deny(id: string, condition?: string, consensus?: string, time?: string): NamedPolicy {
  return compiled(id, { effect: 'EFFECT_DENY', condition, consensus, time });
}

function voter(id: string, ...tags: string[]): Voter {
  return {
    user: { id, tags, email: '', alias: '' },
    credentials: [{ id: `key-of-${id}`, user_id: id, type: 'API', public_key: `0${id}` }],
  };
}

const signing: Roots = {
  activity: { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', action: 'SIGN', params: {} },
  wallet: { id: 'w' },
};

function input(policies: readonly NamedPolicy[], changes: Partial<DecisionInput> & { roots?: Roots } = {}): DecisionInput {
  return {
    index: buildIndex(policies),
    elements: [openRequest(changes.roots ?? signing)],
    rootQuorum: { userIds: ['root-1', 'root-2', 'root-3'], threshold: 2 },
    voters: [voter('u')],
    defaultAllowance: false,
    nowMs: now,
    ...changes,
  };
}

function outcome(policies: readonly NamedPolicy[], changes: Parameters<typeof input>[1] = {}): string {
  return decide(input(policies, changes)).outcome.slice('OUTCOME_'.length);
}

function evaluations({ policyEvaluations }: PolicyDecision): Record<string, string> {
  return Object.fromEntries(policyEvaluations.map(({ policyId, outcome: own }) => [policyId, own.slice('OUTCOME_'.length)]));
}

test('nothing allows: denied; something allows: allowed; a DENY beats it', () => {
  assert.equal(outcome([]), 'DENY_IMPLICIT');
  assert.equal(outcome([allow('a')]), 'ALLOW');
  assert.equal(outcome([allow('a', "activity.action == 'SIGN'")]), 'ALLOW');
  assert.equal(outcome([allow('a', "activity.action == 'EXPORT'")]), 'DENY_IMPLICIT');
  const both = decide(input([allow('a'), deny('d', "activity.action == 'SIGN'"), deny('e', 'false')]));
  assert.equal(both.outcome, 'OUTCOME_DENY_EXPLICIT');
  assert.deepEqual(both.denyingPolicyIds, ['d']);
  assert.deepEqual(evaluations(both), { a: 'ALLOW', d: 'DENY_EXPLICIT', e: 'DENY_IMPLICIT' });
  assert.equal(outcome([deny('d')]), 'DENY_EXPLICIT');
});

test('the root quorum is asked before policies, and people are counted once', () => {
  assert.equal(outcome([deny('d')], { voters: [voter('root-1'), voter('root-3')] }), 'ALLOW');
  assert.equal(outcome([], { voters: [voter('root-1')] }), 'REQUIRES_CONSENSUS');
  assert.equal(outcome([], { voters: [voter('root-1'), voter('root-1')] }), 'REQUIRES_CONSENSUS');
  assert.equal(outcome([allow('a', '', 'approvers.count() >= 2')], { voters: [voter('u'), voter('u')] }), 'REQUIRES_CONSENSUS');
  assert.equal(outcome([], { voters: [voter('root-1')], rootQuorum: { userIds: ['root-1'], threshold: 1 } }), 'ALLOW');
  assert.equal(outcome([], { rootQuorum: { userIds: [], threshold: 0 } }), 'DENY_IMPLICIT');
});

test('a root user alone may also be covered by a policy', () => {
  assert.equal(outcome([allow('a', '', "approvers.any(u, u.id == 'root-1')")], { voters: [voter('root-1')] }), 'ALLOW');
});

test('a DENY cannot take an activity from the quorum', () => {
  assert.equal(outcome([deny('d'), allow('a')], { voters: [voter('root-1')] }), 'REQUIRES_CONSENSUS');
  assert.equal(outcome([deny('d'), allow('a')], { voters: [voter('root-1'), voter('u')] }), 'REQUIRES_CONSENSUS');
});

test("one's own credentials come last", () => {
  assert.equal(outcome([], { defaultAllowance: true }), 'ALLOW');
  assert.equal(outcome([deny('d')], { defaultAllowance: true }), 'DENY_EXPLICIT');
  assert.equal(outcome([allow('a', '', 'approvers.count() >= 2')], { defaultAllowance: true }), 'REQUIRES_CONSENSUS');
  assert.equal(outcome([], { defaultAllowance: true, voters: [] }), 'DENY_IMPLICIT');
  assert.equal(outcome([], { defaultAllowance: true, voters: [voter('root-1')] }), 'REQUIRES_CONSENSUS');
});

test('what reading gives already needs no other root user, unless a policy says so', () => {
  const reading = { defaultAllowance: 'without the root quorum' } as const;
  const root = { ...reading, voters: [voter('root-1')] };
  assert.deepEqual([outcome([], reading), outcome([], root)], ['ALLOW', 'ALLOW']);
  assert.deepEqual([outcome([deny('d')], reading), outcome([deny('d')], root)], ['DENY_EXPLICIT', 'REQUIRES_CONSENSUS']);
  for (const input of [reading, root])
    assert.equal(outcome([allow('a', '', 'approvers.count() >= 2')], input), 'REQUIRES_CONSENSUS');
  assert.equal(outcome([], { ...reading, voters: [] }), 'DENY_IMPLICIT');
});

test('without a live approval nothing is allowed', () => {
  assert.equal(outcome([allow('a')], { voters: [] }), 'REQUIRES_CONSENSUS');
  assert.equal(outcome([deny('d')], { voters: [] }), 'DENY_EXPLICIT');
});

test('a voter who advances the consensus waits, another one is denied', () => {
  const two = 'approvers.count() >= 2';
  const admins = "approvers.filter(user, user.tags.contains('admin')).count() >= 1";
  assert.equal(outcome([allow('a', '', two)]), 'REQUIRES_CONSENSUS');
  assert.equal(outcome([allow('a', '', '2 <= approvers.count')]), 'REQUIRES_CONSENSUS');
  assert.equal(outcome([allow('a', '', admins)]), 'DENY_IMPLICIT');
  assert.equal(outcome([allow('a', '', admins)], { voters: [voter('u', 'admin')] }), 'ALLOW');
  assert.equal(outcome([allow('a', '', `approvers.any(x, x.id == 'u') && ${admins}`)]), 'REQUIRES_CONSENSUS');
  assert.equal(
    outcome([allow('a', '', `approvers.any(x, x.id == 'u') && ${admins}`)], { voters: [voter('u'), voter('v')] }),
    'DENY_IMPLICIT',
  );
  assert.equal(outcome([allow('a', '', "!approvers.any(x, x.id == 'u') && approvers.count() < 5")]), 'REQUIRES_CONSENSUS');
  assert.equal(outcome([allow('a', '', "!approvers.any(x, x.id == 'u')")]), 'DENY_IMPLICIT');
  assert.equal(outcome([allow('a', '', `!approvers.any(x, x.id == 'z') && ${admins}`)]), 'DENY_IMPLICIT');
  assert.equal(outcome([allow('a', '', '1 < approvers.count() || 1 > approvers.count()')]), 'REQUIRES_CONSENSUS');
  assert.equal(outcome([allow('a', '', '5 > approvers.count() && false')]), 'REQUIRES_CONSENSUS');
  assert.equal(outcome([allow('a', '', 'approvers.count() > 5 && approvers.count() == 9')]), 'REQUIRES_CONSENSUS');
  assert.equal(outcome([allow('a', '', 'approvers.count() < 1')]), 'DENY_IMPLICIT');
  assert.equal(outcome([allow('a', '', "credentials.any(c, c.type == 'PASSKEY')")]), 'DENY_IMPLICIT');
  assert.equal(outcome([allow('a', 'false', two)]), 'DENY_IMPLICIT');
  assert.equal(outcome([allow('a', '', two, shut)]), 'DENY_IMPLICIT');
  assert.equal(outcome([allow('a', '', two, open)]), 'REQUIRES_CONSENSUS');
  assert.equal(outcome([deny('d', '', two), allow('a')]), 'ALLOW');
});

test('a DENY of two people denies once both have voted', () => {
  const policies = [deny('d', '', 'approvers.count() >= 2'), allow('a')];
  assert.equal(outcome(policies, { voters: [voter('u')] }), 'ALLOW');
  assert.equal(outcome(policies, { voters: [voter('u'), voter('v')] }), 'DENY_EXPLICIT');
});

test('a closed window', () => {
  const closed = decide(
    input([allow('a', '', '', shut), deny('d', '', '', shut), deny('e', "activity.action == 'EXPORT'", '', shut), allow('b')]),
  );
  assert.equal(closed.outcome, 'OUTCOME_ALLOW');
  assert.deepEqual(evaluations(closed), { a: 'TIME_INACTIVE', d: 'TIME_INACTIVE', e: 'DENY_IMPLICIT', b: 'ALLOW' });
});

test('an ALLOW that fails never allows', () => {
  for (const condition of [
    "eth.tx.value == 0 || activity.action == 'SIGN'",
    "activity.params.user_id == '' || true",
    "wallet.id[9] == 'x' || true",
  ]) {
    const decision = decide(input([allow('a', condition)]));
    assert.equal(decision.outcome, 'OUTCOME_DENY_IMPLICIT', condition);
    assert.equal(decision.policyEvaluations[0]?.outcome, 'OUTCOME_ERROR');
    assert.match(decision.policyEvaluations[0]?.reason ?? '', /^condition: /);
  }
  assert.equal(outcome([allow('a', '', "approvers[1].id == 'v' || true")]), 'DENY_IMPLICIT');
});

test('a DENY about what the activity does not have does not apply', () => {
  for (const condition of [
    'eth.tx.value > 5',
    "activity.params.user_id == 'x'",
    "wallet.id == 'w' || private_key.id == 'k'",
    "wallet.id[9] == 'x' || eth.tx.value == 0",
  ]) {
    const decision = decide(input([allow('a'), deny('d', condition)]));
    assert.equal(decision.outcome, 'OUTCOME_ALLOW', condition);
    assert.equal(evaluations(decision).d, 'ERROR');
  }
});

test('a DENY that fails in any other way denies, and says why', () => {
  const roots: Roots = { ...signing, 'eth.tx': { to: '0x1', data: '0x', contract_call_args: {} } };
  for (const [condition, reason] of [
    ["eth.tx.data[0..10] == '0xa9059cbb'", 'condition: the slice 0..10 is out of range: the length is 2 (line 1, column 1)'],
    ["eth.tx.contract_call_args['to'] == '0x1'", 'condition: the key is missing (line 1, column 1)'],
    ['eth.tx.value > 5', 'condition: the field `value` is missing (line 1, column 8)'],
  ] as const) {
    const decision = decide(input([allow('a'), deny('d', condition)], { roots }));
    assert.equal(decision.outcome, 'OUTCOME_DENY_EXPLICIT', condition);
    assert.deepEqual(decision.denyingPolicyIds, ['d']);
    assert.equal(decision.policyEvaluations[1]?.reason, reason);
  }
  const broken: Roots = { ...signing, 'eth.tx': () => assert.fail('cannot be parsed') };
  assert.equal(outcome([allow('a'), deny('d', "eth.tx.to == '0x1'")], { roots: broken }), 'DENY_EXPLICIT');
  assert.deepEqual(evaluations(decide(input([allow('a', "eth.tx.to == '0x1'")], { roots: broken }))), { a: 'ERROR' });
  assert.equal(outcome([allow('a'), deny('d', '', "approvers[1].id == 'v'")]), 'DENY_EXPLICIT');
});

test('a part that is false settles a failing DENY', () => {
  const fails = "wallet.id[9] == 'x'";
  assert.equal(outcome([allow('a'), deny('d', fails, "approvers.any(x, x.tags.contains('intern'))")]), 'ALLOW');
  assert.equal(outcome([allow('a'), deny('d', fails, "approvers.any(x, x.id == 'u')")]), 'DENY_EXPLICIT');
  assert.equal(outcome([allow('a'), deny('d', 'false', "approvers[1].id == 'v'")]), 'ALLOW');
  assert.equal(evaluations(decide(input([deny('d', fails, '', shut)]))).d, 'TIME_INACTIVE');
  assert.equal(outcome([allow('a'), deny('d', fails, '', open)]), 'DENY_EXPLICIT');
});

test('a pin that does not hold settles a policy, whatever its other clauses would do', () => {
  const fails = "wallet.id[9] == 'x'";
  for (const pin of [
    "activity.action == 'EXPORT'",
    "'x' == wallet.id",
    "private_key.id == 'k'",
    "wallet.id in ['a', 'b']",
    "(activity.type == 'A' || activity.type in ['B'])",
    'wallet.id in []',
  ]) {
    for (const condition of [`${pin} && ${fails}`, `${fails} && (true && ${pin})`]) {
      const decision = decide(input([allow('a'), deny('d', condition)]));
      assert.equal(decision.outcome, 'OUTCOME_ALLOW', condition);
      assert.equal(evaluations(decision).d, 'DENY_IMPLICIT');
    }
  }
  for (const loose of [
    "activity.action == 'EXPORT' || wallet.id == 'x'",
    "activity.action != 'SIGN'",
    "wallet.label == 'x'",
    "!(wallet.id == 'w')",
  ]) {
    const roots: Roots = { ...signing, wallet: { id: 'w', label: '' } };
    assert.equal(outcome([allow('a'), deny('d', `(${loose}) && ${fails}`)], { roots }), 'DENY_EXPLICIT', loose);
  }
});

test('all elements of a batch must be allowed', () => {
  const call = (to: string): ReturnType<typeof openRequest> => openRequest({ ...signing, 'eth.tx': { to, data: '0x' } });
  const policies = [
    allow('a', "eth.tx.to == '0xa'"),
    allow('b', "eth.tx.to == '0xB'"),
    allow('two', "eth.tx.to == '0x2'", 'approvers.count() >= 2'),
    deny('d', "eth.tx.to == '0xd'"),
  ];
  const batch = (...to: string[]): PolicyDecision => decide(input(policies, { elements: to.map(call) }));
  assert.equal(batch('0xA', '0xb').outcome, 'OUTCOME_ALLOW');
  assert.deepEqual(evaluations(batch('0xA', '0xb')), { a: 'ALLOW', b: 'ALLOW', two: 'DENY_IMPLICIT', d: 'DENY_IMPLICIT' });
  assert.deepEqual([batch('0xa', '0x2').outcome, batch('0xa', '0x2').element], ['OUTCOME_REQUIRES_CONSENSUS', 1]);
  assert.deepEqual([batch('0xa', '0xc', '0x2').outcome, batch('0xa', '0xc', '0x2').element], ['OUTCOME_DENY_IMPLICIT', 1]);
  assert.deepEqual([batch('0xc', '0xa', '0xd').outcome, batch('0xc', '0xa', '0xd').element], ['OUTCOME_DENY_EXPLICIT', 2]);
  assert.equal(batch().outcome, 'OUTCOME_DENY_IMPLICIT');
});

test('a decision rests on the controls of ALLOWs that allow or wait on any element, and of DENYs that were evaluated', () => {
  const controls = Object.fromEntries(['of_one', 'of_two', 'of_none'].map((name) => [name, true]));
  const element = (member: string) =>
    openRequest({
      ...signing,
      'eth.tx': { to: '0xa', data: '0x', contract_call_args: { [member]: '1' } },
      controls: { ...controls, ruled_out: false, evaluated: false },
    });
  const policies = [
    allow('a', "eth.tx.contract_call_args['one'] == '1' && controls.of_one"),
    allow('b', "eth.tx.contract_call_args['two'] == '1' && controls.of_two"),
    allow('c', "eth.tx.contract_call_args['none'] == '1' && controls.of_none"),
    deny('d', "eth.tx.to == '0xd' && controls.ruled_out"),
    deny('e', 'controls.evaluated'),
  ];
  const decision = decide(input(policies, { elements: ['one', 'two'].map(element) }));
  const { a, b } = evaluations(decision);
  assert.deepEqual([decision.outcome, a, b], ['OUTCOME_ALLOW', 'ERROR', 'ERROR']);
  assert.deepEqual(decision.controls.toSorted(), ['evaluated', 'of_one', 'of_two']);
});

/** It says how often others could run. */
async function mayVote(given: Parameters<typeof qualifiesToVote>[0], who: string, ...tags: string[]) {
  let others = 0;
  const between = async () => void others++;
  return { may: await qualifiesToVote(given, voter(who, ...tags), between), others };
}

test('users who may vote', async () => {
  const policies = [
    allow('a', "activity.action == 'SIGN'", "approvers.filter(x, x.tags.contains('ops')).count() >= 2", open),
    allow('b', "activity.action == 'EXPORT'", "approvers.any(x, x.tags.contains('sales'))"),
    allow('c', "activity.action == 'SIGN'", "approvers.any(x, x.tags.contains('old'))", shut),
    allow('e'),
    deny('f', '', "approvers.any(x, x.tags.contains('denying'))"),
  ];
  const given = input(policies);
  assert.deepEqual(
    await Promise.all(['ops', 'sales', 'old', 'denying', 'nobody'].map(async (tag) => (await mayVote(given, 'v', tag)).may)),
    [true, false, false, false, false],
  );
  assert.deepEqual(await mayVote(given, 'root-2'), { may: true, others: 0 });
  assert.ok(contributes(policies[0]!.policy, voter('v', 'ops'), [voter('v', 'ops')]));
  assert.ok(!contributes(policies[3]!.policy, voter('v'), []));
});

test('others run while it is asked of many policies who may vote', async () => {
  const many = Array.from({ length: 1000 }, (_, at) => allow(`${at}`, '', `approvers.any(x, x.id == 'nobody ${at}')`));
  const last = allow('last', '', "approvers.any(x, x.tags.contains('ops'))");
  const given = input([...many, last]);
  assert.deepEqual(await mayVote(given, 'v', 'ops'), { may: true, others: 4 });
  assert.deepEqual(await mayVote(given, 'v'), { may: false, others: 4 });
  assert.deepEqual(await mayVote(input([...many.slice(0, 249), last]), 'v', 'ops'), { may: true, others: 0 });
  const elements = Array.from({ length: 3 }, () => openRequest(signing));
  assert.deepEqual(await mayVote({ ...input(many.slice(0, 200)), elements }, 'v'), { may: false, others: 2 });
});

test('thousands of pinned policies: only those that may match are looked at', () => {
  const policies = [
    ...Array.from({ length: 2000 }, (_, at) => allow(`w${at}`, `activity.action == 'SIGN' && wallet.id == 'wallet-${at}'`)),
    ...Array.from({ length: 2000 }, (_, at) =>
      allow(`e${at}`, `eth.tx.to in ['0xAB${at}', '0xCD${at}'] && activity.kind == 'SIGN_TRANSACTION'`),
    ),
    allow('any', "activity.action == 'SIGN'"),
    deny('free', 'wallet.exported'),
  ];
  const index = buildIndex(policies);
  const request = openRequest({
    activity: { action: 'SIGN', kind: 'SIGN_TRANSACTION' },
    wallet: { id: 'wallet-7', exported: false },
    'eth.tx': { to: '0xcd3' },
  });
  assert.deepEqual(
    candidates(index, request).map(({ id }) => id),
    ['w7', 'e3', 'any', 'free'],
  );
  const decision = decide({ ...input([]), index, elements: [request] });
  assert.equal(decision.policyEvaluations.length, 104);
  assert.deepEqual(
    decision.policyEvaluations.slice(0, 5).map(({ policyId }) => policyId),
    ['w7', 'e3', 'any', 'free', 'w0'],
  );
  const unreadable = openRequest({
    activity: { action: 'SIGN', kind: 'SIGN_TRANSACTION' },
    wallet: {},
    'eth.tx': { to: '0xcd3' },
  });
  assert.equal(candidates(index, unreadable).length, 2003);
});

test('beyond what one decision may cost nothing is allowed, and what denies does', async () => {
  const keys = Array.from({ length: 300 }, (_, i) => `key ${i}`);
  const roots = { ...signing, 'solana.tx': { account_keys: keys } };
  const costly = 'solana.tx.account_keys.all(k, solana.tx.account_keys.contains(k))';
  const before = (count: number) => Array.from({ length: count }, (_, i) => deny(`costly ${i}`, `!${costly}`));
  const cheap = [allow('last', "solana.tx.account_keys[0] == 'key 0'")];
  assert.equal(outcome([...before(100), ...cheap], { roots }), 'ALLOW');
  const many = decide(input([...before(300), ...cheap], { roots }));
  assert.equal(many.outcome, 'OUTCOME_DENY_EXPLICIT');
  const { last, 'costly 0': first, 'costly 299': denying } = evaluations(many);
  assert.deepEqual([first, denying, last], ['DENY_IMPLICIT', 'DENY_EXPLICIT', 'ERROR']);
  assert.match(many.policyEvaluations.at(-1)?.reason ?? '', /more than 10000000 steps/);
  const elements = Array.from({ length: 300 }, () => openRequest(roots));
  assert.equal(outcome([...before(1), ...cheap], { elements }), 'DENY_EXPLICIT', 'over all elements of a batch');
  // The users who may vote are found once for each policy, not for each element.
  const clauses = Array.from({ length: 400 }, () => "approvers.any(a, a.id == 'x')").join(' || ');
  const asking = Array.from({ length: 200 }, (_, i) => allow(`asking ${i}`, '', clauses));
  const open = { ...input([...asking, allow('mine', '', "approvers.any(a, a.id == 'v')")]), elements };
  assert.ok((await mayVote(open, 'v')).may);
});
