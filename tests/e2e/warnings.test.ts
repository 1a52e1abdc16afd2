import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { newPair } from '../activities/support.ts';
import { velocityControl } from '../activities/velocity-controls/support.ts';
import { cli } from '../support/cli.ts';
import { type Answer, resultOf, submitPath } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { newPolicy } from './authority.ts';

const instance = await sharedInstance();
const { root } = instance;

const HEADER = 'x-warnings';
const MISSPELT = "activity.kind == 'SIGN_TRANSCTION'";
const LATER = "activity.kind == 'SIGN_EVERYTHING_AT_ONCE'";

const warningsOf = ({ headers }: Answer): string[] => headers.get(HEADER)?.split(', ').map(decodeURIComponent) ?? [];
const violations = ({ body }: Answer): { field: string; description: string }[] => body.details[1].fieldViolations;
const policy = (text: object) => ({ policyName: `P${crypto.randomUUID()}`, effect: 'EFFECT_DENY', notes: '', ...text });
const methods = [{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY' }] }];

test('a name that is nearly a known one is refused in every text, with its place and what was meant', async () => {
  const meant = (what: string, column: number) =>
    `invalid ${what}: Expression cannot be evaluated: \`activity.kind\` is never 'SIGN_TRANSCTION' (line 1, column ${column}); did you mean 'SIGN_TRANSACTION'?`;
  const { userId } = await instance.newUser('Second factor');
  const policyId = await newPolicy(root, { condition: 'true', consensus: 'false' });
  const profile = { sessionProfileName: 'Profile', scope: MISSPELT };
  const mfa = { userId, mfaPolicyName: 'MFA', condition: MISSPELT, requiredAuthenticationMethods: methods, order: 1 };
  const made = await root.submit('CREATE_MFA_POLICY', { ...mfa, condition: "activity.kind == 'SIGN_TRANSACTION'" });
  const { mfaPolicyId } = resultOf(made, 'createMfaPolicyResult');
  for (const [type, parameters, field, what] of [
    ['CREATE_POLICY_V3', policy({ condition: MISSPELT }), 'parameters.condition', 'policy condition'],
    [
      'CREATE_POLICIES',
      { policies: [policy({}), policy({ condition: MISSPELT })] },
      'parameters.policies[1].condition',
      'policy condition',
    ],
    ['UPDATE_POLICY_V2', { policyId, policyCondition: MISSPELT }, 'parameters.policyCondition', 'policy condition'],
    ['CREATE_SESSION_PROFILE', profile, 'parameters.scope', 'scope'],
    ['CREATE_MFA_POLICY', mfa, 'parameters.condition', 'condition'],
    ['UPDATE_MFA_POLICY', { userId, mfaPolicyId, condition: MISSPELT }, 'parameters.condition', 'condition'],
  ] as const) {
    const refused = await root.submit(type, parameters);
    assert.equal(refused.status, 400, `${type} ${refused.text}`);
    assert.deepEqual([violations(refused), warningsOf(refused)], [[{ field, description: meant(what, 18) }], []]);
  }
  const consensus = "credentials.any(c, c.type in ['CREDENTIAL_TYPE_API_KEY_P265'])";
  const refused = await root.submit('CREATE_POLICY_V3', policy({ consensus }));
  assert.equal(violations(refused)[0]!.field, 'parameters.consensus');
  assert.match(
    refused.body.message,
    /`c\.type` is never .* \(line 1, column 31\); did you mean 'CREDENTIAL_TYPE_API_KEY_P256'\?/,
  );
});

test('a condition of a velocity control is reviewed as those of policies, also what it says of transfers', async () => {
  const field = 'parameters.countersign.condition';
  let controls = 0;
  const create = (condition: string) =>
    root.submit('CREATE_VELOCITY_CONTROL', velocityControl({ identifier: `reviewed_${++controls}`, countersign: { condition } }));
  for (const [condition, meant] of [
    [MISSPELT, /`activity\.kind` is never 'SIGN_TRANSCTION' \(line 1, column 18\); did you mean 'SIGN_TRANSACTION'\?$/],
    ["transfer.kind == 'transfers'", /`transfer\.kind` is never 'transfers' .* did you mean 'transfer'\?$/],
  ] as const) {
    const refused = await create(condition);
    assert.deepEqual([refused.status, violations(refused)[0]?.field], [400, field], refused.text);
    assert.match(violations(refused)[0]!.description, meant);
    assert.match(violations(refused)[0]!.description, /^invalid condition of a velocity control: /);
  }
  const address = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
  for (const [condition, ...warned] of [
    [LATER, /^POLICY_NAME_UNKNOWN: parameters\.countersign\.condition, line 1, column 18: /],
    ["transfer.kind == 'payment'", /^POLICY_NAME_UNKNOWN: .*`transfer\.kind` is never 'payment'/],
    [`transfer.recipient == '${address}0'`, /^POLICY_SUSPICIOUS: .*`transfer\.recipient` is never /],
    [`transfer.token in [' ${address}', '']`, /^POLICY_SUSPICIOUS: .*leave out the blanks/],
    // Texts of 0x compare without case.
    [
      `transfer.kind == 'fee' || transfer.recipient == '${address}' || transfer.token == 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'`,
    ],
  ] as const) {
    const made = await create(condition);
    assert.equal(made.status, 200, made.text);
    const found = warningsOf(made);
    assert.equal(found.length, warned.length, found.join());
    for (const [i, text] of warned.entries()) assert.match(found[i]!, text);
  }
});

test('a new session profile that can approve nothing is warned of', async () => {
  const profile = (scope: string) => root.submit('CREATE_SESSION_PROFILE', { sessionProfileName: 'Approver', scope });
  const [warning, ...more] = warningsOf(await profile("activity.kind == 'APPROVE_ACTIVITY'"));
  assert.match(
    String(warning),
    /^POLICY_SUSPICIOUS: parameters\.scope, line 1, column 1: sessions of this profile cannot approve any activity/,
  );
  assert.deepEqual(more, []);
  assert.deepEqual(warningsOf(await profile("activity.kind in ['APPROVE_ACTIVITY', 'CREATE_WALLET']")), []);
});

test('an MFA condition on signed data is warned of while its hash can be signed without the factor', async () => {
  const { userId } = await instance.newUser('Digests');
  const mfa = { userId, mfaPolicyName: 'MFA', requiredAuthenticationMethods: methods, order: 1 };
  const made = async (condition: string) => root.submit('CREATE_MFA_POLICY', { ...mfa, condition });
  const limit = 'eth.txs.total_value > 1000000000000000000';
  const warned = await made(limit);
  const [warning, ...more] = warningsOf(warned);
  assert.match(
    String(warning),
    /^POLICY_SUSPICIOUS: parameters\.condition, line 1, column 1: a hash of the same data can be signed without this factor: /,
  );
  assert.deepEqual(more, []);
  const { mfaPolicyId } = resultOf(warned, 'createMfaPolicyResult');
  const changed = (condition: string) => root.submit('UPDATE_MFA_POLICY', { userId, mfaPolicyId, condition });
  assert.deepEqual(warningsOf(await changed(`activity.action == 'SIGN' || ${limit}`)), []);
  assert.equal(warningsOf(await changed(`wallet.id == wallet.id && ${limit}`)).length, 1);
  const [second] = warningsOf(await changed(`activity.kind == 'SIGN_RAW_PAYLOAD' || ${limit}`));
  assert.match(String(second), /the condition covers no SIGN_RAW_PAYLOADS$|the condition covers no SIGN_RAW_PAYLOADS;/);
  assert.deepEqual(warningsOf(await made("activity.kind == 'EXPORT_WALLET'")), []);
  const closing = /add an MFA policy with the condition (.*)$/.exec(warning!)![1]!;
  assert.deepEqual(warningsOf(await made(closing)), []);
  assert.deepEqual(warningsOf(await changed(`true && ${limit}`)), [], 'another policy of the user covers it');
});

test('a name that nothing is near is accepted with a warning, of a new body alone', async () => {
  const body = root.bodyOf('CREATE_POLICY_V3', policy({ condition: `${LATER} || eth.tx.gas > 1` }));
  const made = await root.send(submitPath('CREATE_POLICY_V3'), body);
  resultOf(made, 'createPolicyResult');
  const [warned, ...more] = warningsOf(made);
  assert.match(
    warned!,
    /^POLICY_NAME_UNKNOWN: parameters\.condition, line 1, column 18: `activity\.kind` is never 'SIGN_EVERYTHING_AT_ONCE'; /,
  );
  assert.deepEqual(more, []);
  assert.match(made.headers.get('access-control-expose-headers')!, /X-Warnings/);
  const again = await root.send(submitPath('CREATE_POLICY_V3'), body);
  assert.deepEqual([again.status, again.headers.get(HEADER)], [200, null]);
  const scope = await root.submit('CREATE_SESSION_PROFILE', {
    sessionProfileName: 'Later',
    scope: `${LATER} || eth.tx.gas > 1`,
  });
  assert.match(warningsOf(scope).join(), /^POLICY_NAME_UNKNOWN: parameters\.scope, line 1, column 18: [^,]*$/);
  const never = await root.submit(
    'CREATE_POLICY_V3',
    policy({ condition: 'eth.tx.value > 5 || solana.tx.transfers.count() > 1' }),
  );
  assert.match(warningsOf(never).join(), /^POLICY_SUSPICIOUS: parameters\.condition, line 1, column 21: never true: /);
  const plain = await root.submit('CREATE_POLICY_V3', policy({ condition: "activity.kind == 'EXECUTE_SWAP'" }));
  assert.equal(plain.headers.get(HEADER), null, 'the interface has it, and this release does not serve it');
});

test('a stored text with such a name stays in force, and may be sent as it is with another change', async () => {
  const { client, userId } = await instance.newUser('Before');
  const consensus = `approvers.any(u, u.id == '${userId}')`;
  const policyId = await newPolicy(root, { condition: "activity.kind == 'CREATE_WALLET'", consensus });
  const older = `${MISSPELT} || activity.kind == 'CREATE_WALLET'`;
  await instance.raw('UPDATE policies SET condition = $1 WHERE id = $2', older, policyId);
  // The row is read anew after a change.
  const renamed = await root.submit('UPDATE_POLICY_V2', { policyId, policyName: 'Renamed', policyCondition: older });
  resultOf(renamed, 'updatePolicyResultV2');
  assert.deepEqual(warningsOf(renamed), []);
  assert.equal((await client.submit('CREATE_WALLET', { walletName: 'Allowed', accounts: [] })).status, 200);
  assert.equal((await root.submit('UPDATE_POLICY_V2', { policyId, policyCondition: `${older} ` })).status, 400);
});

test('an activity that waits with such a name since an older release completes as it was approved', async () => {
  const pair = await newPair(instance, 'Waiting');
  const [first, second] = pair.clients;
  const refused = await first.submit('CREATE_POLICY_V3', policy({ condition: MISSPELT }));
  assert.equal(refused.status, 400, 'a new one does not even wait');
  const waiting = await first.submit('CREATE_POLICY_V3', policy({ condition: "activity.kind == 'EXECUTE_SWAP'" }));
  const { id, fingerprint } = waiting.body.activity;
  const [{ body }] = (await instance.raw('SELECT body FROM activities WHERE id = $1', id)) as [{ body: Buffer }];
  const older = Buffer.from(Buffer.from(body).toString().replace('EXECUTE_SWAP', 'EXECUTE_SWOP'));
  await instance.raw('UPDATE activities SET body = $1 WHERE id = $2', older, id);
  const done = await second.submit('APPROVE_ACTIVITY', { fingerprint });
  const { policyId } = resultOf(done, 'createPolicyResult');
  assert.match((await first.query('get_policy', { policyId })).body.policy.condition, /EXECUTE_SWOP/);
  assert.deepEqual(warningsOf(done), []);
});

test('many warnings fit into two kilobytes, and the rest is counted', async () => {
  const condition = Array.from({ length: 10 }, (_, i) => `activity.kind == '${'ü😀'.repeat(40)}${i}'`).join(' || ');
  const policies = Array.from({ length: 4 }, () => policy({ condition }));
  const made = await root.submit('CREATE_POLICIES', { policies });
  assert.equal(made.status, 200, made.text);
  assert.ok(made.headers.get(HEADER)!.length <= 2048);
  const warned = warningsOf(made);
  assert.ok(warned.length > 2);
  assert.equal(warned.at(-1), `MORE: ${40 - (warned.length - 1)} more`);
});

test('a request of much text is answered in time, and says what was not looked at', async () => {
  const condition = `activity.kind in [${Array.from({ length: 1_000 }, (_, i) => `'NEVER${i}'`).join(', ')}]`;
  const policies = Array.from({ length: 50 }, () => policy({ condition }));
  const made = await root.submit('CREATE_POLICIES', { policies: [...policies, policy({ condition: MISSPELT })] });
  assert.deepEqual([made.status, violations(made).length], [400, 1]);
  const known = `activity.kind in [${Array.from({ length: 800 }, () => "'SIGN_TRANSACTION'").join(', ')}]`;
  const taken = await root.submit('CREATE_POLICIES', { policies: Array.from({ length: 5 }, () => policy({ condition: known })) });
  assert.equal(taken.status, 200, taken.text);
  assert.deepEqual(warningsOf(taken), [
    'POLICY_WARNINGS_CUT: only the first 65536 characters of a request are checked for warnings',
  ]);
});

test('the command line prints them', async () => {
  const credentials = join(instance.dataDir, 'root-credentials.json');
  const text = JSON.stringify(policy({ condition: LATER }));
  const args = ['submit', 'create_policy', text, '--url', instance.url, '--credentials', credentials];
  const { out: stdout, err: stderr } = await cli(args);
  assert.match(stderr, /^warning: POLICY_NAME_UNKNOWN: parameters\.condition, line 1, column 18: .*\n$/);
  assert.equal(JSON.parse(stdout).activity.status, 'ACTIVITY_STATUS_COMPLETED');
});
