import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { encodeFunctionData, erc20Abi, maxUint256, parseAbi, serializeTransaction } from 'viem';
import { newPair } from '../activities/support.ts';
import { signWei, weiControl } from '../activities/velocity-controls/spends.ts';
import { aggregation, method, transfers, USDC, velocityControl } from '../activities/velocity-controls/support.ts';
import { type Client, ethereumAccount, newKeys, resultOf, userWith } from '../support/client.ts';
import { type Instance, sharedInstance } from '../support/instance.ts';
import { refused } from '../support/refusals.ts';

const instance: Instance = await sharedInstance();
const SIGN = 'SIGN_TRANSACTION_V2';
const ALWAYS = { countersign: { enforcement: 'ALWAYS' } };

/** An organization of its own for each test, with a wallet of two accounts. */
type Place = { client: Client; walletId: string; addresses: readonly [string, string] };

let places = 0;

async function newPlace(): Promise<Place> {
  const { clients } = await instance.newSubOrganization(`Place ${++places}`, 1, 1);
  const accounts = [ethereumAccount(0), ethereumAccount(1)];
  const made = resultOf(await clients[0]!.submit('CREATE_WALLET', { walletName: 'W', accounts }), 'createWalletResult');
  return { client: clients[0]!, walletId: made.walletId, addresses: made.addresses };
}

async function control({ client }: Pick<Place, 'client'>, parameters: object): Promise<string> {
  return resultOf(await client.submit('CREATE_VELOCITY_CONTROL', parameters), 'createVelocityControlResult').velocityControlId;
}

const signs = async ({ client }: Pick<Place, 'client'>, parameters: object, type = SIGN): Promise<void> => {
  const answer = await client.submit(type, parameters);
  assert.equal(answer.status, 200, answer.text);
};

const EXCEEDED = /^velocity control \w+: \S+ asked, \S+ left of /;
const exceeds = async ({ client }: Pick<Place, 'client'>, parameters: object, text = EXCEEDED, type = SIGN) =>
  refused(await client.submit(type, parameters), [403, 'UNSPECIFIED', text]);

let one: Place;
before(async () => {
  one = await newPlace();
});

test('a refusal says what is left and when there is room; then there is, and the refused body stays refused', async () => {
  const place = await newPlace();
  await control(place, weiControl('hourly', 10n, ALWAYS, { window: { rolling: { duration: '3600' } } }));
  const [address] = place.addresses;
  await signs(place, signWei(address, 7n));
  const body = place.client.bodyOf(SIGN, signWei(address, 4n));
  const path = '/public/v1/submit/sign_transaction';
  const answer = await place.client.send(path, body);
  const [, detail, own] = answer.body.details;
  const { roomAt, velocityControlId, ...rest } = detail;
  assert.deepEqual(rest, {
    '@type': 'type.googleapis.com/countersign.v1.VelocityDetail',
    identifier: 'hourly',
    bucket: '',
    asked: '0.000000000000000004',
    left: '0.000000000000000003',
    threshold: '0.00000000000000001',
  });
  assert.equal(own.code, 'VELOCITY_CONTROL_EXCEEDED');
  assert.match(answer.body.message, new RegExp(`room for it at ${roomAt} if nothing else is counted`));
  const left = Date.parse(roomAt) - instance.clock.now();
  assert.ok(left > 0 && left <= 3_640_000, String(left));
  await exceeds(place, signWei(address, 11n), /there never is room for it/);
  instance.clock.advance(left);
  await signs(place, signWei(address, 4n));
  assert.equal((await place.client.send(path, body)).status, 403);
  assert.equal(typeof velocityControlId, 'string');
});

test('the same body counts once', async () => {
  const place = await newPlace();
  await control(place, weiControl('once', 10n, ALWAYS));
  const body = place.client.bodyOf(SIGN, signWei(place.addresses[0], 6n));
  for (let i = 0; i < 3; i++) assert.equal((await place.client.send('/public/v1/submit/sign_transaction', body)).status, 200);
  await signs(place, signWei(place.addresses[0], 4n));
});

