import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyEnvironment } from '../../../src/app/policy-environment.ts';
import { warningsOf } from '../../../src/engine/decision/explained-policy.ts';
import { compilePolicy, type Environment } from '../../../src/policy/index.ts';

/** It counts what is read of it. */
function noting(): { environment: Environment; reads(): number } {
  let reads = 0;
  const environment = new Proxy(policyEnvironment, {
    get(target, name, receiver) {
      reads += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  return { environment, reads: () => reads };
}

function compiled(condition: string) {
  const made = compilePolicy({ effect: 'EFFECT_ALLOW', condition }, policyEnvironment);
  assert.ok(made.ok);
  return made.policy;
}

test('a policy without warnings is looked through once for each environment', () => {
  const policy = compiled("activity.action == 'SIGN'");
  for (const { environment, reads } of [noting(), noting()]) {
    assert.deepEqual(warningsOf(policy, environment), []);
    const once = reads();
    assert.ok(once > 0);
    assert.deepEqual(warningsOf(policy, environment), []);
    assert.equal(reads(), once);
  }
});

test('a policy with warnings has them each time', () => {
  const policy = compiled("activity.action == 'NOTHING'");
  for (let i = 0; i < 2; i++) assert.equal(warningsOf(policy, policyEnvironment).length, 1);
});
