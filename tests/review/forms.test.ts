/** Forms of changes, beside what the service says. Each has what holds now, and its names are marked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Ask, reviewOf, saidOf } from '../../review/index.ts';
import { bodyOf, readingOf } from './corpus.ts';

const id = (digit: string) => `0191f3c2-0000-7000-8000-00000000000${digit}`;
const [ANN, BEN, WALLET, CONTROL, KEY, PROFILE] = ['a', 'b', 'c', 'd', 'e', 'f'].map(id) as [
  string,
  string,
  string,
  string,
  string,
  string,
];

const key = (apiKeyId: string, more: object = {}) => ({ apiKeyId, apiKeyName: 'laptop', ...more });
const user = (userId: string, userName: string, apiKeys: object[] = []) => ({
  ...{ userId, userName, apiKeys, authenticators: [], oauthProviders: [] },
});

/** The lines of a review with what a service says, which answers `get_user` by the user. */
async function lines(type: string, parameters: object, answers: Record<string, object>): Promise<string[]> {
  const ask: Ask = async (name, asked) => {
    const answer = name === 'get_user' ? answers[(asked as { userId: string }).userId] : answers[name];
    if (answer === undefined) throw new Error('refused');
    return answer as Awaited<ReturnType<Ask>>;
  };
  const body = bodyOf({ type: `ACTIVITY_TYPE_${type}`, parameters: parameters as Record<string, unknown> });
  const { options, missing } = await saidOf(reviewOf(body), id('1'), ask);
  assert.deepEqual(missing, []);
  const review = reviewOf(body, options);
  const before = review.facts.flatMap(({ label, before }) => (before === undefined ? [] : [`now ${label}: ${before}`]));
  return [...readingOf(review), ...before];
}

const has = (found: readonly string[], ...expected: string[]) => {
  for (const line of expected) assert.ok(found.includes(line), `${line}\nin\n${found.join('\n')}`);
};

const quorum = (threshold: number, userIds: string[]) => ({
  get_organization_configs: { configs: { quorum: { threshold, userIds } } },
});

test('a quorum says who decides before and after, and whether it would lock out', async () => {
  const said = {
    ...quorum(1, [ANN]),
    [ANN]: { user: user(ANN, 'Ann', [key(KEY)]) },
    [BEN]: { user: user(BEN, 'Ben\u202e', [key(KEY, { expirationSeconds: '900' })]) },
  };
  has(
    await lines('UPDATE_ROOT_QUORUM', { threshold: 2, userIds: [ANN, BEN] }, said),
    'root users that must agree: 2',
    'now root users that must agree: 1 of 1',
    `root user: ${ANN} (“Ann”, 1 key or passkey that lasts, as the service says)`,
    `new root user: ${BEN} (“Ben⟨U+202E⟩”, no key or passkey that lasts, as the service says)`,
    'red locks-out: Only 1 of these users have a key or passkey that lasts, the service says, and 2 must agree',
  );
  has(
    await lines('UPDATE_ROOT_QUORUM', { threshold: 1, userIds: [BEN] }, said),
    `no root user any more: ${ANN} (“Ann”, 1 key or passkey that lasts, as the service says)`,
    'red locks-out: Only 0 of these users have a key or passkey that lasts, the service says, and 1 must agree',
  );
  has(
    await lines('UPDATE_ROOT_QUORUM', { threshold: 1, userIds: [ANN, BEN] }, said),
    'red one-lost-key: One lost key then locks the organization out, by the credentials that the service says',
  );
});

test('an update of a policy shows what changes and what stays, and the end of a denial is told', async () => {
  const policy = { policyId: KEY, policyName: 'Old', effect: 'EFFECT_DENY', condition: 'true', consensus: '', time: '' };
  has(
    await lines('UPDATE_POLICY_V2', { policyId: KEY, policyCondition: 'false' }, { get_policy: { policy } }),
    'condition: false',
    'now condition: true',
    'effect: EFFECT_DENY (stays, as the service says)',
    'amber denial-changes: This policy forbids by what changes here. What it forbids no more, others may then allow',
  );
  has(
    await lines('DELETE_POLICY', { policyId: KEY }, { get_policy: { policy } }),
    'now deleted: condition: true',
    'amber denial-ends: What this policy forbids, others may then allow',
  );
});