test('an approval that would complete an activity beyond a control is refused itself, and the activity waits on', async () => {
  const pair = await newPair(instance, 'Velocity pair');
  const [first, second] = pair.clients;
  const both = async (type: string, parameters: object, key: string) => {
    const body = first.bodyOf(type, parameters);
    const path = `/public/v1/submit/${type.toLowerCase().replace(/_v\d$/, '')}`;
    await first.send(path, body);
    return resultOf(await second.send(path, body), key);
  };
  const { addresses } = await both('CREATE_WALLET', { walletName: 'W', accounts: [ethereumAccount()] }, 'createWalletResult');
  const { velocityControlId } = await both(
    'CREATE_VELOCITY_CONTROL',
    weiControl('small', 5n, ALWAYS),
    'createVelocityControlResult',
  );
  const { activity } = (await first.submit(SIGN, signWei(addresses[0], 6n))).body;
  const approval = await second.submit('APPROVE_ACTIVITY', { fingerprint: activity.fingerprint });
  refused(approval, [403, 'UNSPECIFIED', EXCEEDED]);
  const { activityId } = approval.body.details.at(-1);
  assert.equal((await first.query('get_activity', { activityId })).body.activity.status, 'ACTIVITY_STATUS_FAILED');
  const waiting = (await first.query('get_activity', { activityId: activity.id })).body.activity;
  assert.deepEqual([waiting.status, waiting.votes.length], ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 1]);
  await both('DELETE_VELOCITY_CONTROL', { velocityControlId }, 'deleteVelocityControlResult');
  const done = await second.submit('APPROVE_ACTIVITY', { fingerprint: activity.fingerprint });
  assert.equal(done.status, 200, done.text);
});

