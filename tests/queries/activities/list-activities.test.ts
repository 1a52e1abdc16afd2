import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { listActivities } from '../../../src/queries/activities/list-activities.ts';
import { ethereumAccount, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refusesEachQuery } from '../../support/refusals.ts';
import { badPagination, pages } from '../support.ts';

type Activity = { id: string; type: string; status: string };

const instance = await sharedInstance();
/** Newest first. */
let all: Activity[];

const DONE = 'ACTIVITY_STATUS_COMPLETED';
const FAILED = 'ACTIVITY_STATUS_FAILED';
const WALLET = 'ACTIVITY_TYPE_CREATE_WALLET';
const SIGN = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';

const list = async (parameters: object = {}): Promise<Activity[]> => {
  const answer = await instance.root.query('list_activities', parameters);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.activities;
};
const ids = (found: readonly Activity[]) => found.map((a) => a.id);

before(async () => {
  const { root } = instance;
  const wallet = (walletName: string) => root.submit('CREATE_WALLET', { walletName, accounts: [ethereumAccount()] });
  const [signWith] = resultOf(await wallet('A'), 'createWalletResult').addresses;
  for (let i = 0; i < 4; i++) {
    const payload = i === 1 ? 'zz' : '00';
    const encoding = 'PAYLOAD_ENCODING_HEXADECIMAL';
    await root.submit('SIGN_RAW_PAYLOAD_V2', { signWith, payload, encoding, hashFunction: 'HASH_FUNCTION_SHA256' });
    await wallet(i % 2 === 0 ? 'A' : `B${i}`);
  }
  all = await list({ paginationOptions: { limit: '100' } });
});

test('newest first, and ten unless asked otherwise', async () => {
  assert.equal(all.length, 9);
  assert.deepEqual(ids(all), ids(all).toSorted().reverse());
  await instance.newUser('One');
  await instance.newUser('Two');
  assert.equal((await list()).length, 10);
  all = await list({ paginationOptions: { limit: '100' } });
  assert.equal(all.length, 11);
  assert.deepEqual(await list(), all.slice(0, 10));
  const answer = { activities: all };
  assert.deepEqual(listActivities.result.parse(answer), answer, 'the answer has its declared shape');
});

test('pages by key in both directions, with every filter', async () => {
  for (const filter of [
    {},
    { filterByStatus: [DONE] },
    { filterByStatus: [DONE, FAILED] },
    { filterByType: [WALLET, SIGN] },
    { filterByStatus: [FAILED, DONE, DONE], filterByType: [SIGN, WALLET, SIGN] },
  ] as { filterByStatus?: string[]; filterByType?: string[] }[]) {
    const wanted = all.filter(
      (a) => (filter.filterByStatus?.includes(a.status) ?? true) && (filter.filterByType?.includes(a.type) ?? true),
    );
    assert.ok(wanted.length > 6, 'enough to page through');
    await pages(ids(wanted), async (paginationOptions) => ids(await list({ ...filter, paginationOptions })));
  }
});

test('filters by status and type, and by both', async () => {
  const failed = await list({ filterByStatus: [FAILED], paginationOptions: { limit: '100' } });
  assert.deepEqual(ids(failed), ids(all.filter((a) => a.status === FAILED)));
  assert.equal(failed.length, 3);
  const both = await list({ filterByStatus: [FAILED], filterByType: [SIGN] });
  assert.equal(both.length, 1);
  assert.equal(both[0]!.type, SIGN);
  assert.deepEqual(await list({ filterByStatus: ['ACTIVITY_STATUS_REJECTED'] }), []);
  assert.deepEqual(await list({ filterByType: ['ACTIVITY_TYPE_THAT_NOBODY_HAS'] }), []);
  assert.deepEqual(await list({ filterByStatus: [], filterByType: [], paginationOptions: {} }), all.slice(0, 10));
});

test('an id that is none of the list’s is an edge too', async () => {
  const paginationOptions = (more: object) => ({ paginationOptions: { limit: '100', ...more } });
  assert.deepEqual(await list(paginationOptions({ after: '00000000-0000-0000-0000-000000000000' })), []);
  assert.deepEqual(await list(paginationOptions({ before: '00000000-0000-0000-0000-000000000000' })), all);
  assert.deepEqual(await list(paginationOptions({ after: 'FFFFFFFF-ffff-ffff-ffff-ffffffffffff' })), all);
  assert.deepEqual(await list(paginationOptions({ before: 'ffffffff-ffff-ffff-ffff-ffffffffffff' })), []);
});

