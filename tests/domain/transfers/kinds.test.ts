import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activities } from '../../../src/activities/index.ts';
import { TRANSFERS_BY_KIND } from '../../../src/domain/transfers/kinds.ts';
import type { ActivityKind } from '../../../src/engine/activity/declare.ts';
import type { Custody } from '../../../src/engine/context.ts';

/** Whether activities with this custody may sign with keys of users. A new kind of custody does not compile without a line here. */
const SIGNS: Readonly<Record<Custody, boolean>> = {
  none: false,
  sign: true,
  spark: true,
  create: false,
  export: false,
  import: false,
  tokens: false,
  'one-time': false,
  codes: false,
  sessions: false,
  issue: false,
  oauth2: false,
  'on-ramp': false,
  proxy: false,
  quorum: false,
};

const signs = ({ custody, resource, action, usage }: ActivityKind): boolean =>
  custody.some((each) => SIGNS[each]) || (resource === 'PRIVATE_KEY' && action === 'SIGN') || usage.signatures !== undefined;

test('each kind that signs says what it takes, and no other kind does', () => {
  const signing = activities.filter(signs).map(({ kind }) => kind);
  assert.deepEqual(Object.keys(TRANSFERS_BY_KIND).sort(), signing.sort());
  assert.ok(signing.length >= 13, String(signing));
});