test('step-up: within the limit one user signs, beyond it two must agree, and a third who may not is refused', async () => {
  const place = await newPlace();
  const { client } = place;
  await control(place, weiControl('small', 10n));
  const users: Client[] = [];
  for (const name of ['A', 'B']) users.push(await userIn(client, name));
  const policy = (policyName: string, condition: string, consensus: string) =>
    client.submit('CREATE_POLICY_V3', { policyName, effect: 'EFFECT_ALLOW', condition, consensus, notes: '' });
  assert.equal((await policy('within', 'controls.small', 'approvers.count() >= 1')).status, 200);
  assert.equal((await policy('beyond', "activity.action == 'SIGN'", 'approvers.count() >= 2')).status, 200);
  const [a, b] = users as [Client, Client];
  await signs({ client: a }, signWei(place.addresses[0], 9n));
  const { activity } = (await a.submit(SIGN, signWei(place.addresses[0], 9n))).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const approved = await b.submit('APPROVE_ACTIVITY', { fingerprint: activity.fingerprint });
  assert.equal(approved.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', approved.text);
  // It counts, whatever allowed it.
  const { activity: third } = (await a.submit(SIGN, signWei(place.addresses[0], 1n))).body;
  assert.equal(third.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
});

async function userIn(client: Client, name: string): Promise<Client> {
  const keys = newKeys();
  resultOf(await client.submit('CREATE_USERS_V4', { users: [{ ...userWith(name, [keys]), userTags: [] }] }), 'createUsersResult');
  return client.as(keys, client.organizationId);
}

test('a denial by a policy names the control, and one for another reason does not', async () => {
  const place = await newPlace();
  const { client } = place;
  await control(place, weiControl('limit', 10n));
  const user = { client: await userIn(client, 'Agent') };
  const allow = {
    policyName: 'A',
    effect: 'EFFECT_ALLOW',
    condition: 'controls.limit && eth.tx.value < 100',
    consensus: 'true',
    notes: '',
  };
  resultOf(await client.submit('CREATE_POLICY_V3', allow), 'createPolicyResult');
  await exceeds(user, signWei(place.addresses[0], 11n));
  refused(await user.client.submit(SIGN, signWei(place.addresses[0], 101n)), [403, 'REQUEST_NOT_AUTHORIZED', /permissions/]);
  const digest = {
    signWith: place.addresses[0],
    payload: '00',
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_KECCAK256',
  };
  refused(await user.client.submit('SIGN_RAW_PAYLOAD_V2', digest), [403, 'REQUEST_NOT_AUTHORIZED', /permissions/]);
  refused(await user.client.submit('EXPORT_WALLET', { walletId: place.walletId, targetPublicKey: `04${'11'.repeat(64)}` }), [
    403,
    'REQUEST_NOT_AUTHORIZED',
    /permissions/,
  ]);
});

test('what a control does not cover is allowed by no condition on it', async () => {
  const place = await newPlace();
  await control(place, weiControl('limit', 10n));
  const user = await userIn(place.client, 'Agent');
  const made: string[] = [];
  for (const [i, condition] of ['controls.limit', '!controls.limit', 'controls.limit == false'].entries()) {
    const policy = { policyName: `P${i}`, effect: 'EFFECT_ALLOW', condition, consensus: 'true', notes: '' };
    made.push(resultOf(await place.client.submit('CREATE_POLICY_V3', policy), 'createPolicyResult').policyId);
  }
  const exports = { walletId: place.walletId, targetPublicKey: `04${'11'.repeat(64)}` };
  const users = { users: [{ ...userWith('Other', [newKeys()]), userTags: [] }] };
  for (const [type, parameters] of [
    ['EXPORT_WALLET', exports],
    ['CREATE_USERS_V4', users],
    ['DELETE_POLICY', { policyId: made[0] }],
  ] as const)
    refused(await user.submit(type, parameters), [403, 'REQUEST_NOT_AUTHORIZED', /permissions/]);
});

test('groups: a wallet, a key beside it, a user and a signer have counters of their own', async () => {
  const place = await newPlace();
  const { client, addresses } = place;
  await control(place, weiControl('of_wallet', 10n, ALWAYS, { groupBy: { wallet: {} } }));
  await control(place, weiControl('of_signer', 8n, { countersign: { enforcement: 'ALWAYS', groupBy: 'signer' } }));
  const privateKeys = [
    { privateKeyName: 'K', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: ['ADDRESS_FORMAT_ETHEREUM'] },
  ];
  const made = resultOf(await client.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys }), 'createPrivateKeysResultV2');
  const key = made.privateKeys[0];
  await signs(place, signWei(addresses[0], 7n));
  await exceeds(place, signWei(addresses[0], 2n), /control of_signer: \S+2 asked, \S+1 left .* for signer \/0/);
  await exceeds(place, signWei(addresses[1], 4n), new RegExp(`control of_wallet: .* for wallet ${place.walletId}`));
  await signs(place, signWei(key.addresses[0].address, 7n));
  await exceeds(place, signWei(key.privateKeyId, 4n), new RegExp(`control of_wallet: .* for wallet ${key.privateKeyId}`));
});

test('executed activities are counted by user and kind, in all versions, and failed ones are not', async () => {
  const place = await newPlace();
  const filter = {
    activity: [{ activityType: 'ACTIVITY_TYPE_CREATE_WALLET' }, { activityType: 'ACTIVITY_TYPE_SIGN_TRANSACTION' }],
  };
  const counts = { threshold: '2', method: method('COUNT'), groupBy: { user: {} } };
  await control(
    place,
    velocityControl({
      ...ALWAYS,
      identifier: 'two',
      dataSource: { activityExecution: { filter } },
      aggregation: aggregation(counts),
    }),
  );
  await signs(place, signWei(place.addresses[0], 1n));
  const wallet = { walletName: 'W', accounts: [] };
  refused(await place.client.submit('CREATE_WALLET', wallet), [400, 'REQUEST_INVALID', /unique/]);
  await signs(place, { ...wallet, walletName: 'W2' }, 'CREATE_WALLET');
  await exceeds(place, signWei(place.addresses[0], 1n), /two: 1 asked, 0 left of 2 in 86400 s for user/);
  await signs(place, { userTagName: 'T', userIds: [] }, 'CREATE_USER_TAG');
});

