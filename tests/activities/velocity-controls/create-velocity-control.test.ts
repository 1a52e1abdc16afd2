import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import { NOBODY, refused } from '../../support/refusals.ts';
import { policyFor } from '../mfa-policies/support.ts';
import { refusedToNobody, sharedPair, waitsForBoth } from '../support.ts';
import { aggregation, method, operator, transfers, USDC, velocityControl } from './support.ts';

const { instance, pair } = await sharedPair();
const TYPE = 'CREATE_VELOCITY_CONTROL';

let made = 0;
const fresh = (more: object = {}) => velocityControl({ identifier: `limit_${++made}`, ...more });

async function create(parameters: object) {
  const { velocityControlId } = resultOf(await instance.root.submit(TYPE, parameters), 'createVelocityControlResult');
  return (await instance.root.query('get_velocity_control', { velocityControlId })).body.velocityControl;
}

test('a control is shown as it was declared, and waits for both root users', async () => {
  const scope = { userIds: [(await instance.root.query('whoami')).body.userId] };
  const countersign = { enforcement: 'ALWAYS', unreadable: 'REFUSE', groupBy: 'signer', scope };
  const declared = fresh({ countersign, dataSource: transfers({ phase: { signature: {} } }) });
  const shown = await create(declared);
  const { velocityControlId, organizationId, createdAt, updatedAt, ...rest } = shown;
  assert.deepEqual(rest, declared);
  assert.equal(organizationId, instance.root.organizationId);
  assert.deepEqual([typeof velocityControlId, createdAt], ['string', updatedAt]);
  await waitsForBoth(pair, TYPE, fresh(), 'createVelocityControlResult');
  await refusedToNobody(instance, TYPE, fresh());
});

