import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signWei, weiControl } from '../activities/velocity-controls/spends.ts';
import { aggregation, method, operator, transfers, USDC, velocityControl } from '../activities/velocity-controls/support.ts';
import { type Client, ethereumAccount, newKeys, resultOf, submitPath, userWith } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { refused, refusedByOwn } from '../support/refusals.ts';

const instance = await sharedInstance();
const TO = '0x00000000000000000000000000000000000000aa';

let places = 0;

/** An organization of its own, with an account and a user without rights. */
async function newPlace(): Promise<{ root: Client; agent: Client; address: string; walletId: string }> {
  const { clients } = await instance.newSubOrganization(`Guarded ${++places}`, 1, 1);
  const root = clients[0]!;
  const wallet = { walletName: 'W', accounts: [ethereumAccount(0)] };
  const { addresses, walletId } = resultOf(await root.submit('CREATE_WALLET', wallet), 'createWalletResult');
  const keys = newKeys();
  const users = [{ ...userWith('Agent', [keys]), userTags: [] }];
  resultOf(await root.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  return { root, agent: root.as(keys, root.organizationId), address: addresses[0], walletId };
}

const control = async (root: Client, parameters: object): Promise<string> =>
  resultOf(await root.submit('CREATE_VELOCITY_CONTROL', parameters), 'createVelocityControlResult').velocityControlId;

async function policy(root: Client, policyName: string, condition: string, effect = 'EFFECT_ALLOW'): Promise<string> {
  const consensus = effect === 'EFFECT_ALLOW' ? 'approvers.count() >= 1' : '';
  const parameters = { policyName, effect, condition, consensus, notes: '' };
  return resultOf(await root.submit('CREATE_POLICY_V3', parameters), 'createPolicyResult').policyId;
}

const members = (text: string) => text.split(', ').map((one) => ({ type: one.split(' ')[0], name: one.split(' ')[1] }));
const DOMAIN = members('string name, string version, uint256 chainId, address verifyingContract');
const PERMIT = members('address owner, address spender, uint256 value, uint256 nonce, uint256 deadline');
const EIP_3009 = members('address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce');

const typed = (primaryType: string, types: object, message: object): string =>
  JSON.stringify({
    primaryType,
    types: { EIP712Domain: DOMAIN, [primaryType]: types },
    message,
    domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: USDC },
  });

test('two batches measured at once, each element allowed by another policy, do not both pass the limit', async () => {
  const { root, agent, address } = await newPlace();
  await control(
    root,
    velocityControl({ identifier: 'usdc', dataSource: transfers(), aggregation: aggregation({ threshold: '0.000002' }) }),
  );
  const type = (name: string, member: string) =>
    `eth.eip_712.primary_type == '${name}' && eth.eip_712.message['${member}'] == '${TO}' && controls.usdc`;
  await policy(root, 'permits', type('Permit', 'spender'));
  await policy(root, 'payments', type('TransferWithAuthorization', 'to'));
  const batch = (nonce: number) => ({
    signWith: address,
    payloads: [
      typed('Permit', PERMIT, { owner: address, spender: TO, value: '1', nonce: String(nonce), deadline: '9999999999' }),
      typed('TransferWithAuthorization', EIP_3009, {
        ...{ from: address, to: TO, value: '1', validAfter: '0', validBefore: '9999999999' },
        nonce: `0x${'11'.repeat(32)}`,
      }),
    ],
    encoding: 'PAYLOAD_ENCODING_EIP712',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  });
  const { decisions } = instance.engine;
  const own = decisions.velocity;
  const both = Promise.withResolvers<void>();
  let measured = 0;
  // Both read the counters before either is recorded.
  decisions.velocity = async (read, asked) => {
    const found = await own(read, asked);
    if (++measured === 2) both.resolve();
    await both.promise;
    return found;
  };
  try {
    const answers = await Promise.all([0, 1].map((nonce) => agent.submit('SIGN_RAW_PAYLOADS', batch(nonce))));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 403], answers[0]!.text);
  } finally {
    decisions.velocity = own;
  }
});

test('a decision whose counters never stay as they were read is given up after thirty times, and stores nothing', async () => {
  const { root, address } = await newPlace();
  await control(root, weiControl('once', 1n, { countersign: { enforcement: 'ALWAYS' } }));
  const { decisions } = instance.engine;
  const own = decisions.velocity;
  let empty: ReturnType<typeof own> | undefined;
  let measured = 0;
  // As if other requests took the room each time after it was read.
  decisions.velocity = (read, asked) => {
    measured++;
    empty ??= own(read, asked);
    return empty;
  };
  const stored = () => instance.raw('SELECT id FROM activities WHERE organization_id = $1', root.organizationId);
  try {
    assert.equal((await root.submit('SIGN_TRANSACTION_V2', signWei(address, 1n))).status, 200);
    const [before, had] = [await stored(), measured];
    const answer = await root.submit('SIGN_TRANSACTION_V2', signWei(address, 1n));
    assert.deepEqual([answer.status, measured - had >= 30], [503, true], `${measured - had} times: ${answer.text}`);
    assert.match(answer.text, /send the same body again/);
    assert.deepEqual(await stored(), before);
  } finally {
    decisions.velocity = own;
  }
  refused(await root.submit('SIGN_TRANSACTION_V2', signWei(address, 1n)), [403, 'UNSPECIFIED', /velocity control once: /]);
});