test('scopes: only their keys and users are bound', async () => {
  const place = await newPlace();
  const other = resultOf(
    await place.client.submit('CREATE_WALLET', { walletName: 'Other', accounts: [ethereumAccount()] }),
    'createWalletResult',
  );
  await control(
    place,
    weiControl('mine', 1n, { countersign: { enforcement: 'ALWAYS', scope: { walletIds: [place.walletId] } } }),
  );
  const { userId } = (await place.client.query('whoami')).body;
  await control(place, weiControl('root', 5n, { countersign: { enforcement: 'ALWAYS', scope: { userIds: [userId] } } }));
  await exceeds(place, signWei(place.addresses[0], 2n), /control mine/);
  await signs(place, signWei(other.addresses[0], 5n));
  await exceeds(place, signWei(other.addresses[0], 1n), /control root/);
});

test('several assets with different decimals are summed in whole units', async () => {
  const place = await newPlace();
  const definition = [
    { caip19: 'eip155:1/slip44:60', decimals: '18' },
    { caip19: `eip155:8453/erc20:${USDC.toUpperCase().replace('0X', '0x')}`, decimals: '6' },
  ];
  const parameters = {
    ...ALWAYS,
    identifier: 'sum',
    dataSource: { chainAssetTransfer: { definition } },
    aggregation: aggregation({ threshold: '1.000000000000000001' }),
  };
  await control(place, velocityControl(parameters));
  await signs(place, usdc(place.addresses[0], 'transfer', [TO, 999_999n]));
  await exceeds(place, signWei(place.addresses[0], 10n ** 12n + 2n), /left of 1\.000000000000000001/);
  await signs(place, signWei(place.addresses[0], 10n ** 12n + 1n));
  await exceeds(place, signWei(place.addresses[0], 1n), / 0 left/);
});

const TO = '0x00000000000000000000000000000000000000aa';
const abi = [...erc20Abi, ...parseAbi(['function increaseAllowance(address spender, uint256 value) returns (bool)'])];

const unsigned = (signWith: string, fields: object) => ({
  signWith,
  type: 'TRANSACTION_TYPE_ETHEREUM',
  unsignedTransaction: serializeTransaction({ chainId: 8453, nonce: 0, gas: 90_000n, ...fields } as never),
});

const usdc = (signWith: string, functionName: string, args: readonly unknown[], more: object = {}) => {
  const data = encodeFunctionData({ abi, functionName, args } as never);
  return unsigned(signWith, { type: 'eip1559', maxFeePerGas: 1n, maxPriorityFeePerGas: 1n, to: USDC, data, ...more });
};

const typed = (signWith: string, primaryType: string, types: object, message: object, domain: object = {}) => ({
  signWith,
  payload: JSON.stringify({
    primaryType,
    types: { EIP712Domain: DOMAIN, ...types },
    message,
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC, ...domain },
  }),
  encoding: 'PAYLOAD_ENCODING_EIP712',
  hashFunction: 'HASH_FUNCTION_NO_OP',
});
const member = (text: string) => {
  const [type, name] = text.split(' ');
  return { type, name };
};
const DOMAIN = ['string name', 'string version', 'uint256 chainId', 'address verifyingContract'].map(member);
const EIP_3009 = [
  'address from',
  'address to',
  'uint256 value',
  'uint256 validAfter',
  'uint256 validBefore',
  'bytes32 nonce',
].map(member);
const PERMIT = ['address owner', 'address spender', 'uint256 value', 'uint256 nonce', 'uint256 deadline'].map(member);
const WORD = `0x${'11'.repeat(32)}`;
const UNREADABLE = /what the activity takes cannot be read/;
const raw = (payload: string, more: object = {}) => ({
  signWith: '',
  payload,
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_NO_OP',
  ...more,
});

