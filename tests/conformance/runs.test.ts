import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { RecordLine } from '../../src/operator/record/format.ts';
import { verifyActivity } from '../../src/operator/record/verify-activity.ts';
import { queries } from '../../src/queries/index.ts';
import { type Answer, type Client, newKeys, resultOf, userWith } from '../support/client.ts';
import { noteExample, outdatedExamples } from '../support/examples.ts';
import { startInstance } from '../support/instance.ts';
import { refused } from '../support/refusals.ts';
import { type Dump, difference, openDump, type Rows } from '../support/world/dump.ts';
import { homeOf, okOf, roomy } from '../support/world/homes.ts';
import { type Home, thingsIn } from '../support/world/kinds.ts';
import { goodParameters, type Operation, queryOperation, send, versionsOf } from '../support/world/parameters.ts';
import { PLACES, RUNS } from '../support/world/runs.ts';
import { conforms, factsOf, queryFactOf } from './interface.ts';
import { isOurs, OURS_ALONE } from './not-yet.ts';

/**
 * Every version of every activity, and every query, through HTTP: the answers have the interface's shapes. Activities run where two root
 * users must agree. A user without permission is refused. The first root user's request waits without effect; the second one's completes it.
 */

const instance = await startInstance(roomy);

/** The parameters name things that one root user made, before there were two. */
type Prepared = { home: Home; parameters: Record<string, unknown> };
/** Two root users who must agree, a user without permission, and the body that the first one sends. */
type Users = { first: Client; second: Client; outsider: { client: Client; userId: string } };
type Asked = Users & { body: string; waiting?: Answer };

const versions = activities.flatMap(versionsOf);
/** Votes, newcomers, recovery keys and what every user may do need no second root user. */
const isAlone = ({ kind }: Operation) =>
  Boolean(kind!.votes || kind!.admit || kind!.submitters.credential || kind!.submitters.needsNoApproval);
const alone = versions.filter(isAlone);
const agreed = versions.filter((operation) => !isAlone(operation));
const asks = queries.map(queryOperation);

const prepared = new Map<Operation, Prepared>();
const asked = new Map<Operation, Asked>();
let dump: Dump;
let untouched: Rows;

const nameOf = ({ type }: Operation): string => type.replace('ACTIVITY_TYPE_', '');

/** Adds a root user, without whom the first one completes nothing from then on. */
async function shareWithSecond({ client: first, userId }: Home): Promise<Users> {
  const keys = [newKeys(), newKeys()] as const;
  const users = keys.map((own, i) => ({ ...userWith(`Shared ${i}`, [own]), userTags: [] }));
  const { userIds } = resultOf(await first.submit('CREATE_USERS_V4', { users }), 'createUsersResult');
  const quorum = { threshold: 2, userIds: [userId, userIds[0]] };
  resultOf(await first.submit('UPDATE_ROOT_QUORUM', quorum), 'updateRootQuorumResult');
  return { first, second: first.as(keys[0]), outsider: { client: first.as(keys[1]), userId: userIds[1] } };
}

before(async () => {
  const root = homeOf(instance);
  for (const operation of [...versions, ...asks]) {
    const home = (await PLACES[operation.name]?.(instance)) ?? root;
    prepared.set(operation, { home, parameters: await goodParameters(operation, thingsIn(home)) });
  }
  const usersOf = new Map<Home, Users>();
  for (const operation of agreed) {
    const { home, parameters } = prepared.get(operation)!;
    const users = usersOf.get(home) ?? (await shareWithSecond(home));
    usersOf.set(home, users);
    asked.set(operation, { ...users, body: users.first.bodyOf(nameOf(operation), parameters) });
  }
  dump = await openDump(instance);
  untouched = await dump.all();
});
after(async () => {
  await dump?.close();
  await instance.close();
});

/** Members that the interface does not list: our explanations, and intents and results, which the tests above hold to it. */
const UNLISTED =
  /^get_policy_evaluations\.(mfaStatuses|proofs|warnings)$|^get_ip_allowlist\.allowlist\.notInForce$|^get_policy_evaluations\.(policyEvaluations\[\]\.){2}(reason|policyName|effect|failedClause|values|note)$|^(get_activity\.activity|list_activities\.activities\[\])\.(intent|result)\.\w+$|\.type=ACTIVITY_TYPE_COUNTERSIGN_/;

for (const operation of asks) {
  test(`${operation.name} is answered in the interface's shape`, async () => {
    const { home, parameters } = prepared.get(operation)!;
    const answer = await send(home.client, operation, parameters);
    assert.equal(answer.status, okOf(operation.name), answer.text);
    // Two of them ask systems that this test does not have, so their examples have no answer.
    const example = answer.status === 200 ? answer.body : undefined;
    noteExample(operation.type, JSON.stringify({ organizationId: home.client.organizationId, ...parameters }), example);
    if (answer.status !== 200) return;
    if (OURS_ALONE.includes(operation.name)) return;
    conforms(operation.name, queryFactOf.get(operation.path)!.response, answer.body, (place) => UNLISTED.test(place));
  });
}