test('the end of a limit shows the limit in words', async () => {
  const velocityControl = {
    ...{ velocityControlId: CONTROL, name: 'Ether', identifier: 'ether' },
    dataSource: { chainAssetTransfer: { definition: [{ caip19: 'eip155:1/slip44:60', decimals: '18' }] } },
    aggregation: {
      method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_SUM',
      operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
      ...{ threshold: '2', window: { rolling: { duration: '86400' } }, groupBy: { wallet: {} } },
    },
    countersign: { enforcement: 'ALWAYS' },
  };
  has(
    await lines('DELETE_VELOCITY_CONTROL', { velocityControlId: CONTROL }, { get_velocity_control: { velocityControl } }),
    `velocityControlId: ${CONTROL} (“Ether”, as the service says)`,
    'now limit: at most 2',
    'now within: any 1 day',
    'now holds for: every signer, the root quorum too',
  );
});

test('names of users, keys, wallets and profiles are the service’s, and the last credential is told', async () => {
  const said = { [ANN]: { user: user(ANN, 'Ann', [key(KEY)]) } };
  has(
    await lines('DELETE_API_KEYS', { userId: ANN.toUpperCase(), apiKeyIds: [KEY] }, { ...said, [ANN.toUpperCase()]: said[ANN]! }),
    `user: ${ANN.toUpperCase()} (“Ann”, as the service says)`,
    `deleted: ${KEY} (“laptop”, as the service says)`,
    'red last-credential: The user then has no key or passkey that lasts, by what the service says',
  );
  has(
    await lines('DELETE_USERS', { userIds: [ANN] }, { ...said, ...quorum(1, [ANN]) }),
    `deleted root user: ${ANN} (“Ann”, as the service says)`,
  );
  has(
    await lines(
      'EXPORT_WALLET',
      { walletId: WALLET, targetPublicKey: '04aa' },
      { get_wallet: { wallet: { walletName: 'Cold' } } },
    ),
    `walletId: ${WALLET} (“Cold”, as the service says)`,
  );
  const sessionProfile = { sessionProfileName: 'Sign only', scope: "activity.kind == 'SIGN_TRANSACTION'" };
  has(
    await lines('STAMP_LOGIN', { publicKey: '02aa', sessionProfileId: PROFILE }, { get_session_profile: { sessionProfile } }),
    `session profile: ${PROFILE} (“Sign only”, as the service says)`,
    "it may submit only: activity.kind == 'SIGN_TRANSACTION' (as the service says)",
  );
});

test('a change of a user, and of the members of a tag, has names and what holds now', async () => {
  const [OLD, KEPT, NEW] = [id('2'), id('3'), id('4')];
  const said = {
    [ANN]: { user: { ...user(ANN, 'Ann'), userEmail: 'ann@example.com', userPhoneNumber: '+15550100', userTags: [OLD, KEPT] } },
    [BEN]: { user: { ...user(BEN, 'Ben'), userTags: [] } },
    list_user_tags: {
      userTags: [
        { tagId: OLD, tagName: 'Readers' },
        { tagId: KEPT, tagName: 'Staff' },
        { tagId: NEW, tagName: 'Approvers\u202e' },
      ],
    },
  };
  const TAGS = 'amber tags-change: Policies may name these tags: what users may do and decide then changes';
  const gone = `no tag any more: ${OLD} (“Readers”, as the service says)`;
  for (const parameters of [
    { userId: ANN, userEmail: 'mallory@example.com', userTagIds: [KEPT, NEW] },
    { user_id: ANN, user_email: 'mallory@example.com', user_tag_ids: [KEPT, NEW] },
  ])
    has(
      (await lines('UPDATE_USER', parameters, said)).map((line) => line.replace('user_email', 'userEmail')),
      'now userEmail: ann@example.com',
      `tag: ${KEPT} (“Staff”, as the service says)`,
      `new tag: ${NEW} (“Approvers⟨U+202E⟩”, as the service says)`,
      gone,
      TAGS,
    );
  has(await lines('UPDATE_USER', { userId: ANN, userTagIds: [] }, said), 'tags: none', gone, TAGS);
  const same = await lines('UPDATE_USER', { userId: ANN, userName: 'Ann', userTagIds: [KEPT, OLD] }, said);
  assert.ok(!same.some((line) => line.startsWith('now ')), same.join('\n'));
  has(same, TAGS);
  const phone = await lines('UPDATE_USER_PHONE_NUMBER', { userId: ANN, userPhoneNumber: '' }, said);
  has(phone, `userId: ${ANN} (“Ann”, as the service says)`, 'now userPhoneNumber: +15550100');
  has(await lines('UPDATE_USER_EMAIL', { userId: BEN, userEmail: 'b@example.com' }, said), 'now userEmail: none');
  has(
    await lines('UPDATE_USER_TAG', { userTagId: OLD, newUserTagName: 'Writers', addUserIds: [ANN], removeUserIds: [BEN] }, said),
    `userTagId: ${OLD} (“Readers”, as the service says)`,
    'now newUserTagName: Readers',
    `gets the tag: ${ANN} (“Ann”, as the service says)`,
    `loses the tag: ${BEN} (“Ben”, as the service says)`,
    TAGS,
  );
  has(
    await lines('DELETE_USER_TAGS', { userTagIds: [OLD] }, said),
    `userTagIds[0]: ${OLD} (“Readers”, as the service says)`,
    TAGS,
  );
  has(
    await lines('CREATE_USERS_V4', { users: [{ userName: 'New', userTags: [KEPT] }] }, said),
    `userTags[0]: ${KEPT} (“Staff”, as the service says)`,
  );
});