/** What takes 101 USDC, or may take all, in another way. */
const WAYS: readonly [what: string, ask: (address: string) => [type: string, parameters: object], text: RegExp][] = [
  ['a transfer', (a) => [SIGN, usdc(a, 'transfer', [TO, 101n])], EXCEEDED],
  ['an approval', (a) => [SIGN, usdc(a, 'approve', [TO, 101n])], EXCEEDED],
  ['an approval without a limit', (a) => [SIGN, usdc(a, 'approve', [TO, maxUint256])], EXCEEDED],
  ['increaseAllowance', (a) => [SIGN, usdc(a, 'increaseAllowance', [TO, 101n])], EXCEEDED],
  ['transferFrom of itself', (a) => [SIGN, usdc(a, 'transferFrom', [a, TO, 101n])], EXCEEDED],
  [
    'a transaction without a chain',
    (a) => [
      SIGN,
      usdc(a, 'transfer', [TO, 101n], {
        type: 'legacy',
        chainId: undefined,
        gasPrice: 1n,
        maxFeePerGas: undefined,
        maxPriorityFeePerGas: undefined,
      }),
    ],
    EXCEEDED,
  ],
  [
    'arguments with a rest',
    (a) => [
      SIGN,
      unsigned(a, {
        type: 'legacy',
        gasPrice: 1n,
        to: USDC,
        data: `${encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [TO, 101n] })}00`,
      }),
    ],
    EXCEEDED,
  ],
  [
    'multicall',
    (a) => [SIGN, unsigned(a, { type: 'legacy', gasPrice: 1n, to: USDC, data: `0xac9650d8${'00'.repeat(64)}` })],
    UNREADABLE,
  ],
  [
    'the first version of the kind',
    (a) => [
      'SIGN_TRANSACTION',
      (({ signWith, ...rest }) => ({ privateKeyId: signWith, ...rest }))(usdc(a, 'transfer', [TO, 101n])),
    ],
    EXCEEDED,
  ],
  ['another spelling of the account', (a) => [SIGN, usdc(a.toLowerCase(), 'transfer', [TO, 101n])], EXCEEDED],
  [
    'a payment by x402 (EIP-3009)',
    (a) => [
      'SIGN_RAW_PAYLOAD_V2',
      typed(
        a,
        'TransferWithAuthorization',
        { TransferWithAuthorization: EIP_3009 },
        { from: a, to: TO, value: '101', validAfter: '0', validBefore: '9999999999', nonce: WORD },
      ),
    ],
    EXCEEDED,
  ],
  [
    'a permit',
    (a) => [
      'SIGN_RAW_PAYLOAD_V2',
      typed(a, 'Permit', { Permit: PERMIT }, { owner: a, spender: TO, value: '101', nonce: '0', deadline: '9999999999' }),
    ],
    EXCEEDED,
  ],
  [
    'a permit under another name',
    (a) => [
      'SIGN_RAW_PAYLOAD_V2',
      typed(a, 'Other', { Other: PERMIT }, { owner: a, spender: TO, value: '1', nonce: '0', deadline: '9999999999' }),
    ],
    UNREADABLE,
  ],
  [
    'an authorization for every chain (EIP-7702)',
    (a) => [
      'SIGN_RAW_PAYLOAD_V2',
      raw(JSON.stringify({ chainId: '0', address: TO, nonce: '0' }), {
        signWith: a,
        encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
      }),
    ],
    UNREADABLE,
  ],
  ['the digest of a transaction', (a) => ['SIGN_RAW_PAYLOAD_V2', raw('33'.repeat(32), { signWith: a })], UNREADABLE],
  [
    'a digest among payloads',
    (a) => [
      'SIGN_RAW_PAYLOADS',
      (({ payload, ...rest }) => ({ payloads: [payload], ...rest }))(raw('44'.repeat(32), { signWith: a })),
    ],
    UNREADABLE,
  ],
];

test('no other way of signing passes a limit of a token', async () => {
  const place = await newPlace();
  const amounts = aggregation({ threshold: '0.0001' });
  await control(place, velocityControl({ ...ALWAYS, identifier: 'usdc', dataSource: transfers(), aggregation: amounts }));
  for (const [what, ask, text] of WAYS) {
    const [type, parameters] = ask(place.addresses[0]);
    const answer = await place.client.submit(type, parameters);
    assert.match(answer.body.message ?? answer.text, text, what);
    assert.equal(answer.status, 403, what);
  }
  // What was approved stays counted, also after the allowance is taken back.
  await signs(place, usdc(place.addresses[0], 'approve', [TO, 60n]));
  await signs(place, usdc(place.addresses[0], 'approve', [TO, 0n]));
  await exceeds(place, usdc(place.addresses[0], 'approve', [TO, 41n]));
  await signs(place, usdc(place.addresses[0], 'transfer', [TO, 40n]));
  // Nothing of the token leaves.
  await signs(place, signWei(place.addresses[0], 1n));
});