test('more DENYs than a decision may rest on, none of which can match, leave a transaction alone', async () => {
  const { root, agent, address } = await newPlace();
  await policy(root, 'signs', "activity.action == 'SIGN'");
  for (let i = 0; i < 21; i++) {
    await control(root, weiControl(`over_${i}`, 10n, {}, { operator: operator('GREATER_THAN') }));
    await policy(root, `D${i}`, `eth.tx.to == '0x${String(i).padStart(40, '0')}' && controls.over_${i}`, 'EFFECT_DENY');
  }
  const answer = await agent.submit('SIGN_TRANSACTION_V2', signWei(address, 1n));
  assert.equal(answer.status, 200, answer.text);
});

test('20 controls may decide about an activity, and one more refuses it', async () => {
  const { root, agent, address } = await newPlace();
  const always = { countersign: { enforcement: 'ALWAYS' } };
  for (let i = 0; i < 11; i++) await control(root, weiControl(`always_${i}`, 10n, always));
  const read = Array.from({ length: 9 }, (_, i) => `read_${i}`);
  for (const identifier of read) await control(root, weiControl(identifier, 10n));
  const within = read.map((one) => `controls.${one}`).join(' && ');
  await policy(root, 'within', `eth.tx.value < 5 && ${within}`);
  assert.equal((await agent.submit('SIGN_TRANSACTION_V2', signWei(address, 1n))).status, 200);
  const last = await control(root, weiControl('last', 10n, always));
  const body = agent.bodyOf('SIGN_TRANSACTION_V2', signWei(address, 1n));
  const send = () => agent.send(submitPath('SIGN_TRANSACTION_V2'), body);
  const text =
    /^21 velocity controls decide about this activity, and at most 20 may. Give them a scope or delete some, and send a new body$/;
  refusedByOwn(await send(), [429, 'LIMIT_EXCEEDED', text]);
  resultOf(await root.submit('DELETE_VELOCITY_CONTROL', { velocityControlId: last }), 'deleteVelocityControlResult');
  assert.equal((await send()).status, 429, 'the refused body stays refused');
  assert.equal((await agent.submit('SIGN_TRANSACTION_V2', signWei(address, 1n))).status, 200);
});

const oneActivity = (countersign: object = {}) =>
  velocityControl({
    identifier: 'few',
    dataSource: { activityExecution: {} },
    aggregation: aggregation({ threshold: '1', method: method('COUNT'), window: { infinite: {} } }),
    countersign: { enforcement: 'ALWAYS', ...countersign },
  });

test('an exhausted limit of all activities can be taken away although a policy reads it', async () => {
  for (const way of ['DELETE_POLICY', 'DELETE_POLICIES', 'UPDATE_POLICY_V2']) {
    const { root } = await newPlace();
    const velocityControlId = await control(root, oneActivity());
    const policyId = await policy(root, 'reads', 'controls.few');
    refused(await root.submit('CREATE_USER_TAG', { userTagName: 'T', userIds: [] }), [
      403,
      'UNSPECIFIED',
      /there never is room|0 left/,
    ]);
    refused(await root.submit('DELETE_VELOCITY_CONTROL', { velocityControlId }), [400, 'REQUEST_INVALID', /policies read/]);
    const parameters = {
      DELETE_POLICY: { policyId },
      DELETE_POLICIES: { policyIds: [policyId] },
      UPDATE_POLICY_V2: { policyId, policyCondition: "activity.action == 'SIGN'" },
    }[way]!;
    const freed = await root.submit(way, parameters);
    assert.equal(freed.status, 200, `${way}: ${freed.text}`);
    const deleted = await root.submit('DELETE_VELOCITY_CONTROL', { velocityControlId });
    assert.equal(deleted.status, 200, deleted.text);
  }
});

test('an exhausted limit of all activities stops neither a freeze nor its end', async () => {
  const { root, walletId } = await newPlace();
  await control(root, oneActivity());
  assert.equal((await root.submit('CREATE_USER_TAG', { userTagName: 'T', userIds: [] })).status, 200);
  refused(await root.submit('CREATE_USER_TAG', { userTagName: 'U', userIds: [] }), [403, 'UNSPECIFIED', /few: 1 asked, 0 left/]);
  for (const type of ['COUNTERSIGN_FREEZE', 'COUNTERSIGN_UNFREEZE']) {
    const answer = await root.submit(type, { walletId, reason: 'lost' });
    assert.equal(answer.status, 200, `${type}: ${answer.text}`);
  }
});