test('each organization has its own, and the parent reads those of a sub-organization', async () => {
  const sub = await instance.newSubOrganization('Sub', 1, 1);
  assert.deepEqual((await sub.clients[0]!.query('list_activities')).body, { activities: [] });
  const { id } = (await sub.clients[0]!.submit('CREATE_WALLET', { walletName: 'X', accounts: [] })).body.activity;
  const parent = instance.root.as(instance.root.keys, sub.organizationId);
  for (const client of [sub.clients[0]!, parent])
    assert.deepEqual(ids((await client.query('list_activities')).body.activities), [id]);
  assert.ok(!ids(await list({ paginationOptions: { limit: '100' } })).includes(id));
});

test('bad parameters are named', () =>
  refusesEachQuery(instance.root, 'list_activities', [
    ...badPagination,
    [{ filterByType: Array.from({ length: 21 }, () => WALLET) }, 'filterByType', /20/],
  ]));

test('a page ends early where bodies are large, and the next one goes on', async () => {
  const sub = await instance.newSubOrganization('Large', 1, 1);
  const [client] = sub.clients;
  const junk = '\\'.repeat(500_000);
  for (let i = 0; i < 12; i++)
    resultOf(await client!.submit('CREATE_WALLET', { walletName: `${i}`, accounts: [], junk }), 'createWalletResult');
  const page = async (paginationOptions: object): Promise<string[]> =>
    ids((await client!.query('list_activities', { paginationOptions: { limit: '100', ...paginationOptions } })).body.activities);
  const first = await page({});
  assert.ok(first.length >= 5 && first.length < 12, String(first.length));
  const rest = await page({ after: first.at(-1) });
  assert.equal(new Set([...first, ...rest]).size, 12);
  assert.deepEqual([...first, ...rest].toSorted().reverse(), [...first, ...rest]);
  const before = await page({ before: rest.at(-1) });
  assert.ok(before.length >= 5 && before.length < 11);
  assert.deepEqual(before, [...first, ...rest].slice(-1 - before.length, -1), 'those next to it');
});

test('what an older program accepted is shown, also where it would be refused today', async () => {
  const sub = await instance.newSubOrganization('Older', 1, 1);
  const [client] = sub.clients;
  const policy = { policyName: 'Kept', effect: 'EFFECT_DENY', condition: 'false', notes: '' };
  const made = await client!.submit('CREATE_POLICIES', { policies: [policy] });
  const { id } = made.body.activity;
  const body = client!.bodyOf('CREATE_POLICIES', { policies: [{ ...policy, policyCondition: 'ignored then' }] });
  await instance.raw('UPDATE activities SET body = $1 WHERE id = $2', Buffer.from(body), id);
  const { activities } = (await client!.query('list_activities')).body;
  assert.deepEqual(activities[0].intent, { createPoliciesIntent: { policies: [policy] } });
});

test('a fingerprint finds the one activity with that body, within the page, and goes with no other filter', async () => {
  const [newest, , third] = (await list()) as (Activity & { fingerprint: string })[];
  const by = (filterByFingerprint: string, more: object = {}) => list({ filterByFingerprint, ...more });
  assert.deepEqual([ids(await by(third!.fingerprint)), ids(await by(newest!.fingerprint))], [[third!.id], [newest!.id]]);
  assert.deepEqual(await by(`sha256:${'0'.repeat(64)}`), []);
  assert.deepEqual(await by('nothing'), []);
  const page = async (paginationOptions: object) => ids(await by(third!.fingerprint, { paginationOptions }));
  assert.deepEqual([await page({ after: newest!.id }), await page({ before: newest!.id })], [[third!.id], []]);
  assert.deepEqual([await page({ after: third!.id }), await page({ before: third!.id })], [[], []]);
  for (const more of [{ filterByStatus: [DONE] }, { filterByUserId: third!.id }, { createdAfter: '0' }]) {
    const refused = await instance.root.query('list_activities', { filterByFingerprint: third!.fingerprint, ...more });
    assert.equal(refused.status, 400, refused.text);
    assert.match(refused.body.message, /give filterByFingerprint without other filters/);
  }
});
