import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { queries } from '../../src/queries/index.ts';
import { sharedInstance } from '../support/instance.ts';
import { homeOf, roomy } from '../support/world/homes.ts';
import { thingsIn } from '../support/world/kinds.ts';
import { goodParameters, queryOperation, send, versionsOf } from '../support/world/parameters.ts';
import { PLACES, RUNS } from '../support/world/runs.ts';
import { conforms, factsOf, queryFactOf } from './interface.ts';
import { isOurs, OURS_ALONE } from './not-yet.ts';

/** Every version of every activity, and every query, carried out through HTTP: what is answered is what the interface says. */

const instance = await sharedInstance(roomy);
const home = homeOf(instance);

/** Members that the interface does not list: our explanations, and what the activity is about, which the tests above hold to it. */
const UNLISTED =
  /^get_policy_evaluations\.(mfaStatuses|proofs|warnings)$|^get_ip_allowlist\.allowlist\.notInForce$|^get_policy_evaluations\.(policyEvaluations\[\]\.){2}(reason|policyName|effect|failedClause|values|note)$|^(get_activity\.activity|list_activities\.activities\[\])\.(intent|result)\.\w+$|\.type=ACTIVITY_TYPE_COUNTERSIGN_/;

for (const operation of activities.flatMap(versionsOf)) {
  const { type, kind } = operation;
  test(`${type.replace('ACTIVITY_TYPE_', '')} is carried out, in the shapes of its version`, async () => {
    const place = (await PLACES[kind!.kind]?.(instance)) ?? home;
    const answer = await send(place.client, operation, await goodParameters(operation, thingsIn(place)));
    assert.equal(answer.status, 200, answer.text);
    const { activity } = answer.body;
    // The answer to a vote is the activity that was voted on.
    const wanted = kind!.votes === 'VOTE_SELECTION_REJECTED' ? 'REJECTED' : 'COMPLETED';
    assert.equal(activity.status, `ACTIVITY_STATUS_${wanted}`, answer.text);
    if (kind!.votes !== undefined) return;
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
  });
}

for (const operation of queries.map(queryOperation)) {
  test(`${operation.name} is answered in the interface's shape`, async () => {
    const answer = await send(home.client, operation, await goodParameters(operation, thingsIn(home)));
    assert.equal(answer.status, 200, answer.text);
    if (OURS_ALONE.includes(operation.name)) return;
    conforms(operation.name, queryFactOf.get(operation.path)!.response, answer.body, (place) => UNLISTED.test(place));
  });
}

test('nothing is written down for an operation that is not there', () => {
  const names = new Set([
    ...activities.flatMap((kind) => [kind.kind, ...kind.versions.keys()]),
    ...queries.map((kind) => kind.name),
  ]);
  for (const name of Object.keys({ ...RUNS, ...PLACES }))
    assert.ok(names.has(name), `${name}: take it out of tests/support/world/runs.ts`);
});