test('first uses and look-alikes are marked at addresses that the request has, and at no others', async () => {
  const to = `0x${'11'.repeat(2)}${'00'.repeat(16)}${'22'.repeat(2)}`;
  const like = `0x${'11'.repeat(2)}${'ff'.repeat(16)}${'22'.repeat(2)}`;
  const parameters = { from: `0x${'55'.repeat(20)}`, caip2: 'eip155:1', to, value: '1' };
  const interfaces = { list_smart_contract_interfaces: { smartContractInterfaces: [] } };
  const saying = (recipients: object[]) => ({
    ...interfaces,
    review_activity: { elements: [], recipients, recipientsSince: { seconds: '1796000000', nanos: '0' } },
  });
  const alike = { address: like, activityId: KEY, isOwn: false };
  has(
    await lines('ETH_SEND_TRANSACTION', parameters, saying([{ address: to, isOwn: false, alike }])),
    `amber first-time: ${to} is paid or approved for the first time on this network since 2026-11-30, as the service says`,
    `red look-alike: ${to} begins and ends like ${like}, which was paid or approved before, and is not the same, as the service says`,
  );
  const earlier = { activityId: KEY, createdAt: { seconds: '1796000000', nanos: '0' } };
  has(
    await lines('ETH_SEND_TRANSACTION', parameters, saying([{ address: to, isOwn: false, earlier }])),
    `recipient: ${to} (paid or approved before on this network, last on 2026-11-30 by activity ${KEY}, as the service says)`,
  );
  has(
    await lines('ETH_SEND_TRANSACTION', parameters, saying([{ address: to, isOwn: true, alike }])),
    `red look-alike: ${to} begins and ends like ${like}, which was paid or approved before, and is not the same, as the service says`,
  );
  const many = saying([{ address: to, isOwn: false, earlier }]);
  has(
    await lines('ETH_SEND_TRANSACTION', parameters, {
      ...many,
      review_activity: { ...many.review_activity, moreRecipients: true },
    }),
    'amber not-compared: It pays or approves more than 1 accounts. Earlier payments are compared for 1 of them alone, as the service says',
  );
  const lies = [
    { address: like, isOwn: false },
    { address: to, isOwn: true, alike: { ...alike, address: `0x${'77'.repeat(20)}` } },
    5,
  ];
  const found = await lines('ETH_SEND_TRANSACTION', parameters, saying(lies as object[]));
  assert.ok(!found.join('\n').includes(like) && !found.join('\n').includes('7777'));
});

test('parameters of another shape are shown by their fields, in red', () => {
  for (const [type, parameters] of [
    ['CREATE_POLICIES', { policies: [null] }],
    ['CREATE_VELOCITY_CONTROL', { name: 'A', dataSource: { chainAssetTransfer: { definition: [null] } } }],
    ['UPDATE_ROOT_QUORUM', { threshold: 1, userIds: [{ toString: 1, valueOf: 1 }] }],
  ] as const) {
    const review = reviewOf(bodyOf({ type: `ACTIVITY_TYPE_${type}`, parameters }));
    assert.equal(review.readable, false, type);
    assert.ok(review.facts.length > 0, type);
  }
});

test('an id in capital letters hides nothing of what holds now', async () => {
  const policyId = id('9');
  const policy = {
    policyId,
    policyName: 'Limit',
    effect: 'EFFECT_DENY',
    condition: 'eth.tx.value > 5',
    consensus: '',
    notes: '',
  };
  const said = { get_policy: { policy } };
  const sent = { policyId: policyId.toUpperCase(), policyCondition: 'eth.tx.value > 500' };
  has(await lines('UPDATE_POLICY_V2', sent, said), 'now condition: eth.tx.value > 5');
  const deleted = await lines('DELETE_POLICY', { policyId: policyId.toUpperCase() }, said);
  has(deleted, 'now deleted: condition: eth.tx.value > 5', 'amber denial-ends: What this policy forbids, others may then allow');
});
