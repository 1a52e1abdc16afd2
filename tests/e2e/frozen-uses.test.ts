import assert from 'node:assert/strict';
import { test } from 'node:test';
import { awaitingHosted, reEncrypting } from '../activities/quorum-keys/support.ts';
import { exported, exportOf, imported } from '../activities/secrets/support.ts';
import { sparkWallet } from '../activities/spark/support.ts';
import { samples } from '../support/all-samples.ts';
import { type Client, ethereumAccount, newKeys, resultOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { newTarget } from '../support/published.ts';
import { refused, refusedByOwn } from '../support/refusals.ts';

const instance = await sharedInstance();
const reason = 'a laptop was stolen';
const FROZEN: [number, string, RegExp] = [403, 'FROZEN', /frozen/];
const RAW = { payload: '11'.repeat(32), encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP' };

const firm = async (name: string): Promise<Client> => (await instance.newSubOrganization(name, 1, 1)).clients[0]!;

const freeze = async (client: Client, what: object) =>
  resultOf(await client.submit('COUNTERSIGN_FREEZE', { reason, ...what }), 'countersignFreezeResult');
const unfreeze = async (client: Client, what: object) =>
  resultOf(await client.submit('COUNTERSIGN_UNFREEZE', { reason, ...what }), 'countersignUnfreezeResult');

const approve = async (client: Client, { fingerprint }: { fingerprint: string }) =>
  (await client.submit('APPROVE_ACTIVITY', { fingerprint })).body.activity;

test('an activity whose key was frozen while it waited fails with the approval that completes it, and signs nothing', async () => {
  const { clients } = await instance.newSubOrganization('Waits', 2, 2);
  const [first, second] = clients as [Client, Client];
  const agreed = async (type: string, parameters: object) =>
    approve(second, (await first.submit(type, parameters)).body.activity);
  const wallet = { walletName: 'W', accounts: [ethereumAccount()] };
  const { walletId, addresses } = (await agreed('CREATE_WALLET', wallet)).result.createWalletResult;
  const waiting = (await first.submit('SIGN_RAW_PAYLOAD_V2', { signWith: addresses[0], ...RAW })).body.activity;
  assert.equal(waiting.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  assert.equal((await agreed('COUNTERSIGN_FREEZE', { walletId, reason })).status, 'ACTIVITY_STATUS_COMPLETED');
  const failed = await approve(second, waiting);
  assert.equal(failed.status, 'ACTIVITY_STATUS_FAILED');
  assert.match(failed.failure.message, /is frozen/);
  assert.equal(failed.result.signRawPayloadResult, undefined);
  assert.equal((await agreed('COUNTERSIGN_UNFREEZE', { walletId, reason })).status, 'ACTIVITY_STATUS_COMPLETED');
  const after = (await first.query('get_activity', { activityId: waiting.id })).body.activity;
  assert.equal(after.status, 'ACTIVITY_STATUS_FAILED', 'the end of the freeze revives nothing');
});

test('no kind of Spark uses the keys of a frozen wallet', async () => {
  const client = await firm('Spark');
  const { walletId, address } = await sparkWallet(client);
  const kinds = ['SPARK_SIGN_FROST', 'SPARK_PREPARE_TRANSFER', 'SPARK_CLAIM_TRANSFER', 'SPARK_PREPARE_LIGHTNING_RECEIVE'];
  const asked = (kind: string) => client.submit(kind, { ...(samples(kind) as object), signWith: address });
  await freeze(client, { walletId });
  for (const kind of kinds) refusedByOwn(await asked(kind), FROZEN);
  await unfreeze(client, { walletId });
  for (const kind of kinds) assert.doesNotMatch((await asked(kind)).text, /FROZEN/);
});

test('secrets of a frozen organization are not exported, and others can be imported', async () => {
  const client = await firm('Secrets');
  const [id] = await imported(client, ['before']);
  await freeze(client, { organization: true });
  refusedByOwn(await client.submit('EXPORT_SECRETS', exportOf(newTarget(), [id!])), FROZEN);
  const [other] = await imported(client, ['during']);
  await unfreeze(client, { organization: true });
  assert.deepEqual(await exported(client, id!, other!), ['before', 'during']);
});

test('the share of a hosted operator whose wallet is frozen is not handed over, and is part of no new quorum key', async () => {
  const client = await firm('Shares');
  const { hosted, deployed } = await awaitingHosted(instance, client);
  const [first, second] = hosted as [(typeof hosted)[number], (typeof hosted)[number]];
  await freeze(client, { walletId: first.walletId });
  const share = async (operator: typeof first) =>
    client.submit('RE_ENCRYPT_TVC_QUORUM_KEY_SHARE', await reEncrypting(client, deployed, operator));
  refusedByOwn(await share(first), FROZEN);
  const operatorEncryptKeys = hosted.map(({ encryptPublicKey }) => encryptPublicKey);
  refusedByOwn(await client.submit('CREATE_TVC_QUORUM_KEY', { threshold: 2, operatorEncryptKeys }), FROZEN);
  resultOf(await share(second), 'reEncryptTvcQuorumKeyShareResult');
});

test('a recovery key of a frozen root user recovers nothing', async () => {
  const { clients, userIds } = await instance.newSubOrganization('Recovers', 2, 1);
  const [first, second] = clients as [Client, Client];
  const { store, ids } = instance.engine;
  const holder = (await store.read.credentials.holder(first.organizationId, first.keys.publicKey))!;
  const keys = newKeys();
  const type = 'CREDENTIAL_TYPE_RECOVER_USER_KEY_P256';
  const key = { ...holder.credential, id: ids.next(), publicKey: keys.publicKey, type } as typeof holder.credential;
  await store.transaction((tx) => tx.credentials.insert(key));
  await freeze(second, { userId: userIds[0] });
  const parameters = { ...(samples('RECOVER_USER') as object), userId: userIds[0] };
  refusedByOwn(await first.as(keys).submit('RECOVER_USER', parameters), FROZEN);
  assert.equal((await second.query('list_freezes')).body.freezes.length, 1);
});

type Simulated = { outcome: string; reason?: string };

test('a simulation tells that keys, or users, are frozen, where the submit would be refused for it', async () => {
  const { clients, userIds } = await instance.newSubOrganization('Simulates', 3, 2);
  const [first, second, third] = clients as [Client, Client, Client];
  const agreed = async (type: string, parameters: object) =>
    approve(second, (await first.submit(type, parameters)).body.activity);
  const made = await agreed('CREATE_WALLET', { walletName: 'W', accounts: [ethereumAccount()] });
  const { walletId, addresses } = made.result.createWalletResult;
  const { accounts } = (await first.query('list_wallet_accounts', { walletId })).body;
  const approverUserIds = userIds.slice(0, 2);
  const simulated = async (kind: string, parameters: object, more: object = { approverUserIds }): Promise<Simulated> => {
    const answer = await first.query('simulate_activity', { type: `ACTIVITY_TYPE_${kind}`, parameters, ...more });
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  const uses: [kind: string, parameters: object][] = [
    ['SIGN_RAW_PAYLOAD_V2', { signWith: addresses[0], ...RAW }],
    ['ETH_SEND_TRANSACTION', { from: addresses[0], caip2: 'eip155:1', to: addresses[0], value: '1', data: '0x', sponsor: false }],
    ['EXPORT_WALLET', { walletId, targetPublicKey: newTarget().publicKey }],
    ['EXPORT_WALLET_ACCOUNT', { address: addresses[0], targetPublicKey: newTarget().publicKey }],
    ['DELETE_WALLETS', { walletIds: [walletId], deleteWithoutExport: true }],
    ['DELETE_WALLET_ACCOUNTS', { walletAccountIds: [accounts[0].walletAccountId], deleteWithoutExport: true }],
    ['DELETE_SUB_ORGANIZATION', { deleteWithoutExport: true }],
  ];
  for (const [kind, parameters] of uses) assert.equal((await simulated(kind, parameters)).outcome, 'OUTCOME_ALLOW', kind);
  await agreed('COUNTERSIGN_FREEZE', { walletId, reason });
  for (const [kind, parameters] of uses) {
    const { outcome, reason: why } = await simulated(kind, parameters);
    assert.equal(outcome, 'OUTCOME_DENY_EXPLICIT', kind);
    assert.match(why!, new RegExp(`^wallet ${walletId} is frozen since`), kind);
  }
  const tag: [string, object] = ['CREATE_USER_TAG', { userTagName: 'T', userIds: [] }];
  const goOn: [string, object][] = [
    tag,
    ['UPDATE_WALLET', { walletId, walletName: 'V' }],
    ['COUNTERSIGN_UNFREEZE', { walletId, reason }],
  ];
  for (const [kind, parameters] of goOn) assert.equal((await simulated(kind, parameters)).outcome, 'OUTCOME_ALLOW', kind);
  await agreed('COUNTERSIGN_FREEZE', { userId: userIds[2], reason });
  const withThird = { approverUserIds: [userIds[0], userIds[2]] };
  assert.equal(
    (await simulated(...tag, withThird)).outcome,
    'OUTCOME_REQUIRES_CONSENSUS',
    'the vote of the frozen user does not count',
  );
  const own = { approverUserIds: [userIds[2], userIds[0], userIds[1]] };
  const { outcome, reason: why } = await simulated(...tag, own);
  assert.deepEqual([outcome, why!.startsWith(`user ${userIds[2]} is frozen`)], ['OUTCOME_DENY_EXPLICIT', true]);
  const asked = await third.query('simulate_activity', { type: 'ACTIVITY_TYPE_CREATE_USER_TAG', parameters: tag[1] });
  assert.equal(asked.body.outcome, 'OUTCOME_DENY_EXPLICIT', asked.text);
  refused(await third.submit(...tag), [403, 'UNSPECIFIED', /may submit and approve nothing/]);
});
