import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { findSuborgs } from '../../../src/queries/organizations/find-suborgs.ts';
import { newKeys, resultOf, userWith } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refusesEachQuery } from '../../support/refusals.ts';
import { badPagination } from '../support.ts';

const instance = await sharedInstance();
const { root } = instance;
const COUNT = 5;
/** In the order of their creation. */
const all: { organizationId: string; organizationName: string }[] = [];
/** Keys of the first one's user. */
const keys = newKeys();

before(async () => {
  for (let i = 0; i < COUNT; i++) {
    const contacts = { userEmail: `Person${i}@Example.com`, userPhoneNumber: `+1415555267${i}` };
    // Every second one has the name that a user of another one has.
    const organizationName = i % 2 === 0 ? 'Shared' : `Sub ${i}`;
    const rootUsers = [userWith(i === 1 ? 'Shared' : `User ${i}`, [i === 0 ? keys : newKeys()], contacts)];
    const sent = { subOrganizationName: organizationName, rootQuorumThreshold: 1, rootUsers };
    const made = resultOf(await root.submit('CREATE_SUB_ORGANIZATION_V8', sent), 'createSubOrganizationResultV8');
    all.push({ organizationId: made.subOrganizationId, organizationName });
  }
});

type Found = { suborgs: typeof all; next?: string };

async function find(parameters: object, client = root): Promise<Found> {
  const answer = await client.query('find_suborgs', parameters);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(findSuborgs.result.parse(answer.body), answer.body);
  return answer.body;
}

const at = (...places: number[]) => places.map((i) => all[i]);

test('by id, name, name of a user, email address and phone number, and nothing by a part of them', async () => {
  const rows: readonly [string, number[]][] = [
    ['', [0, 1, 2, 3, 4]],
    ['Shared', [0, 1, 2, 4]],
    [' Sub 3 ', [3]],
    ['User 2', [2]],
    ['PERSON4@example.com', [4]],
    ['+1 415 555 2673', [3]],
    [all[1]!.organizationId.toUpperCase(), [1]],
    ['Shar', []],
    ['%', []],
    [root.organizationId, []],
  ];
  for (const [search, places] of rows) assert.deepEqual(await find({ search }), { suborgs: at(...places) }, search);
  assert.deepEqual(await find({}), { suborgs: all });
});

test('page by page', async () => {
  for (const search of ['', 'Shared']) {
    const whole = (await find({ search })).suborgs;
    const read: typeof all = [];
    for (let after: string | undefined; ; ) {
      const { suborgs, next } = await find({ search, paginationOptions: { limit: '2', ...(after && { after }) } });
      read.push(...suborgs);
      if (next === undefined) break;
      assert.equal(suborgs.length, 2);
      after = next;
    }
    assert.deepEqual(read, whole);
  }
});

test('an organization finds its own alone, without deleted ones', async () => {
  const own = root.as(keys, all[0]!.organizationId);
  for (const search of ['', 'Shared', all[1]!.organizationId]) assert.deepEqual(await find({ search }, own), { suborgs: [] });
  const gone = { deleteWithoutExport: true };
  resultOf(await own.submit('DELETE_SUB_ORGANIZATION', gone), 'deleteSubOrganizationResult');
  const left = all.slice(1);
  for (const [search, places] of [
    ['', left],
    ['Person0@example.com', []],
    [all[0]!.organizationId, []],
    ['Shared', at(1, 2, 4)],
  ] as const)
    assert.deepEqual((await find({ search })).suborgs, places, search);
});

test('bad parameters are named', () =>
  refusesEachQuery(root, 'find_suborgs', [
    ...badPagination.filter(([bad]) => !JSON.stringify(bad).includes('before')),
    [{ search: 'x'.repeat(256) }, 'search', /255/],
    [{ search: 5 }, 'search', /string/],
  ]));
