/** Which MFA policies apply to random activities, compared with a plain search by the reference evaluator. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFunctionData, parseAbi } from 'viem';
import { decodeCall } from '../../../src/chains/ethereum/abi.ts';
import type { ResolvedActivity } from '../../../src/engine/activity/decode.ts';
import { mfaPolicies } from '../../../src/engine/decision/mfa.ts';
import { policyCompiler } from '../../../src/engine/policy-compiler.ts';
import { inOrder, type MfaPolicy } from '../../../src/model/mfa-policy.ts';
import type { User } from '../../../src/model/user.ts';
import { parse, printExpression, type Roots } from '../../../src/policy/index.ts';
import type { Reader } from '../../../src/store/types.ts';
import { environment } from '../../policy/agreement.ts';
import { makeExpression, makeRoots, ofScopes, pick, type Random, seeded } from '../../policy/generate.ts';
import * as reference from '../../policy/reference.ts';

const RUNS = 1000;
const SIGNING = {
  type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
  kind: 'SIGN_TRANSACTION',
  resource: 'TRANSACTION',
  action: 'SIGN',
  params: {},
};
const abi = parseAbi(['function pay(address to, (uint256 amount, address by)[] parts)', 'function burn(uint256 amount)']);
const [FRIEND, THIEF] = ['0x00000000000000000000000000000000000000aa', '0x00000000000000000000000000000000000000bb'] as const;

const CONDITIONS = [
  `eth.tx.contract_call_args['to'] == '${FRIEND}'`,
  `eth.tx.contract_call_args['to'] != '${FRIEND}'`,
  `!(eth.tx.contract_call_args['to'] in ['${FRIEND}']) && activity.action == 'SIGN'`,
  `eth.tx.contract_call_args['parts'].any(p, p[1] == '${THIEF}') || eth.tx.value > 5`,
  `eth.tx.contract_call_args['parts'].filter(p, p[0] > 5).count() > 0`,
  `eth.tx.function_name == 'pay' && eth.tx.data[0..10] == '0xdeadbeef'`,
];

/** Call data with up to two changed bytes, and sometimes cut. */
function callData(random: Random): `0x${string}` {
  const parts = Array.from({ length: random(3) }, () => ({ amount: BigInt(random(10)), by: pick(random, [FRIEND, THIEF]) }));
  const data = random(4)
    ? encodeFunctionData({ abi, functionName: 'pay', args: [pick(random, [FRIEND, THIEF]), parts] })
    : encodeFunctionData({ abi, functionName: 'burn', args: [1n] });
  const bytes = Buffer.from(data.slice(2), 'hex');
  for (let left = random(3); left > 0; left--) bytes[random(bytes.length)] = random(256);
  return `0x${bytes.subarray(0, random(3) ? bytes.length : random(bytes.length)).toString('hex')}`;
}

function element(random: Random): Record<string, unknown> {
  const roots = makeRoots(random, environment) as Record<string, unknown>;
  const data = callData(random);
  if (random(2)) roots['eth.tx'] = { ...(roots['eth.tx'] as object), value: 1n, data, ...decodeCall(data, JSON.stringify(abi)) };
  return roots;
}

const policiesOf = (random: Random): MfaPolicy[] =>
  Array.from({ length: 1 + random(4) }, (_, i) => ({
    organizationId: 'o',
    userId: 'u',
    id: `policy ${i}`,
    name: `policy ${i}`,
    notes: '',
    condition: random(2) ? pick(random, CONDITIONS) : printExpression(makeExpression(random, ofScopes(environment), 'condition')),
    steps: [],
    order: random(3),
    createdAt: i,
    updatedAt: i,
  }));

/** For each element by itself, all policies up to the first that is true, without those that are false. */
function expected(policies: readonly MfaPolicy[], elements: readonly Record<string, unknown>[]): string[] {
  const applying = new Set<string>();
  for (const roots of elements) {
    for (const { id, condition } of policies) {
      const parsed = parse(condition);
      assert.ok(parsed.ok);
      const holds = reference.evaluate(parsed.expr, environment, roots as Roots, 'kleene');
      if (holds !== false) applying.add(id);
      if (holds === true) break;
    }
  }
  return policies.map(({ id }) => id).filter((id) => applying.has(id));
}

test('a condition that is not definitely false asks, element by element', async () => {
  const log = { error: (_: object, text: string) => assert.fail(text) };
  const mfa = mfaPolicies(policyCompiler(environment), log as never);
  const seen = new Map<number, number>();
  for (let seed = 1; seed <= RUNS; seed++) {
    const random = seeded(seed);
    const elements = Array.from({ length: 1 + random(3) }, () => element(random));
    const activity = (elements[0]!.activity ?? SIGNING) as typeof SIGNING;
    const { type, kind, resource, action, params } = activity;
    const resolved = {
      kind: { kind, resource, action, policyParams: () => params },
      version: { type },
      subject: async () => undefined,
      views: async () => elements,
    };
    const policies = policiesOf(random);
    const read = { mfaPolicies: { listByUser: async () => policies } };
    const user = { organizationId: 'o', id: 'u', mfaPolicyCount: policies.length };
    const found = await mfa(read as never as Reader, user as User, resolved as never as ResolvedActivity);
    const wanted = expected(
      inOrder(policies),
      elements.map((roots) => ({ ...roots, activity })),
    );
    assert.deepEqual(
      found.map(({ id }) => id),
      wanted,
      `seed ${seed}: ${JSON.stringify(policies.map(({ condition }) => condition))}`,
    );
    seen.set(found.length, (seen.get(found.length) ?? 0) + 1);
  }
  for (const count of [0, 1, 2, 3]) assert.ok((seen.get(count) ?? 0) > RUNS / 100, `${count} policies apply too seldom to tell`);
});
