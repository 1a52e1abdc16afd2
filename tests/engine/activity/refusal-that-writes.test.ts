import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createUserTag } from '../../../src/activities/tags/create-user-tag.ts';
import { ApiError } from '../../../src/base/errors.ts';
import { refusalThatWrites } from '../../../src/engine/activity/refusal-that-writes.ts';
import { sharedPair } from '../../activities/support.ts';
import { type Client, submitPath } from '../../support/client.ts';
import { refused } from '../../support/refusals.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'CREATE_USER_TAG';
const PATH = submitPath(TYPE);

type Run = typeof createUserTag.execute;

/** The activity does what it does, sends a message, and then fails. */
function failing(t: TestContext, error = new ApiError('REQUEST_INVALID', 'the code is wrong')): { runs: number } {
  const counted = { runs: 0 };
  const { execute } = createUserTag;
  t.mock.method(createUserTag, 'execute', async (...[step]: Parameters<Run>) => {
    await execute(step);
    (step.ctx as unknown as { after(event: object): void }).after({ topic: 'kept', payload: { hello: 'there' } });
    counted.runs++;
    return refusalThatWrites(error);
  });
  return counted;
}

const tagNames = async (client: Client): Promise<string[]> =>
  (await client.query('list_user_tags')).body.userTags.map(({ tagName }: { tagName: string }) => tagName);

const messages = (activityId: string) => instance.raw('SELECT payload FROM outbox WHERE activity_id = $1', id(activityId));

/** As the database has it. */
const id = (text: string): unknown => (instance.databaseUrl === undefined ? Buffer.from(text.replaceAll('-', ''), 'hex') : text);

test('the writes of a kept refusal stay, and the refusal is answered like any other', async (t) => {
  const counted = failing(t);
  const { root } = instance;
  const body = root.bodyOf(TYPE, { userTagName: 'kept', userIds: [] });
  const first = await root.send(PATH, body);
  refused(first, [400, 'REQUEST_INVALID', /^the code is wrong$/]);
  assert.deepEqual(await tagNames(root), ['kept']);
  const again = await root.send(PATH, body);
  assert.deepEqual([again.status, again.body], [first.status, first.body]);
  assert.equal(counted.runs, 1);

  const { activityId } = first.body.details.at(-1);
  const { activity } = (await root.query('get_activity', { activityId })).body;
  assert.equal(activity.status, 'ACTIVITY_STATUS_FAILED');
  assert.equal(activity.failure.message, 'the code is wrong');
  assert.deepEqual(activity.result, {});
  assert.equal(activity.votes.length, 1);
  assert.equal((await messages(activityId)).length, 1);
});

test('another user who sends the same body gets its outcome', async (t) => {
  failing(t);
  const { client, keys } = await instance.newUser('Another');
  const body = instance.root.bodyOf(TYPE, { userTagName: 'told', userIds: [] });
  assert.equal((await instance.root.send(PATH, body)).status, 400);
  const told = await client.as(keys).send(PATH, body);
  assert.equal(told.status, 200, told.text);
  assert.equal(told.body.activity.status, 'ACTIVITY_STATUS_FAILED');
});

test('an activity that waited becomes FAILED, keeps what it wrote, and its last voter is told', async (t) => {
  const counted = failing(t);
  const [one, two] = pair.clients;
  const body = one.bodyOf(TYPE, { userTagName: 'waited', userIds: [] });
  assert.equal((await one.send(PATH, body)).body.activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED');
  const done = await two.send(PATH, body);
  assert.equal(done.status, 200, done.text);
  const { activity } = done.body;
  assert.deepEqual([activity.status, activity.votes.length], ['ACTIVITY_STATUS_FAILED', 2]);
  assert.equal(activity.failure.message, 'the code is wrong');
  assert.deepEqual((await one.send(PATH, body)).body.activity, activity);
  assert.deepEqual(await tagNames(one), ['waited']);
  assert.equal(counted.runs, 1);
  assert.equal((await messages(activity.id)).length, 1);
  const audited = await instance.raw('SELECT event FROM audit WHERE activity_id = $1 ORDER BY event', id(activity.id));
  assert.deepEqual(
    audited.map(({ event }) => event),
    ['activity.failed', 'vote.approved'],
  );
});

test('a kept refusal is listed like any other', async (t) => {
  const faults: string[] = [];
  t.mock.method(instance.engine, 'fault', (operation: string, { code }: ApiError) => void faults.push(`${operation} ${code}`));
  failing(t, new ApiError('INVALID_OIDC_TOKEN'));
  const answer = await instance.root.submit(TYPE, { userTagName: 'unlisted', userIds: [] });
  refused(answer, [400, 'INVALID_OIDC_TOKEN', /./]);
  assert.deepEqual(faults, ['CREATE_USER_TAG INVALID_OIDC_TOKEN']);
});
