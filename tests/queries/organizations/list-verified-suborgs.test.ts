import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { listVerifiedSuborgs } from '../../../src/queries/organizations/list-verified-suborgs.ts';
import { type Keys, newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refusesEachQuery } from '../../support/refusals.ts';
import { badPagination, pages } from '../support.ts';

const instance = await sharedInstance();
const EMAIL = 'Both@Example.com';
const PHONE = '+14155552671';
/** In the order of their creation; every second one has shown that the contact is theirs. */
const ids: string[] = [];
const keys: Keys[] = [];

/** What a token does is tested where tokens are used. */
const verify = (organizationId: string) =>
  instance.raw(
    `UPDATE users SET email_verified = 1, verified_email_key = email_key, phone_verified = 1, verified_phone = phone WHERE organization_id = $1`,
    organizationId,
  );

before(async () => {
  for (let i = 0; i < 8; i++) {
    keys.push(newKeys());
    const rootUsers = [userWith('Root', [keys[i]!], { userEmail: EMAIL, userPhoneNumber: PHONE })];
    const sent = { subOrganizationName: `Sub ${i}`, rootQuorumThreshold: 1, rootUsers };
    const made = await instance.root.submit('CREATE_SUB_ORGANIZATION_V8', sent);
    const { subOrganizationId } = resultOf(made, 'createSubOrganizationResultV8');
    ids.push(subOrganizationId);
    if (i % 2 === 1) await verify(subOrganizationId);
  }
});

const verified = () => ids.filter((_, i) => i % 2 === 1);

const list = async (parameters: object): Promise<string[]> => {
  const answer = await instance.root.query('list_verified_suborgs', parameters);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(listVerifiedSuborgs.result.parse(answer.body), answer.body);
  return answer.body.organizationIds;
};

test('only those whose user has verified the contact, page by page', async () => {
  for (const filter of [
    { filterType: 'EMAIL', filterValue: 'both@example.COM' },
    { filterType: 'PHONE_NUMBER', filterValue: PHONE },
  ]) {
    assert.deepEqual(await list(filter), verified());
    await pages(verified(), (paginationOptions) => list({ ...filter, paginationOptions }));
    const all = (await instance.root.query('list_suborgs', filter)).body.organizationIds;
    assert.deepEqual(all, ids, 'list_suborgs has the others too');
  }
  for (const filterValue of ['', 'nobody@example.com', PHONE, '%'])
    assert.deepEqual(await list({ filterType: 'EMAIL', filterValue }), []);
});

test('without a filter, all with a user who has verified a contact, page by page', async () => {
  const [first, second] = verified();
  const own = instance.root.as(keys[ids.indexOf(first!)]!, first!);
  const users = [0, 1].map((i) => ({ ...userWith(`More ${i}`, [newKeys()], { userEmail: EMAIL }), userTags: [] }));
  resultOf(await own.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  await verify(first!);
  await instance.raw('UPDATE users SET email_verified = 0, verified_email_key = NULL WHERE organization_id = $1', second!);
  for (const filter of [{}, { filterType: '' }, { filterType: '', filterValue: '' }]) {
    assert.deepEqual(await list(filter), verified());
    await pages(verified(), (paginationOptions) => list({ ...filter, paginationOptions }));
  }
  assert.deepEqual((await own.query('list_verified_suborgs', {})).body, { organizationIds: [] }, 'a sub-organization has none');
});

test('bad parameters are named', () =>
  refusesEachQuery(instance.root, 'list_verified_suborgs', [
    ...badPagination.map(([bad, ...rest]) => [{ filterType: 'EMAIL', filterValue: 'x', ...(bad as object) }, ...rest] as const),
    [{ filterValue: 'x' }, 'filterType', /is required with filterValue/],
    [{ filterType: 'EMAIL' }, 'filterValue', /is required with filterType/],
    [{ filterType: 'EMAIL', filterValue: 'x'.repeat(1025) }, 'filterValue', /1024/],
  ]));
