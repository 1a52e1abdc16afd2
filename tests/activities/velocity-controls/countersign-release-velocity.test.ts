import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, resultOf } from '../../support/client.ts';
import { NOBODY, refused, refusesEach } from '../../support/refusals.ts';
import { agreed, sharedPair, waitsForBoth } from '../support.ts';
import { weiControl } from './spends.ts';

const { instance, pair } = await sharedPair();
const { root } = instance;
const TYPE = 'COUNTERSIGN_RELEASE_VELOCITY';
const KEY = 'countersignReleaseVelocityResult';
const FIELD = 'parameters.entryId';
const reason = 'Its send is lost';

let made = 0;
const control = () => weiControl(`limit_${++made}`, 10n);

async function controlOf(client: Client = root): Promise<string> {
  return resultOf(await client.submit('CREATE_VELOCITY_CONTROL', control()), 'createVelocityControlResult').velocityControlId;
}

/** What an accepted send, or a signature, counts. */
async function entryOf(controlId: string, isReserved: boolean, { organizationId } = root): Promise<string> {
  const { store, ids, clock } = instance.engine;
  const activityId = ids.next();
  const spend = {
    controlId,
    bucket: '',
    window: { kind: 'rolling', seconds: 86_400 },
    amount: 4n,
    count: 1,
    isReserved,
  } as const;
  await store.transaction((tx) => tx.velocityCounters.count(organizationId, activityId, [spend], clock.now()));
  return `${controlId}/${activityId}/`;
}

const countedIn = async (velocityControlId: string): Promise<string> =>
  (await root.query('list_velocity_buckets', { velocityControlId })).body.velocityBuckets[0].counted;

test('reserved amounts are given back once, and spent ones never', async () => {
  const controlId = await controlOf();
  const [reserved, spent] = [await entryOf(controlId, true), await entryOf(controlId, false)];
  assert.equal(await countedIn(controlId), '0.000000000000000008');
  const both = await Promise.all([1, 2].map(() => root.submit(TYPE, { entryId: reserved, reason })));
  assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 400], both.map(({ text }) => text).join());
  refused(await root.submit(TYPE, { entryId: reserved, reason }), [400, 'REQUEST_INVALID', /was released already/], FIELD);
  refused(await root.submit(TYPE, { entryId: spent, reason }), [400, 'REQUEST_INVALID', /is spent: /], FIELD);
  assert.equal(await countedIn(controlId), '0.000000000000000004');
  const { velocityEntries } = (await root.query('list_velocity_entries', { velocityControlId: controlId })).body;
  assert.deepEqual(
    velocityEntries.map(({ entryId, state }: Record<string, string>) => [entryId, state]),
    [
      [reserved, 'RELEASED'],
      [spent, 'SPENT'],
    ],
  );
});

test('it is a right of its own, and waits for both of two root users', async () => {
  const { client } = await instance.newUser('Ann');
  const mine = await entryOf(await controlOf(), true);
  refused(await client.submit(TYPE, { entryId: mine, reason }), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
  const policy = { policyName: 'Updates', effect: 'EFFECT_ALLOW', consensus: 'approvers.count() >= 1', notes: '' };
  const condition = "activity.resource == 'VELOCITY_CONTROL' && activity.action == 'UPDATE'";
  resultOf(await root.submit('CREATE_POLICY_V3', { ...policy, condition }), 'createPolicyResult');
  assert.deepEqual(resultOf(await client.submit(TYPE, { entryId: mine, reason }), KEY), { entryId: mine });
  const theirs = await agreed(pair, 'CREATE_VELOCITY_CONTROL', control());
  const { velocityControlId } = resultOf(theirs, 'createVelocityControlResult');
  const entryId = await entryOf(velocityControlId, true, pair.clients[0]);
  assert.deepEqual(await waitsForBoth(pair, TYPE, { entryId, reason }, KEY), { entryId });
});

test('an entry of another organization is unknown, as one that does not exist', async () => {
  const theirs = resultOf(await agreed(pair, 'CREATE_VELOCITY_CONTROL', control()), 'createVelocityControlResult');
  const other = await entryOf(theirs.velocityControlId, true, pair.clients[0]);
  for (const entryId of [other, `${NOBODY}/${NOBODY}/`, 'x'])
    refused(await root.submit(TYPE, { entryId, reason }), [404, 'UNSPECIFIED', /^entry not found: parameters\.entryId names/]);
});

test('parameters', () =>
  refusesEach(root, TYPE, [
    [{ entryId: '', reason }, FIELD, /must be an entryId of list_velocity_entries/],
    [{ entryId: `${NOBODY}/${NOBODY}/`, reason: ' ' }, 'parameters.reason', /must say why/],
  ]));
