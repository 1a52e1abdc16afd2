/** Where an activity runs. Only types that the service runs elsewhere may name another organization. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareWithService, reviewOf, unprovenPlace } from '../../review/index.ts';
import { activities } from '../../src/activities/index.ts';

const ABOVE = '0191f3c2-0000-7000-8000-000000000001';
const HERE = '0191f3c2-0000-7000-8000-000000000002';

const reviewed = (type: string) =>
  reviewOf(Buffer.from(JSON.stringify({ type, timestampMs: '1796000000000', organizationId: ABOVE, parameters: {} })));

/** What a review says if the service says that an activity runs there. */
function said(type: string, organizationId: string) {
  const review = reviewed(type);
  const { fingerprint } = review;
  const answer = { fingerprint, type, intent: { intent: {} }, organizationId };
  return { differences: compareWithService(review, answer), unproven: unprovenPlace(review, organizationId) };
}

test('a body may name the organization above only in types that the service takes from below', () => {
  const note = `the body names the organization ${ABOVE}. It runs in ${HERE}, as the service says`;
  let below = 0;
  for (const { submitters, versions, aliases = {} } of activities)
    for (const type of [...versions.keys(), ...Object.keys(aliases)]) {
      const isBelow = submitters.from === 'below';
      below += Number(isBelow);
      const elsewhere = said(type, HERE);
      assert.deepEqual(elsewhere.unproven, isBelow ? [note] : [], type);
      assert.equal(elsewhere.differences.length, isBelow ? 0 : 1, type);
      if (type.includes('CREATE_ORGANIZATION')) continue;
      assert.deepEqual(said(type, ABOVE), { differences: [], unproven: [] }, type);
    }
  assert.equal(below, 4);
});

test('a new organization has the id that results from the body', () => {
  const kind = activities.find((each) => each.kind === 'CREATE_ORGANIZATION')!;
  const [type] = kind.versions.keys();
  const { fingerprint } = reviewed(type!);
  const runsIn = kind.runsIn!({ timestampMs: '1796000000000', fingerprint });
  assert.deepEqual(said(type!, runsIn), { differences: [], unproven: [] });
  assert.match(said(type!, ABOVE).differences.join(), /names another organization/);
});
