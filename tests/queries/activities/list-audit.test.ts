import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { listAudit } from '../../../src/queries/activities/list-audit.ts';
import { newPair } from '../../activities/support.ts';
import { auditSettled } from '../../support/audit-settled.ts';
import { type Client, ethereumAccount, resultOf, submitPath } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refusesEachQuery } from '../../support/refusals.ts';
import { badPagination, pages } from '../support.ts';

type Fact = { activityId: string; type: string; status: string; userId: string; credentialId?: string; walletIds: string[] };

const instance = await sharedInstance();
const { root } = instance;
const ALL = { limit: '100' };
const SIGN = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';
const FAILED = 'ACTIVITY_STATUS_FAILED';

let walletId: string;
let signWith: string;

const facts = async (parameters: object = {}, client: Client = root): Promise<Fact[]> => {
  const { status, body, text } = await client.query('list_audit', { paginationOptions: ALL, ...parameters });
  assert.equal(status, 200, text);
  assert.deepEqual(listAudit.result.parse(body), body, 'the answer has its declared shape');
  return body.facts;
};
const listed = async (parameters: object, client: Client = root): Promise<string[]> => {
  const { body, text, status } = await client.query('list_activities', { paginationOptions: ALL, ...parameters });
  assert.equal(status, 200, text);
  return body.activities.map(({ id }: { id: string }) => id);
};
const ids = (found: readonly Fact[]) => found.map(({ activityId }) => activityId);

async function sign(client: Client, payload = '00'): Promise<void> {
  const hash = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' };
  await client.submit('SIGN_RAW_PAYLOAD_V2', { signWith, payload, ...hash });
}

before(async () => {
  const wallet = { walletName: 'Wallet', accounts: [ethereumAccount()] };
  const made = resultOf(await root.submit('CREATE_WALLET', wallet), 'createWalletResult');
  [walletId, signWith] = [made.walletId, made.addresses[0]];
  for (let i = 0; i < 6; i++) await sign(root, i % 2 ? 'zz' : '00');
  await auditSettled(instance);
});

test('facts and activities are filtered by user, credential and wallet, with status and type', async () => {
  const all = await facts();
  assert.deepEqual(ids(all), await listed({}), 'all activities have facts');
  const signed = all.filter(({ type }) => type === SIGN);
  assert.equal(signed.length, 6);
  for (const one of signed) assert.deepEqual(one.walletIds, [walletId]);
  const { userId, credentialId } = signed[0]!;
  for (const [filter, wanted] of [
    [{ filterByWalletId: walletId }, ids(all.filter((one) => one.walletIds.includes(walletId)))],
    [{ filterByUserId: userId }, ids(all.filter((one) => one.userId === userId))],
    [{ filterByCredentialId: credentialId }, ids(all.filter((one) => one.credentialId === credentialId))],
    [{ filterByWalletId: walletId, filterByStatus: [FAILED] }, ids(signed.filter((one) => one.status === FAILED))],
    [{ filterByUserId: userId, filterByType: [SIGN] }, ids(signed)],
    [{ filterByUserId: walletId }, []],
  ] as const) {
    assert.deepEqual(ids(await facts(filter)), wanted, JSON.stringify(filter));
    assert.deepEqual(await listed(filter), wanted, JSON.stringify(filter));
  }
  for (const filter of [{}, { filterByType: [SIGN, 'ACTIVITY_TYPE_CREATE_WALLET'] }, { filterByWalletId: walletId }])
    await pages(ids(await facts(filter)), async (paginationOptions) => ids(await facts({ ...filter, paginationOptions })));
  await pages(await listed({ filterByWalletId: walletId }), (paginationOptions) =>
    listed({ filterByWalletId: walletId, paginationOptions }),
  );
});

