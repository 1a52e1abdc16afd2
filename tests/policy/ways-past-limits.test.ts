import assert from 'node:assert/strict';
import { test } from 'node:test';
import { policyEnvironment as environment } from '../../src/app/policy-environment.ts';
import { type BindingLimit, compilePolicy, type PolicySource, waysPastLimits } from '../../src/policy/index.ts';

type Texts = Omit<PolicySource, 'effect'> | string;
const texts = (given: Texts) => (typeof given === 'string' ? { condition: given } : given);
const allow = (given: Texts): PolicySource => ({ effect: 'EFFECT_ALLOW', ...texts(given) });
const deny = (given: Texts): PolicySource => ({ effect: 'EFFECT_DENY', ...texts(given) });

/** What each policy is warned of, by its place. */
const found = (...sources: PolicySource[]): string[] => foundBeside([], ...sources);

function foundBeside(limits: readonly BindingLimit[], ...sources: PolicySource[]): string[] {
  const named = sources.map((source, at) => {
    const compiled = compilePolicy(source, environment);
    assert.ok(compiled.ok, JSON.stringify(source));
    return { id: `p${at}`, policy: compiled.policy };
  });
  return waysPastLimits(named, environment, limits).map(
    ({ id, warning }) => `${id} ${/create and delete limits|exports|tags/.exec(warning.message)![0].split(' ')[0]}`,
  );
}

test('an ALLOW that reaches limits over time without naming them is warned of', () => {
  for (const broad of [
    '',
    'true',
    "activity.action == 'DELETE'",
    "activity.action in ['CREATE', 'SIGN']",
    "activity.kind != 'EXPORT_WALLET'",
    "activity.kind != 'CREATE_VELOCITY_CONTROL'",
    "activity.kind != 'EXPORT_WALLET' || activity.resource == 'VELOCITY_CONTROL'",
  ])
    assert.deepEqual(found(allow(broad)), ['p0 create'], broad);
  for (const narrow of [
    "activity.resource == 'VELOCITY_CONTROL'",
    "activity.kind == 'DELETE_VELOCITY_CONTROL'",
    "activity.kind in ['CREATE_POLICY', 'DELETE_VELOCITY_CONTROL'] && activity.action != 'CREATE'",
    "activity.type == 'ACTIVITY_TYPE_DELETE_VELOCITY_CONTROL'",
    "activity.action == 'CREATE' && activity.resource != 'VELOCITY_CONTROL'",
    "activity.resource == 'POLICY'",
    "wallet.id == 'a'",
    "activity.action == 'SIGN'",
  ])
    assert.deepEqual(found(allow(narrow)), [], narrow);
  assert.deepEqual(found(deny('')), []);
});

test('a DENY closes it if it applies as often', () => {
  const closing = "activity.resource == 'VELOCITY_CONTROL'";
  const consensus = "approvers.any(u, u.id == 'x')";
  assert.deepEqual(found(allow(''), deny(closing)), []);
  assert.deepEqual(found(allow({ condition: '', consensus }), deny({ condition: closing, consensus })), []);
  assert.deepEqual(found(allow(''), deny({ condition: closing, consensus })), ['p0 create']);
  assert.deepEqual(found(allow(''), deny("activity.kind == 'DELETE_VELOCITY_CONTROL'")), ['p0 create']);
});

test('an ALLOW of exports is warned of beside a policy that reads a control of the same keys', () => {
  const limited = allow("activity.action == 'SIGN' && controls.daily");
  const ofOne = allow("activity.action == 'SIGN' && wallet.id == 'a' && controls.daily");
  assert.deepEqual(found(limited, allow("activity.action == 'EXPORT'")), ['p1 exports']);
  assert.deepEqual(found(ofOne, allow("wallet.id == 'a'")), ['p1 exports']);
  assert.deepEqual(found(deny('!controls.daily'), allow("activity.kind == 'EXPORT_PRIVATE_KEY'")), ['p1 exports']);
  assert.deepEqual(found(ofOne, allow("wallet.id == 'b'")), []);
  assert.deepEqual(found(limited, allow("activity.kind == 'EXPORT_SECRETS'")), [], 'a secret is no key');
  assert.deepEqual(found(limited, allow("activity.action == 'EXPORT'"), deny("activity.action == 'EXPORT'")), []);
  assert.deepEqual(found(allow("activity.action == 'EXPORT'")), [], 'no policy reads a control');
});

test('an ALLOW of exports is warned of beside a limit that binds every signer and may cover the same keys', () => {
  const exports = allow("activity.action == 'EXPORT'");
  const ofA = allow("activity.action == 'EXPORT' && wallet.id == 'a'");
  const ofKey = allow("activity.kind == 'EXPORT_PRIVATE_KEY' && private_key.id in ['j', 'k']");
  const [all, b, key] = [{}, { walletIds: ['b'] }, { privateKeyIds: ['k'] }];
  for (const [limits, policy, isWarned] of [
    [[all], exports, true],
    [[all], ofA, true],
    [[all], ofKey, true],
    [[b], exports, true],
    [[b], ofA, false],
    [[b, { walletIds: ['b', 'a'] }], ofA, true],
    [[b], ofKey, false],
    [[key], ofKey, true],
    [[key], ofA, false],
    [[{ ...b, ...key }], ofA, false],
    [[{ userTagIds: ['t'] }], ofA, true],
    [[all], allow("activity.action == 'SIGN'"), false],
  ] as const)
    assert.deepEqual(foundBeside(limits, policy), isWarned ? ['p0 exports'] : [], JSON.stringify([limits, policy.condition]));
  assert.deepEqual(foundBeside([all], exports, deny("activity.action == 'EXPORT'")), []);
});

test('an ALLOW of changes of user tags is warned of beside a policy that reads a control', () => {
  const limited = allow("activity.action == 'SIGN' && controls.daily");
  for (const kind of ['UPDATE_USER', 'UPDATE_USER_TAG', 'DELETE_USER_TAGS'])
    assert.deepEqual(found(limited, allow(`activity.kind == '${kind}'`)), ['p1 tags'], kind);
  assert.deepEqual(found(limited, allow("activity.kind == 'UPDATE_USER_NAME'")), []);
  const tags = allow("activity.kind == 'UPDATE_USER_TAG'");
  assert.deepEqual(found(tags), [], 'no policy reads a control');
  assert.deepEqual(foundBeside([{ walletIds: ['a'] }], tags), [], 'no limit names tags');
  assert.deepEqual(foundBeside([{ userTagIds: ['t'] }], tags), ['p0 tags']);
});
