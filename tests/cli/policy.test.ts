import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { stringify } from 'yaml';
import { policyCommand } from '../../src/cli/policy/index.ts';
import { cli } from '../support/cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-policy-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let written = 0;

function file(content: unknown, ending = 'yaml'): string {
  const path = join(folder, `file-${++written}.${ending}`);
  writeFileSync(path, typeof content === 'string' ? content : ending === 'json' ? JSON.stringify(content) : stringify(content));
  return path;
}

/** Runs the command without a service and without data. */
const run = (...args: string[]) => cli(['policy', ...args], { cwd: folder });

/** The same command in this process. */
const command = (...args: string[]) => policyCommand(args, Date.now(), false);

// biome-ignore lint/suspicious/noExplicitAny: reports are looked into freely by tests
async function report(code: number, ...args: string[]): Promise<any> {
  const printed = await policyCommand(args, Date.now(), true);
  assert.equal(printed.code, code);
  return JSON.parse(printed.text);
}

const SIGN = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';
const ann = { id: 'ann', tags: ['ops'] };
const ben = { id: 'ben', tags: ['ops'] };
const allow = {
  name: 'Two sign',
  effect: 'ALLOW',
  condition: "activity.action == 'SIGN' && wallet.id == 'w'",
  consensus: "approvers.filter(u, u.tags.contains('ops')).count() >= 2",
};
const base = { name: 'case', activity: { type: SIGN }, roots: { wallet: { id: 'w' } }, approvers: [ann, ben], wanted: 'ALLOW' };

/** The results of the cases with these policies. */
// biome-ignore lint/suspicious/noExplicitAny: as above
async function results(cases: object[], policies: object[] = [allow]): Promise<any[]> {
  const named = cases.map((each, i) => ({ ...base, name: `case ${i}`, ...each }));
  const path = file({ policies, cases: named }, 'json');
  return JSON.parse((await policyCommand(['test', path], Date.now(), true)).text)[0].cases;
}

const gots = async (cases: object[], policies?: object[]): Promise<string[]> =>
  (await results(cases, policies)).map(({ got }) => got);

describe('countersign policy', () => {
  test('says what it is for, with an example that works', async () => {
    const help = await run('--help');
    assert.equal(help.code, 0);
    const yaml = help.out.slice(help.out.indexOf('  policies:'), help.out.indexOf('\n  ./countersign')).replaceAll(/^ {2}/gm, '');
    const example = await run('test', file(yaml));
    assert.equal(example.code, 0, example.out + example.err);
    assert.match(example.out, /1 case, 1 passed, 0 failed/);
    assert.equal((await run()).code, 2);
    assert.match((await run()).out, /^Usage: countersign policy check FILE/);
  });

  test('says what is wrong with how it was called', async () => {
    const calls: [string[], RegExp][] = [
      [['try', 'x'], /unknown command "policy try"/],
      [['check'], /name a file/],
      [['test'], /name a file/],
      [['check', '--verbose', 'x'], /verbose/],
      [['check', 'missing.yaml'], /^missing\.yaml: cannot be read: ENOENT/],
      [['check', folder], /cannot be read: EISDIR/],
    ];
    for (const [args, text] of calls) {
      const done = await run(...args);
      assert.equal(done.code, 2, args.join(' '));
      assert.match(done.err, text);
      assert.doesNotMatch(done.err, /\n {4}at /, 'without a stack');
      assert.equal(done.out, '');
    }
  });
});