for (const operation of agreed)
  test(`${nameOf(operation)} is refused to a user without permission, and waits for the second root user`, async () => {
    const { first, outsider, body } = asked.get(operation)!;
    const { parameters } = prepared.get(operation)!;
    const { path, kind } = operation;
    const own = kind!.submitters.onlyUser(parameters) === undefined ? {} : { userId: outsider.userId };
    const refusedTo = await outsider.client.send(path, first.bodyOf(nameOf(operation), { ...parameters, ...own }));
    refused(refusedTo, [403, 'REQUEST_NOT_AUTHORIZED', /^You don't have sufficient permissions/]);

    const waiting = await first.send(path, body);
    asked.get(operation)!.waiting = waiting;
    assert.equal(waiting.status, 200, waiting.text);
    const { activity } = waiting.body;
    assert.equal(activity.status, 'ACTIVITY_STATUS_CONSENSUS_NEEDED', waiting.text);
    assert.deepEqual([activity.result.activity.result, activity.votes.length, 'failure' in activity], [{}, 1, false]);
    assert.deepEqual([activity.canApprove, activity.canReject], [false, true]);
    refused(await outsider.client.send(path, body), [403, 'REQUEST_NOT_AUTHORIZED', /not authorized/]);
    assert.deepEqual((await first.send(path, body)).body, waiting.body, 'the submitter changes nothing by asking again');
  });

test('refused and waiting activities have no effect', async () => {
  const effects = difference(untouched, await dump.all()).filter((line) => !/^([+-] )?(activities|votes)\b/.test(line));
  assert.deepEqual(effects, []);
});

for (const operation of agreed)
  test(`${nameOf(operation)} is completed by the second root user, in the shapes of its version`, async () => {
    const { first, second, body, waiting } = asked.get(operation)!;
    const done = await second.send(operation.path, body);
    const { activity } = done.body;
    assert.deepEqual([activity?.id, activity?.status], [waiting!.body.activity.id, 'ACTIVITY_STATUS_COMPLETED'], done.text);
    assert.deepEqual([activity.votes.length, activity.canApprove, activity.canReject], [2, false, false]);
    noteExample(operation.type, body, done.body);
    if (!ENDS.has(operation.name)) resultConforms(operation, (await first.send(operation.path, body)).body.activity);
  });

/** An organization that is gone answers no further request. */
const ENDS = new Set(['DELETE_ORGANIZATION', 'DELETE_SUB_ORGANIZATION']);

test('each of them ran once, however often its body comes', async () => {
  const finished = await dump.all();
  for (const [operation, { second, body }] of asked) await second.send(operation.path, body);
  assert.deepEqual(difference(finished, await dump.all()), []);
});

for (const operation of alone)
  test(`${nameOf(operation)} is carried out, in the shapes of its version`, async () => {
    const { home, parameters } = prepared.get(operation)!;
    const answer = await send(home.client, operation, parameters);
    assert.equal(answer.status, 200, answer.text);
    const { organizationId } = home.client;
    const envelope = { type: operation.type, timestampMs: answer.body.activity.timestampMs, organizationId };
    noteExample(operation.type, JSON.stringify({ ...envelope, parameters }), answer.body);
    // The answer to a vote is the activity that was voted on.
    const { votes } = operation.kind!;
    const wanted = votes === 'VOTE_SELECTION_REJECTED' ? 'REJECTED' : 'COMPLETED';
    assert.equal(answer.body.activity.status, `ACTIVITY_STATUS_${wanted}`, answer.text);
    if (votes === undefined) resultConforms(operation, answer.body.activity);
  });

test('each of them is verified as an export has it', async () => {
  const clients = new Map([...asked.values()].map(({ second }) => [second.organizationId, second]));
  const seen = new Set<string>();
  for (const client of clients.values())
    for (let after: string | undefined; ; ) {
      const paginationOptions = { limit: '100', ...(after === undefined ? {} : { after }) };
      const { activities: shown = [] } = (await client.query('list_activities', { paginationOptions })).body;
      for (const activity of shown) {
        const line = RecordLine.parse({ activity });
        assert.deepEqual((await verifyActivity(line)).problems, [], JSON.stringify(activity));
        seen.add(activity.type);
      }
      if (shown.length === 0) break;
      after = shown.at(-1).id;
    }
  const missing = agreed.filter(({ name, type }) => !ENDS.has(name) && !seen.has(type));
  assert.deepEqual(missing.map(nameOf), []);
});

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
function resultConforms({ type, kind }: Operation, activity: any): void {
  assert.equal(activity.type, type);
  if (isOurs(type)) {
    const { intentKey, result } = kind!.versions.get(type)!;
    assert.deepEqual([Object.keys(activity.intent), Object.keys(activity.result)], [[intentKey], [result.key, 'activity']]);
    return;
  }
  const fact = factsOf.get(type)!.versions[type]!;
  assert.deepEqual(Object.keys(activity.intent), [fact.intentKey]);
  conforms(fact.intentKey, fact.intent, activity.intent[fact.intentKey]);
  assert.ok(fact.resultKey !== undefined && fact.result !== undefined);
  assert.deepEqual(
    Object.keys(activity.result).filter((key) => key !== 'activity'),
    [fact.resultKey],
  );
  conforms(fact.resultKey, fact.result, activity.result[fact.resultKey]);
}

test('the API document has an example of each of them, with the members that it has here', () => {
  const again = 'RECORD_EXAMPLES=1 node --test tests/conformance/runs.test.ts, then npm run generate';
  assert.deepEqual(outdatedExamples(), [], `record them: ${again}`);
});

test('nothing is written down for an operation that is not there', () => {
  const names = new Set([
    ...activities.flatMap((kind) => [kind.kind, ...kind.versions.keys()]),
    ...queries.map((kind) => kind.name),
  ]);
  for (const name of Object.keys({ ...RUNS, ...PLACES }))
    assert.ok(names.has(name), `${name}: take it out of tests/support/world/runs.ts`);
});
