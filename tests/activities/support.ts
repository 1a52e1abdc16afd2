import assert from 'node:assert/strict';
import { type Answer, type Client, newKeys, submitPath, userWith } from '../support/client.ts';
import { type Instance, sharedInstance } from '../support/instance.ts';
import { refused } from '../support/refusals.ts';

/** A user without permission is refused. */
export async function refusedToNobody(instance: Instance, type: string, parameters: unknown): Promise<void> {
  const { client } = await instance.newUser(`Nobody for ${type}`);
  refused(await client.submit(type, parameters), [403, 'REQUEST_NOT_AUTHORIZED', /^You don't have sufficient permissions/]);
}

/** A sub-organization in which both root users must agree. */
export type Pair = {
  organizationId: string;
  clients: readonly [Client, Client];
  userIds: readonly [string, string];
  /** A user of the sub-organization outside its quorum. */
  outsider: Client;
  outsiderId: string;
  /** The parent's root user, looking into the sub-organization. */
  parent: Client;
};

/** Both root users send the same body. Returns the second one's answer. */
export async function agreed(pair: Pick<Pair, 'clients'>, type: string, parameters: unknown): Promise<Answer> {
  const [first, second] = pair.clients;
  const body = first.bodyOf(type, parameters);
  const waiting = await first.send(submitPath(type), body);
  assert.equal(waiting.body.activity?.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', waiting.text);
  return second.send(submitPath(type), body);
}

export async function newPair(instance: Instance, name: string): Promise<Pair> {
  const made = await instance.newSubOrganization(name, 2, 2);
  const clients = [made.clients[0]!, made.clients[1]!] as const;
  const keys = newKeys();
  const users = [{ ...userWith(`${name} outsider`, [keys]), userTags: [] }];
  const added = await agreed({ clients }, 'CREATE_USERS_V4', { users });
  return {
    organizationId: made.organizationId,
    clients,
    userIds: [made.userIds[0]!, made.userIds[1]!],
    outsider: clients[0].as(keys),
    outsiderId: added.body.activity.result.createUsersResult.userIds[0],
    parent: instance.root.as(instance.root.keys, made.organizationId),
  };
}

/** An instance that all tests of a file use, with a pair in it; closed after the last. */
export async function sharedPair(env: Record<string, string> = {}): Promise<{ instance: Instance; pair: Pair }> {
  const instance = await sharedInstance(env);
  return { instance, pair: await newPair(instance, 'Pair') };
}

type Voting = Pick<Pair, 'clients'> & Partial<Pick<Pair, 'outsider' | 'parent'>>;

/** The rights to vote that an activity shows to a viewer. */
export async function mayVote(client: Client, activityId: string): Promise<[canApprove: boolean, canReject: boolean]> {
  const { activity } = (await client.query('get_activity', { activityId })).body;
  return [activity.canApprove, activity.canReject];
}

/**
 * The activity waits for the second root user, says to everybody who looks what they may do, and the second user's
 * identical body completes it, once. Answers with its result.
 */
// biome-ignore lint/suspicious/noExplicitAny: results are looked into freely by tests
export async function waitsForBoth(pair: Voting, type: string, parameters: unknown, key: string): Promise<any> {
  const [first, second] = pair.clients;
  const path = submitPath(type);
  const body = first.bodyOf(type, parameters);

  const waiting = await first.send(path, body);
  assert.equal(waiting.status, 200, waiting.text);
  const { activity } = waiting.body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  assert.deepEqual(Object.keys(activity.result), ['activity']);
  assert.deepEqual(activity.result.activity.result, {});
  assert.equal(activity.votes.length, 1);
  assert.deepEqual([activity.canApprove, activity.canReject], [false, true]);
  assert.equal('failure' in activity, false);

  assert.deepEqual(await mayVote(first, activity.id), [false, true]);
  assert.deepEqual(await mayVote(second, activity.id), [true, true]);
  if (pair.parent) assert.deepEqual(await mayVote(pair.parent, activity.id), [false, false]);
  if (pair.outsider) {
    assert.deepEqual(await mayVote(pair.outsider, activity.id), [false, false]);
    refused(await pair.outsider.send(path, body), [403, 'REQUEST_NOT_AUTHORIZED', /not authorized/]);
  }
  assert.deepEqual((await first.send(path, body)).body, waiting.body, 'the submitter changes nothing by asking again');

  const done = await second.send(path, body);
  assert.equal(done.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', done.text);
  assert.equal(done.body.activity.id, activity.id);
  assert.equal(done.body.activity.votes.length, 2);
  assert.deepEqual([done.body.activity.canApprove, done.body.activity.canReject], [false, false]);
  assert.deepEqual((await second.send(path, body)).body.activity, done.body.activity, 'it ran once');
  // Secrets are shown to the submitter alone.
  const seen = (await first.send(path, body)).body.activity;
  assert.deepEqual(
    [seen.id, seen.status, seen.updatedAt],
    [activity.id, 'ACTIVITY_STATUS_COMPLETED', done.body.activity.updatedAt],
  );
  for (const client of [first, second]) assert.deepEqual(await mayVote(client, activity.id), [false, false]);
  return done.body.activity.result[key];
}

export const count = async (client: Client, query: string, list: string): Promise<number> =>
  (await client.query(query)).body[list].length;