test('a batch is one sum: all or nothing', async () => {
  const place = await newPlace();
  await control(
    place,
    velocityControl({
      ...ALWAYS,
      identifier: 'usdc',
      dataSource: transfers(),
      aggregation: aggregation({ threshold: '0.0001' }),
    }),
  );
  const [a] = place.addresses;
  const permit = (value: string) =>
    typed(a, 'Permit', { Permit: PERMIT }, { owner: a, spender: TO, value, nonce: '0', deadline: '9999999999' });
  const { payload: _, ...how } = permit('0');
  await exceeds(place, { ...how, payloads: ['60', '41'].map((value) => permit(value).payload) }, EXCEEDED, 'SIGN_RAW_PAYLOADS');
  await signs(place, { ...how, payloads: ['60', '40'].map((value) => permit(value).payload) }, 'SIGN_RAW_PAYLOADS');
});

test('COUNT_ONLY_READABLE signs what cannot be read, and counts the rest', async () => {
  const place = await newPlace();
  await control(place, weiControl('readable', 5n, { countersign: { enforcement: 'ALWAYS', unreadable: 'COUNT_ONLY_READABLE' } }));
  await signs(place, raw('55'.repeat(32), { signWith: place.addresses[0] }), 'SIGN_RAW_PAYLOAD_V2');
  await exceeds(place, signWei(place.addresses[0], 6n));
});

test('windows of one activity and of a calendar', async () => {
  const place = await newPlace();
  const infinite = { window: { infinite: {} } };
  await control(place, weiControl('each', 5n, { countersign: { enforcement: 'ALWAYS', window: { transaction: {} } } }, infinite));
  const calendar = { unit: 'month', zone: 'Europe/Berlin' };
  await control(place, weiControl('monthly', 8n, { countersign: { enforcement: 'ALWAYS', window: { calendar } } }, infinite));
  const [address] = place.addresses;
  await exceeds(place, signWei(address, 6n), /control each: .* for one activity/);
  await signs(place, signWei(address, 5n));
  await exceeds(
    place,
    signWei(address, 5n),
    /control monthly: .* in a month of Europe\/Berlin .*; room for it at \d{4}-\d\d-(?:0[1-9]|[12]\d|3[01])T2[23]:00:00\.000Z/,
  );
  await signs(place, signWei(address, 3n));
});

test('a parent’s policies do not read the controls of a child, and a child’s control binds what the parent signs there', async () => {
  const place = await newPlace();
  await control(place, weiControl('never', 0n, ALWAYS));
  const parent = { client: instance.root.as(instance.root.keys, place.client.organizationId) };
  assert.equal((await parent.client.submit(SIGN, signWei(place.addresses[0], 1n))).status, 400);
});

test('a simulation tells the refusal and counts nothing', async () => {
  const place = await newPlace();
  await control(place, weiControl('limit', 5n, ALWAYS));
  const ask = async (value: bigint) => {
    const parameters = signWei(place.addresses[0], value);
    return (await place.client.query('simulate_activity', { type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2', parameters })).body;
  };
  for (let i = 0; i < 3; i++) assert.equal((await ask(5n)).outcome, 'OUTCOME_ALLOW');
  const { outcome, reason } = await ask(6n);
  assert.equal(outcome, 'OUTCOME_DENY_EXPLICIT');
  assert.match(reason, EXCEEDED);
});

test('an organization without controls measures nothing', async () => {
  const { decisions } = instance.engine;
  const own = decisions.velocity;
  decisions.velocity = () => assert.fail('it was measured');
  try {
    await signs(one, signWei(one.addresses[0], 1n));
  } finally {
    decisions.velocity = own;
  }
});