test('a range of times is a range of ids, and ranges that touch share no activity', async () => {
  const all = await listed({});
  const { clock } = instance;
  clock.advance(60_000);
  const middle = clock.now();
  await sign(root);
  await auditSettled(instance);
  const later = await listed({ createdAfter: String(middle) });
  assert.equal(later.length, 1);
  assert.deepEqual(await listed({ createdBefore: new Date(middle).toISOString() }), all);
  const filter = { filterByWalletId: walletId, createdAfter: String(middle) };
  assert.deepEqual([await listed(filter), ids(await facts(filter))], [later, later]);
  const none = { createdAfter: String(middle), createdBefore: String(middle) };
  assert.deepEqual([await listed(none), await facts(none)], [[], []]);
});

test('a voter is found by their vote, and a status that changes moves the facts', async () => {
  const pair = await newPair(instance, 'Facts');
  const [first, second] = pair.clients;
  const [userId, other] = pair.userIds;
  const sent = first.bodyOf('CREATE_USER_TAG', { userTagName: 'Tag', userIds: [] });
  const path = submitPath('CREATE_USER_TAG');
  const { id, status } = (await first.send(path, sent)).body.activity;
  await auditSettled(instance);
  const waits = { filterByStatus: [status] };
  assert.deepEqual(ids(await facts({ ...waits, filterByUserId: userId }, first)), [id]);
  assert.equal(ids(await facts({ filterByUserId: other }, first)).includes(id), false);
  assert.equal((await second.send(path, sent)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
  await auditSettled(instance);
  assert.deepEqual(await facts(waits, first), []);
  assert.deepEqual(await facts({ ...waits, filterByUserId: userId }, first), []);
  for (const filterByUserId of [userId, other]) assert.equal(ids(await facts({ filterByUserId }, first))[0], id);
});

test('a sub-organization sees its own facts alone, and not the credential of its parent’s user', async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Below', 1, 1);
  const below = clients[0]!;
  await below.submit('CREATE_WALLET', { walletName: 'Own', accounts: [] });
  const asParent = root.as(root.keys, organizationId);
  await asParent.submit('INIT_OTP', { otpType: 'OTP_TYPE_EMAIL', contact: 'below@example.com' });
  await auditSettled(instance);
  const [own, all] = [await facts({}, below), await facts({}, asParent)];
  assert.deepEqual(ids(own), ids(all));
  assert.equal(
    all.every(({ credentialId }) => credentialId !== undefined),
    true,
  );
  const made = own.filter(({ type }) => type === 'ACTIVITY_TYPE_CREATE_WALLET');
  assert.deepEqual([made.length, made[0]!.walletIds.length, made[0]!.credentialId !== undefined], [1, 1, true]);
  assert.deepEqual(await facts({ filterByWalletId: walletId }, below), []);
  assert.deepEqual(await listed({ filterByWalletId: walletId }, below), []);
});

test('activities that are older than the tables get the same facts', async () => {
  const rows = () => instance.raw('SELECT * FROM audit_facts ORDER BY organization_id, activity_id');
  const subjects = () =>
    instance.raw('SELECT * FROM audit_subjects ORDER BY organization_id, kind, subject_id, status, type, activity_id');
  await auditSettled(instance);
  const before = [await rows(), await subjects()];
  for (const table of ['audit_facts', 'audit_subjects', "instance WHERE key = 'audit_place'"])
    await instance.raw(`DELETE FROM ${table}`);
  await auditSettled(instance);
  assert.deepEqual([await rows(), await subjects()], before);
});

test('bad parameters are named', () =>
  refusesEachQuery(root, 'list_audit', [
    ...badPagination,
    [{ createdAfter: 'yesterday' }, 'createdAfter', /must be a time/],
    [{ createdBefore: '2026-13-01T00:00:00Z' }, 'createdBefore', /must be a time/],
    [{ filterByWalletId: 'x' }, 'filterByWalletId', /must be a UUID/],
  ]));

test('two subjects at once are refused', async () => {
  const both = { filterByWalletId: walletId, filterByUserId: walletId };
  for (const query of ['list_audit', 'list_activities']) {
    const { status, text } = await root.query(query, both);
    assert.equal(status, 400, text);
    assert.match(text, /give only one of filterByUserId/);
  }
});