test('the assets of each served namespace are accepted, with thresholds of 38 digits', async () => {
  const coins = ['eip155:1/slip44:60', 'solana:mainnet/slip44:501', 'bip122:000000000019d6689c085ae165831e93/slip44:0'];
  const tokens = [
    'solana:mainnet/token:EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
    'tron:0x2b6653dc/slip44:195',
    'tron:0x2b6653dc/trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  ];
  const decimals: Record<string, string> = { eip155: '18', solana: '9', bip122: '8', tron: '6' };
  const definition = [...coins, ...tokens].map((caip19) => ({ caip19, decimals: decimals[caip19.split(':')[0]!] }));
  const threshold = `${'9'.repeat(20)}.${'1'.repeat(18)}`;
  const shown = await create(
    fresh({ dataSource: { chainAssetTransfer: { definition } }, aggregation: aggregation({ threshold }) }),
  );
  assert.equal(shown.aggregation.threshold, threshold);
});

test('wrong decimals of a native coin are accepted with a warning', async () => {
  const definition = [{ caip19: 'eip155:1/slip44:60', decimals: '6' }];
  const answer = await instance.root.submit(TYPE, fresh({ dataSource: { chainAssetTransfer: { definition } } }));
  assert.equal(answer.status, 200, answer.text);
  assert.match(decodeURIComponent(answer.headers.get('x-warnings') ?? ''), /VELOCITY_DECIMALS.*has 18 decimals, not 6/);
});

test('a condition that leaves out the fee of Bitcoin is accepted with a warning, and others without', async () => {
  const bitcoin = 'bip122:000000000019d6689c085ae165831e93/slip44:0';
  const warnings = async (condition: string, caip19: string, decimals: string) => {
    const dataSource = { chainAssetTransfer: { definition: [{ caip19, decimals }] } };
    const answer = await instance.root.submit(TYPE, fresh({ dataSource, countersign: { condition } }));
    assert.equal(answer.status, 200, answer.text);
    return decodeURIComponent(answer.headers.get('x-warnings') ?? '');
  };
  for (const condition of ["transfer.kind == 'transfer'", "transfer.kind != 'fee' && transfer.amount > 5"])
    assert.match(await warnings(condition, bitcoin, '8'), /VELOCITY_FEE.*condition: leaves out the fee, so any amount of bip122/);
  assert.equal(await warnings("transfer.kind != 'approval'", bitcoin, '8'), '');
  assert.equal(await warnings("transfer.recipient != 'bc1q9vza2e8x573nczrlzms0wvx3gsqjx7vavgkx0l'", bitcoin, '8'), '');
  assert.equal(await warnings("transfer.kind == 'transfer'", 'eip155:1/slip44:60', '18'), '');
});

const defined = (...assets: [caip19: string, decimals?: string][]) => ({
  chainAssetTransfer: { definition: assets.map(([caip19, decimals = '6']) => ({ caip19, decimals })) },
});
const filtered = (source: string, activityType: string, more: object = {}) => ({
  [source]: { ...more, filter: { activity: [{ activityType }] } },
});
const executions = { activityExecution: {} };
const ofUsers = filtered('activityExecution', 'ACTIVITY_TYPE_CREATE_USERS_V4');
const counts = aggregation({ method: method('COUNT') });
const token = `eip155:8453/erc20:${USDC}`;

const REFUSED: [what: string, more: object, text: RegExp][] = [
  ['an identifier that begins with a capital', { identifier: 'Usdc' }, /identifier: must begin with a lower-case letter/],
  ['an identifier of 64 characters', { identifier: 'a'.repeat(64) }, /at most 63/],
  ['an operator of the language', { identifier: 'in' }, /identifier: must not be a word of the policy language: in is one/],
  ['a root of the language', { identifier: 'wallet' }, /must not be a word of the policy language/],
  ['a function of the language', { identifier: 'count' }, /must not be a word of the policy language/],
  [
    'another namespace',
    { dataSource: defined(['cosmos:hub/slip44:118']) },
    /must name an asset in one of these forms: eip155:8453\/slip44:60, /,
  ],
  ['a wrong mint', { dataSource: defined([`solana:mainnet/token:${'1'.repeat(44)}`]) }, /must name an asset/],
  [
    'the same contract in capitals',
    { dataSource: defined([token], [`eip155:8453/erc20:0x${USDC.slice(2).toUpperCase()}`]) },
    /definition\[1\]\.caip19: must be another asset than that of definition\[0\]/,
  ],
  [
    'a coin and the token that it is too',
    {
      dataSource: defined(
        ['eip155:42220/slip44:60', '18'],
        ['eip155:42220/erc20:0x471ece3750da237f93b8e339c536989b8978a438', '18'],
      ),
    },
    /must be another asset than that of definition\[0\]/,
  ],
  ['256 decimals', { dataSource: defined([token, '256']) }, /decimals: must be a whole number from 0 to 255/],
  [
    '39 digits',
    { aggregation: aggregation({ threshold: '9'.repeat(39) }) },
    /threshold: must be a decimal number of at most 38 digits/,
  ],
  [
    '19 digits after the point',
    { aggregation: aggregation({ threshold: `1.${'1'.repeat(19)}` }) },
    /threshold: must be a decimal number/,
  ],
  [
    'a window of 59 s',
    { aggregation: aggregation({ window: { rolling: { duration: '59' } } }) },
    /duration: must be a whole number of seconds from 60/,
  ],
  ['a window of 367 days', { aggregation: aggregation({ window: { rolling: { duration: String(367 * 86_400) } } }) }, /366 days/],
  [
    'two windows',
    { aggregation: aggregation({ window: { rolling: { duration: '60' }, infinite: {} } }) },
    /window: must have exactly one of rolling, infinite/,
  ],
  [
    'two data sources',
    { dataSource: { ...transfers(), ...executions } },
    /dataSource: must have exactly one of chainAssetTransfer, activityExecution/,
  ],
  ['an unknown member', { limit: 1 }, /limit/],
  ['an unknown member below', { aggregation: aggregation({ per: 'day' }) }, /per/],
  ['an unknown addition', { countersign: { enforced: true } }, /enforced/],
  [
    'a type that is not served',
    { dataSource: filtered('activityExecution', 'ACTIVITY_TYPE_EXECUTE_SWAP'), aggregation: counts },
    /activityType: must be the type of an activity that is served here/,
  ],
  [
    'a type that signs nothing',
    { dataSource: filtered('chainAssetTransfer', 'ACTIVITY_TYPE_CREATE_USERS_V4', transfers().chainAssetTransfer) },
    /must be an activity that signs: SIGN_TRANSACTION, /,
  ],
  [
    'the type that sends what was signed before',
    { dataSource: filtered('chainAssetTransfer', 'ACTIVITY_TYPE_ETH_SEND_RAW_TRANSACTION', transfers().chainAssetTransfer) },
    /sends what was signed before, and counts in the phase submission/,
  ],
  ['sums of activities', { dataSource: executions }, /method: must be VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT/],
  [
    'ALWAYS above a threshold',
    { aggregation: aggregation({ operator: operator('GREATER_THAN') }), countersign: { enforcement: 'ALWAYS' } },
    /operator: must be VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN or/,
  ],
  [
    'an own window beside a rolling one',
    { countersign: { window: { transaction: {} } } },
    /window: must be \{ "infinite": \{\} \}/,
  ],
  [
    'no zone',
    {
      aggregation: aggregation({ window: { infinite: {} } }),
      countersign: { window: { calendar: { unit: 'day', zone: 'Mars/Base' } } },
    },
    /zone: must be a zone of the IANA database/,
  ],
  [
    'a condition with a mistake',
    { countersign: { condition: "activity.kind == 'X' &&\n  transfer.recipent == 'x'" } },
    /field does not exist: recipent \(line 2, column 12\)/,
  ],
  ['a condition of a policy alone', { countersign: { condition: 'controls.x' } }, /there is no `controls` \(line 1, column 1\)/],
  [
    'a condition of activities',
    { dataSource: executions, aggregation: counts, countersign: { condition: 'true' } },
    /countersign\.condition: must be left out/,
  ],
  [
    'a removal after more than 30 days',
    { countersign: { removalDelay: '2592001' } },
    /removalDelay: must be a whole number of seconds, at most 2592000/,
  ],
  [
    'fees that are counted as transfers',
    { aggregation: counts, countersign: { fees: true } },
    /countersign\.fees: must be false with/,
  ],
  ['fees by recipient', { countersign: { fees: true, groupBy: 'recipient' } }, /a fee has no recipient/],
  [
    'groups of recipients of activities',
    { dataSource: executions, aggregation: counts, countersign: { groupBy: 'recipient' } },
    /countersign\.groupBy: must not be recipient/,
  ],
  [
    'a scope of keys for activities that name none',
    { dataSource: ofUsers, aggregation: counts, countersign: { scope: { userIds: [NOBODY], walletIds: [NOBODY] } } },
    /countersign\.scope\.walletIds: must be left out: no activity of the filter uses or names a key/,
  ],
  [
    'a limit of every signer for activities that no limit stops',
    {
      dataSource: filtered('activityExecution', 'ACTIVITY_TYPE_DELETE_POLICY'),
      aggregation: counts,
      countersign: { enforcement: 'ALWAYS' },
    },
    /countersign\.enforcement: must not be ALWAYS: such a control covers no activity of its filter/,
  ],
];

for (const [what, more, text] of REFUSED)
  test(`${what}: refused`, async () => {
    refused(await instance.root.submit(TYPE, fresh(more)), [400, 'REQUEST_INVALID', text]);
  });

const everything = () => {
  const filter = { activity: [{ activityType: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' }] };
  const calendar = { unit: 'day', zone: 'UTC' };
  return {
    ...fresh(),
    dataSource: transfers({ filter, phase: { signature: {} } }),
    aggregation: aggregation({ window: { infinite: {} }, groupBy: { wallet: {} } }),
    countersign: { window: { calendar }, scope: { userIds: [instance.credentials.userId] } },
  };
};

/** Every object of a body, by its path. */
function objectsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [];
  const inside = Object.entries(value).flatMap(([key, one]) => objectsIn(one, [...path, key]));
  return Array.isArray(value) ? inside : [path, ...inside];
}

test('an unknown member is refused anywhere in the body', async () => {
  await create(everything());
  const paths = objectsIn(everything());
  assert.ok(paths.length > 15, `${paths.length} objects`);
  for (const path of paths) {
    const parameters = everything();
    const place = path.reduce<Record<string, unknown>>((at, key) => at[key] as Record<string, unknown>, parameters);
    place.mistyped = {};
    refused(await instance.root.submit(TYPE, parameters), [400, 'REQUEST_INVALID', /mistyped|must have exactly one of/]);
  }
});

test('an identifier that is taken, and scopes that name nothing, are refused', async () => {
  const control = fresh();
  await create(control);
  refused(await instance.root.submit(TYPE, control), [400, 'REQUEST_INVALID', /identifier: must be unique/]);
  for (const member of ['walletIds', 'privateKeyIds', 'userIds', 'userTagIds'])
    refused(await instance.root.submit(TYPE, fresh({ countersign: { scope: { [member]: [NOBODY] } } })), [
      404,
      'UNSPECIFIED',
      new RegExp(`scope.${member} names ${NOBODY}`),
    ]);
});

test('a scope of keys is accepted if any activity of the filter signs with a key or names one', async () => {
  const made = await instance.root.submit('CREATE_WALLET', { walletName: 'Scoped', accounts: [ethereumAccount()] });
  const { walletId } = resultOf(made, 'createWalletResult');
  const others = [{ activityType: 'ACTIVITY_TYPE_EXPORT_WALLET' }, { activityType: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' }];
  for (const other of others) {
    const activity = [{ activityType: 'ACTIVITY_TYPE_CREATE_USERS_V4' }, other];
    const dataSource = { activityExecution: { filter: { activity } } };
    await create(fresh({ dataSource, aggregation: counts, countersign: { scope: { walletIds: [walletId] } } }));
  }
});

test('a user who may edit policies may not create controls', async () => {
  const { client, userId } = await instance.newUser('Editor');
  const policy = {
    policyName: 'Editors',
    effect: 'EFFECT_ALLOW',
    consensus: `approvers.any(u, u.id == '${userId}')`,
    condition: "activity.resource == 'POLICY'",
    notes: '',
  };
  resultOf(await instance.root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  const own = { ...policy, policyName: 'Own', condition: "activity.resource == 'VELOCITY_CONTROL'" };
  refused(await client.submit(TYPE, fresh()), [403, 'REQUEST_NOT_AUTHORIZED', /permissions/]);
  resultOf(await instance.root.submit('CREATE_POLICY_V3', own), 'createPolicyResult');
  assert.equal((await client.submit(TYPE, fresh())).status, 200);
});

test('a policy that names an unknown control is refused with its place; so are scopes and MFA conditions that name one', async () => {
  const policy = {
    policyName: 'Unknown',
    effect: 'EFFECT_ALLOW',
    condition: "activity.action == 'SIGN' &&\n  controls.nothing",
    notes: '',
  };
  const text = /there is no velocity control `nothing` \(line 2, column 12\); create it with CREATE_VELOCITY_CONTROL first/;
  refused(await instance.root.submit('CREATE_POLICY_V3', policy), [400, 'REQUEST_INVALID', text]);
  const profile = { sessionProfileName: 'S', scope: 'controls.nothing' };
  refused(await instance.root.submit('CREATE_SESSION_PROFILE', profile), [
    400,
    'REQUEST_INVALID',
    /`controls` can be used only in policies/,
  ]);
  const mfaPolicy = policyFor(instance.credentials.userId, { condition: 'controls.nothing' });
  refused(await instance.root.submit('CREATE_MFA_POLICY', mfaPolicy), [
    400,
    'REQUEST_INVALID',
    /`controls` can be used only in policies/,
  ]);
  const { identifier } = await create(fresh());
  const known = { ...policy, condition: `controls.${identifier}` };
  const { policyId } = resultOf(await instance.root.submit('CREATE_POLICY_V3', known), 'createPolicyResult');
  const change = { policyId, policyCondition: '!controls.nothing' };
  refused(await instance.root.submit('UPDATE_POLICY_V2', change), [
    400,
    'REQUEST_INVALID',
    /there is no velocity control `nothing`/,
  ]);
});