describe('countersign policy check', () => {
  test('takes good policies, in YAML and JSON, and what list_policies answers', async () => {
    const stored = {
      policyId: 'x',
      policyName: 'Stored',
      effect: 'EFFECT_DENY',
      condition: '',
      notes: 'n',
      createdAt: {},
      updatedAt: {},
    };
    const paths = [file({ policies: [allow] }), file({ policies: [allow] }, 'json'), file({ policies: [stored] }, 'json')];
    const done = await run('check', ...paths);
    assert.equal(done.code, 0, done.err);
    assert.equal(done.out, paths.map((path) => `${path}: 1 policy, no problems\n`).join(''));
  });

  test('shows every mistake at its place, with a hint', async () => {
    const policies = [
      { name: 'Good', effect: 'DENY' },
      { name: 'Bad', effect: 'ALLOW', condition: 'true &&\n  eth.tx.chainid == 1', consensus: 'wallet', time: 'true &&' },
    ];
    const path = file({ policies });
    const done = await run('check', path);
    assert.equal(done.code, 1);
    assert.deepEqual(done.out.split('\n').slice(0, 4), [
      `${path}: 2 policies, 3 problems`,
      '  Bad: condition, line 2, column 10: field does not exist: chainid; did you mean `chain_id`?',
      '        eth.tx.chainid == 1',
      '               ^^^^^^^',
    ]);
    const [{ problems }] = await report(1, 'check', path);
    assert.deepEqual(
      problems.map((each: { policy: string; part: string; line: number; column: number }) => [each.policy, each.part, each.line]),
      [
        ['Bad', 'condition', 2],
        ['Bad', 'consensus', 1],
        ['Bad', 'time', 1],
      ],
    );
    assert.equal(problems[0].hint, 'did you mean `chain_id`?');
    const tested = await command('test', file({ policies, cases: [base] }));
    assert.equal(tested.code, 1);
    assert.match(tested.text, /the cases were not decided\n0 cases, 0 passed, 0 failed\n$/);
    assert.equal((await command('check', path, file({ policies: [allow] }))).code, 1, 'one bad file of two');
  });

  test('the totals of a batch are worked out from its elements', async () => {
    const element = { 'eth.tx': { to: `0x${'11'.repeat(20)}`, value: 6 } };
    const policies = [
      { name: 'All', effect: 'ALLOW', condition: 'true' },
      { name: 'Ten', effect: 'DENY', condition: 'eth.txs.total_value > 10' },
    ];
    const batch = (name: string, roots: object[], wanted: string) => ({
      name,
      activity: { type: 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION_V2' },
      roots,
      approvers: [{ id: 'ann' }],
      wanted,
    });
    const cases = [batch('one', [element], 'ALLOW'), batch('two', [element, element], 'DENY')];
    const done = await run('test', file({ policies, cases }));
    assert.equal(done.code, 0, done.out + done.err);
  });

  test('warns of expressions that are never true, which only --strict makes a failure', async () => {
    const policies = [
      { name: 'Signers', effect: 'ALLOW', condition: "activity.action == 'SIGN'" },
      { name: 'Slip', effect: 'ALLOW', condition: "true &&\n  activity.action == 'BUY'" },
      { name: 'Small', effect: 'DENY', condition: 'eth.txs.total_value > 5' },
    ];
    const path = file({ policies });
    const done = await run('check', path);
    assert.equal(done.code, 0, done.err);
    assert.deepEqual(done.out.split('\n').slice(0, 4), [
      `${path}: 3 policies, no problems, 2 warnings`,
      "  warning: Slip: condition, line 2, column 22: `activity.action` is never 'BUY'; it is one of '', 'CREATE', 'DELETE', 'UPDATE', 'VERIFY', 'EXPORT', 'IMPORT', 'SIGN', 'ENCRYPT'",
      "        activity.action == 'BUY'",
      '                           ^^^^^',
    ]);
    assert.match(
      done.out,
      /\n {2}warning: Small: condition, line 1, column 1: .*"Signers" lets SIGN_RAW_PAYLOAD and SIGN_RAW_PAYLOADS/,
    );
    assert.equal((await run('check', path, '--strict')).code, 1);
    assert.equal((await run('check', file({ policies: policies.slice(0, 1) }), '--strict')).code, 0);
    const [{ problems, warnings }] = await report(0, 'check', path);
    assert.deepEqual(problems, []);
    assert.deepEqual(warnings[0], {
      policy: 'Slip',
      part: 'condition',
      message: "`activity.action` is never 'BUY'",
      hint: "it is one of '', 'CREATE', 'DELETE', 'UPDATE', 'VERIFY', 'EXPORT', 'IMPORT', 'SIGN', 'ENCRYPT'",
      line: 2,
      column: 22,
    });
    assert.equal(warnings[1].policy, 'Small');
    const near = await run('check', file({ policies: [{ ...policies[1], condition: "activity.action == 'SING'" }] }));
    assert.equal(near.code, 1, 'the service would refuse it');
    assert.match(near.out, /: 1 policy, 1 problem\n {2}Slip: condition, line 1, column 20: .*; did you mean 'SIGN'\?\n/);
    const strict = await policyCommand(['test', file({ policies, cases: [] })], Date.now(), false, true);
    assert.equal(strict.code, 1);
  });

  test('warns of session profiles that can approve nothing', async () => {
    const vote = "vote.selection == 'VOTE_SELECTION_APPROVED'";
    const scopes: [scope: string, why?: RegExp][] = [
      ["activity.kind == 'APPROVE_ACTIVITY'", /allows APPROVE_ACTIVITY, but no activity/],
      ["activity.kind in ['APPROVE_ACTIVITY', 'REJECT_ACTIVITY']", /allows APPROVE_ACTIVITY, but no activity/],
      [`activity.kind == 'APPROVE_ACTIVITY' || ${vote} && activity.kind == 'REJECT_ACTIVITY'`, /but no activity/],
      [`${vote} && activity.kind == 'SIGN_TRANSACTION'`, /does not allow APPROVE_ACTIVITY/],
      [`activity.kind == 'APPROVE_ACTIVITY' || (${vote} && activity.kind == 'SIGN_TRANSACTION')`],
      [`activity.kind == 'APPROVE_ACTIVITY' || (${vote} && eth.txs.total_value < 5)`],
      ["activity.kind in ['APPROVE_ACTIVITY', 'CREATE_WALLET']"],
      ["activity.kind == 'APPROVE_ACTIVITY' || wallets.any(w, w.id == 'x')"],
      ["activity.kind == 'CREATE_WALLET'"],
      ['true'],
    ];
    const sessionProfiles = scopes.map(([scope], i) => ({ sessionProfileName: String(i), scope }));
    const path = file({ sessionProfiles }, 'json');
    const [{ warnings }] = await report(0, 'check', path);
    const warned = new Map(warnings.map((each: { policy: string; message: string }) => [each.policy, each.message]));
    for (const [i, [scope, why]] of scopes.entries())
      if (why === undefined) assert.equal(warned.get(String(i)), undefined, scope);
      else assert.match(String(warned.get(String(i))), why, scope);
    const { text } = await command('check', path);
    assert.match(text, /: 0 policies, 10 session profiles, no problems, 4 warnings\n {2}warning: 0: scope, line 1, column 1: /);
    const [{ problems }] = await report(1, 'check', file({ sessionProfiles: [{ name: 'Wrong', scope: 'activity.kind = 1' }] }));
    assert.deepEqual([problems[0].policy, problems[0].part], ['Wrong', 'scope']);
  });

  test('refuses files that are not of this form, and says where', async () => {
    const bad: [content: unknown, text: RegExp][] = [
      ['policies: [', /yaml: .*at line 1/s],
      ['', /yaml: /],
      ['policies: {}', /policies: must be an array/],
      [{ policies: [{ name: 'x', effect: 'MAYBE' }] }, /policies\[0\]\.effect: /],
      [{ policies: [{ effect: 'DENY' }] }, /policies\[0\]\.name: is required/],
      [{ policies: [{ ...allow, conditon: 'true' }] }, /policies\[0\]: .*conditon/],
      [{ policies: [allow, allow] }, /policies\[1\]\.name: another one has the name "Two sign"/],
      [{ policies: [], cases: [base, base] }, /cases\[1\]\.name: another one has the name "case"/],
      [{ policies: [], cases: [{ ...base, wanted: 'MAYBE' }] }, /cases\[0\]\.wanted: /],
      [{ policies: [], cases: [{ ...base, approvers: [] }] }, /cases\[0\]\.approvers: /],
      [{ policies: [], cases: [{ ...base, now: 'noon' }] }, /cases\[0\]\.now: /],
      [{ policies: [], cases: [{ ...base, activity: { type: 'SIGN' } }] }, /cases\[0\]\.activity\.type: must be a type such as/],
      [
        { policies: [], cases: [{ ...base, activity: { type: SIGN, parameters: {}, params: {} } }] },
        /as clients submit them, or params/,
      ],
      [{ policies: [], cases: [{ ...base, root: { threshold: 0, userIds: [] } }] }, /cases\[0\]\.root\.threshold: /],
      [`a: &a [x]\nb: &b [${'*a,'.repeat(20)}]\nc: [${'*b,'.repeat(20)}]\npolicies: []`, /yaml: /],
    ];
    for (const [content, text] of bad) {
      await assert.rejects(command('check', file(content)), (error: Error) => {
        assert.equal(error.name, 'UsageError', String(error.stack));
        assert.match(error.message, text);
        return true;
      });
    }
  });
});

describe('countersign policy test', () => {
  test('decides as the service does', async () => {
    const deny = { name: 'No', effect: 'DENY', condition: "wallet.id == 'closed'" };
    const cases = [
      {},
      { approvers: [ann] },
      { approvers: [ann, ann] },
      { approvers: [{ id: 'eve' }] },
      { roots: { wallet: { id: 'closed' } } },
      { roots: { wallet: { id: 'other' } } },
      { roots: {} },
      { approvers: [{ id: 'r' }], root: { threshold: 1, userIds: ['r'] }, roots: {} },
      { approvers: [{ id: 'r' }], root: { threshold: 2, userIds: ['r', 's'] }, roots: {} },
    ];
    assert.deepEqual(await gots(cases, [allow, deny]), [
      'ALLOW',
      'CONSENSUS',
      'CONSENSUS',
      'DENY_IMPLICIT',
      'DENY_EXPLICIT',
      'DENY_IMPLICIT',
      'DENY_IMPLICIT',
      'ALLOW',
      'CONSENSUS',
    ]);
  });

  test('DENY is wanted of either kind; the longer names are strict', async () => {
    const denied = { approvers: [{ id: 'eve' }] };
    const passed = await results(['DENY', 'DENY_IMPLICIT', 'DENY_EXPLICIT', 'ALLOW'].map((wanted) => ({ ...denied, wanted })));
    assert.deepEqual(
      passed.map((each) => each.passed),
      [true, true, false, false],
    );
  });

  test('says what failed and why, for people and as data', async () => {
    const path = file({ policies: [allow], cases: [{ ...base, approvers: [ann] }] });
    const done = await run('test', path);
    assert.equal(done.code, 1);
    assert.equal(
      done.out,
      [
        `${path}: 1 policy, no problems`,
        '  FAIL  case: wanted ALLOW, got CONSENSUS',
        '        Two sign (ALLOW): REQUIRES_CONSENSUS',
        "          consensus, line 1, column 1: approvers.filter(u, u.tags.contains('ops')).count() >= 2 is false",
        '            approvers is [{"id":"ann","tags":["ops"],"email":"","alias":""}]',
        '1 case, 0 passed, 1 failed',
        '',
      ].join('\n'),
    );
    const [{ cases }] = await report(1, 'test', path);
    const [policy] = cases[0].policies;
    assert.deepEqual([cases[0].got, cases[0].passed, policy.outcome], ['CONSENSUS', false, 'OUTCOME_REQUIRES_CONSENSUS']);
    assert.deepEqual(policy.failedClause, { part: 'consensus', text: allow.consensus, line: 1, column: 1, result: 'false' });
    assert.deepEqual(policy.values[1], { part: 'condition', path: 'wallet.id', value: '"w"' });
    const data = await run('test', path, '--json');
    assert.deepEqual([data.code, JSON.parse(data.out)[0].cases], [1, cases]);
    const [broken] = await results([{ roots: {} }]);
    assert.equal(broken.policies[0].failedClause.result, 'error');
    const errors = await results(
      [{ roots: { wallet_account: { path_indexes: [] } } }],
      [{ name: 'Fails', effect: 'ALLOW', condition: 'wallet_account.path_indexes[3] == 0' }],
    );
    assert.equal(errors[0].policies[0].outcome, 'OUTCOME_ERROR');
    assert.match(errors[0].policies[0].reason, /^condition: .*\(line 1, column 1\)$/);
  });

  test('takes what parameters show, by the rules of a submit', async () => {
    const payload = JSON.stringify({
      types: { EIP712Domain: [{ name: 'verifyingContract', type: 'address' }], Note: [{ name: 'amount', type: 'uint256' }] },
      primaryType: 'Note',
      domain: { verifyingContract: `0x${'ab'.repeat(20)}` },
      message: { amount: '77' },
    });
    const parameters = { signWith: 'key', payload, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' };
    const condition = [
      "activity.params.encoding == 'PAYLOAD_ENCODING_EIP712' && activity.kind == 'SIGN_RAW_PAYLOAD'",
      `eth.eip_712.domain.verifying_contract == '0x${'AB'.repeat(20)}' && eth.eip_712.message['amount'] == 77`,
    ].join(' && ');
    const policies = [{ name: 'Typed', effect: 'ALLOW', condition }];
    const batch = { type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS' };
    const { payload: _, ...rest } = parameters;
    const decided = await results(
      [
        { activity: { type: SIGN, parameters } },
        { activity: { type: SIGN, parameters: { ...parameters, payload: payload.replace('77', '78') } } },
        { activity: { type: SIGN, parameters: { ...parameters, payload: 7 } } },
        { activity: { type: SIGN, params: { encoding: 'PAYLOAD_ENCODING_EIP712' } } },
        { activity: { ...batch, parameters: { ...rest, payloads: [payload, payload.replace('77', '78')] } }, roots: {} },
        { activity: { ...batch, parameters: { ...rest, payloads: [payload] } }, roots: [{}, {}] },
      ],
      [{ ...policies[0]!, condition: condition.replace("activity.kind == 'SIGN_RAW_PAYLOAD'", "activity.action == 'SIGN'") }],
    );
    assert.deepEqual(
      decided.map(({ got }) => got),
      ['ALLOW', 'DENY_IMPLICIT', 'ERROR', 'DENY_IMPLICIT', 'DENY_IMPLICIT', 'ERROR'],
    );
    assert.match(decided[2].problem, /parameters\.payload/);
    assert.equal(decided[4].element, 1);
    assert.match(decided[5].problem, /roots has 2 elements, but the parameters have 1/);
  });

  test('reads the properties of secrets from an import, and fails without those of an export', async () => {
    const encryptionSuite = 'TRANSPORT_ENCRYPTION_SUITE_ENCLAVE_ENCRYPT_V1';
    const secret = (more: object) => ({ ...more, encryptionSuite, targetPublicKey: '04' });
    const imports = (...kinds: string[]) => ({
      type: 'ACTIVITY_TYPE_IMPORT_SECRETS',
      parameters: {
        secrets: kinds.map((value) => secret({ secretPayload: '{}', staticProperties: [{ key: 'kind', value }] })),
      },
    });
    const exports = {
      type: 'ACTIVITY_TYPE_EXPORT_SECRETS',
      parameters: { secrets: [secret({ secretId: '00000000-0000-7000-8000-000000000001' })] },
    };
    const tokens = { name: 'All', effect: 'ALLOW', condition: "activity.resource == 'SECRET'" };
    const cards = { name: 'No cards', effect: 'DENY', condition: "secret.static_properties['kind'] == 'card'" };
    const roots = { secret: { static_properties: { kind: 'token' } } };
    const cases = [{ activity: imports('token') }, { activity: imports('token', 'card') }, { activity: exports }];
    const decided = await gots([...cases.map((each) => ({ ...each, roots: {} })), { activity: exports, roots }], [tokens, cards]);
    assert.deepEqual(decided, ['ALLOW', 'DENY_EXPLICIT', 'DENY_EXPLICIT', 'ALLOW']);
  });

  test('what parameters name and the case does not give is absent', async () => {
    const deny = { name: 'Not this key', effect: 'DENY', condition: "private_key.id == 'x'" };
    const parameters = {
      signWith: 'w1',
      payload: '00',
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    };
    const roots = { wallet: { id: 'w' } };
    const shown = { type: SIGN, params: { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' } };
    const cases = [{ type: SIGN, parameters }, shown].map((activity) => ({ activity, roots, approvers: [ann, ben] }));
    assert.deepEqual(await gots(cases, [allow, deny]), ['ALLOW', 'ALLOW']);
  });

  test('a case that gives what cannot be is an error, and says which', async () => {
    const cases: [object, RegExp][] = [
      [{ roots: { walet: {} } }, /roots has no walet; a case can give wallet, /],
      [{ roots: { activity: {} } }, /roots has no activity/],
      [{ roots: { wallet: { name: 'x' } } }, /roots\.wallet has no field name; it has id, imported, exported, label/],
      [{ roots: { wallet: { id: 7 } } }, /roots\.wallet\.id must be a string/],
      [{ roots: { wallet: 'w' } }, /roots\.wallet must be a Wallet/],
      [{ roots: { wallets: { id: 'w' } } }, /roots\.wallets must be a list/],
      [{ roots: { 'eth.tx': { value: '5' } } }, /roots\.eth\.tx\.value must be an integer/],
      [{ activity: { type: SIGN, params: { hashing: 'x' } } }, /activity\.params has no field hashing/],
      [
        { activity: { type: 'ACTIVITY_TYPE_OF_TOMORROW' } },
        /unknown to this version: also give activity\.resource and activity\.action/,
      ],
      [{ activity: { type: SIGN, action: 'CREATE' } }, /activity\.action of .* is 'SIGN', not 'CREATE'/],
      [{ activity: { type: 'ACTIVITY_TYPE_OF_TOMORROW', resource: 'X', action: 'Y', parameters: {} } }, /give activity\.params/],
    ];
    for (const [i, each] of (await results(cases.map(([given]) => given))).entries()) {
      assert.equal(each.got, 'ERROR', JSON.stringify(cases[i]![0]));
      assert.equal(each.passed, false);
      assert.match(each.problem, cases[i]![1]);
    }
    const unquoted = await command(
      'test',
      file(
        `policies: []\ncases:\n  - { name: x, activity: { type: ${SIGN} }, approvers: [{ id: a }], wanted: DENY, roots: { eth.tx: { to: 0x11 } } }\n`,
      ),
    );
    assert.match(unquoted.text, /roots\.eth\.tx\.to must be a string: put it in quotes/);
  });

  test('integers may have any size', async () => {
    const most = 2n ** 256n - 1n;
    const text = (value: bigint) => `policies:
  - { name: Most, effect: ALLOW, condition: eth.tx.value == ${most} }
cases:
  - { name: x, activity: { type: ${SIGN} }, approvers: [{ id: a }], wanted: ALLOW, roots: { eth.tx: { value: ${value} } } }
`;
    assert.equal((await command('test', file(text(most)))).code, 0);
    const less = await command('test', file(text(most - 1n)));
    assert.equal(less.code, 1);
    assert.ok(less.text.includes(`eth.tx.value is ${most - 1n}\n`), less.text);
  });

  test('has a clock', async () => {
    const policies = [{ ...allow, time: "CronSpan('0 9 * * 1-5', '8h', 'Europe/Paris')" }];
    const at = (now: string) => ({ now });
    assert.deepEqual(
      await gots([at('2026-03-02T08:00:00Z'), at('2026-03-02T16:00:00Z'), at('2026-03-02T09:30:00+01:00')], policies),
      ['ALLOW', 'DENY_IMPLICIT', 'ALLOW'],
    );
    const [now] = await results([{}], [{ ...allow, time: "time.now > Timestamp('2020-01-01T00:00:00Z')" }]);
    assert.equal(now.got, 'ALLOW');
  });

  test('knows the allowance for own credentials, what is for root users only, and credentials of approvers', async () => {
    const apiKeys = [{ apiKeyName: 'k', publicKey: `02${'11'.repeat(32)}`, curveType: 'API_KEY_CURVE_P256' }];
    const userId = '00000000-0000-7000-8000-000000000001';
    const create = { type: 'ACTIVITY_TYPE_CREATE_API_KEYS_V2', parameters: { userId, apiKeys } };
    const quorum = { type: 'ACTIVITY_TYPE_UPDATE_ROOT_QUORUM' };
    const anything = [{ name: 'Anything', effect: 'ALLOW' }];
    const passkey = { id: 'p', credentials: [{ type: 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR' }] };
    const byPasskey = [
      { name: 'Passkey', effect: 'ALLOW', consensus: "credentials.any(c, c.type == 'CREDENTIAL_TYPE_WEBAUTHN_AUTHENTICATOR')" },
    ];
    assert.deepEqual(await gots([{ activity: create, approvers: [{ id: userId }] }, { activity: create }], []), [
      'ALLOW',
      'DENY_IMPLICIT',
    ]);
    const shown = { type: create.type, params: { user_id: 'ann' } };
    assert.deepEqual(
      await gots(
        [
          { activity: shown, approvers: [ann] },
          { activity: shown, approvers: [{ id: 'eve' }] },
        ],
        [],
      ),
      ['ALLOW', 'DENY_IMPLICIT'],
    );
    const imports = { type: 'ACTIVITY_TYPE_INIT_IMPORT_WALLET', parameters: { userId } };
    const root = { userIds: ['ann', userId] };
    const [others, own] = await results([
      { activity: imports, root },
      { activity: imports, root, approvers: [{ id: userId }, ann] },
    ]);
    assert.deepEqual([others.got, own.got, own.reason], ['DENY_EXPLICIT', 'ALLOW', undefined]);
    assert.match(others.reason, /^Users import for themselves/);
    const vote = { activity: { type: 'ACTIVITY_TYPE_APPROVE_ACTIVITY' } };
    const barred = [{ name: 'No', effect: 'DENY', condition: "activity.type == 'ACTIVITY_TYPE_APPROVE_ACTIVITY'" }];
    assert.deepEqual(
      [await gots([vote], [{ name: 'All', effect: 'DENY' }]), await gots([vote], barred)],
      [['ALLOW'], ['DENY_EXPLICIT']],
    );
    assert.deepEqual(await gots([{ activity: quorum }, {}], anything), ['DENY_IMPLICIT', 'ALLOW']);
    assert.deepEqual(await gots([{ approvers: [passkey] }, { approvers: [ann] }], byPasskey), ['ALLOW', 'DENY_IMPLICIT']);
  });
});

test('a wrong shape of a file is reported in plain words', async () => {
  const unnamed = (await run('check', file({ policies: [{ nam: 'any', effect: 'ALLOW' }] }))).err;
  assert.match(unnamed, /: policies\[0\]: has no member "nam"$/m);
  assert.match(unnamed, /: policies\[0\]\.name: is required$/m);
  const { err } = await run('check', file({ policies: [{ name: 'any', effect: 'Allow', condition: true }] }));
  assert.match(err, /: policies\[0\]\.effect: must be EFFECT_ALLOW or EFFECT_DENY or ALLOW or DENY$/m);
  assert.match(err, /: policies\[0\]\.condition: must be a string, not true$/m);
  assert.match((await run('check', file({ policy: [] }))).err, /: policies: is required \(an array\)$/m);
  assert.match((await run('check', file(''))).err, /\.yaml: must be an object, not null$/m);
});
