import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { policyEnvironment as environment } from '../../src/app/policy-environment.ts';
import { decodeActivity, resolveActivity } from '../../src/engine/activity/decode.ts';
import { interfaceNames, interfacePaths } from '../../src/model/interface-names.ts';
import { samples } from '../support/all-samples.ts';
import { activityFacts, queryFacts } from './interface.ts';
import { isOurs } from './not-yet.ts';

const sorted = (names: Iterable<string | undefined>) => [...new Set(names)].filter((name) => name !== undefined).sort();

test('the names that the program knows are those of the interface, and what is served is among them', () => {
  assert.deepEqual(sorted(interfaceNames.type), sorted(activityFacts.flatMap((fact) => Object.keys(fact.versions))));
  for (const field of ['kind', 'resource', 'action'] as const)
    assert.deepEqual(sorted(interfaceNames[field]), sorted(activityFacts.map((fact) => fact[field] || undefined)), field);
  assert.deepEqual(sorted(interfacePaths), sorted([...activityFacts, ...queryFacts].map((fact) => fact.path)));
  for (const { type } of environment.activities) assert.ok(interfaceNames.type.includes(type) || isOurs(type), type);
});

test('names for later are those of no served operation', () => {
  for (const field of ['type', 'kind', 'resource', 'action'] as const) {
    const served = new Set(environment.activities.map((row) => row[field]));
    const later = environment.later[field]!;
    assert.ok(
      later.every((name) => !served.has(name)),
      field,
    );
  }
});

test('no activity shows a root that it does not declare, and each root that is declared is of the language', async () => {
  const nothing = new Proxy({}, { get: (_, method) => async () => (method === 'byIds' ? [] : undefined) });
  const read = new Proxy({}, { get: () => nothing });
  let shown = 0;
  for (const kind of activities) {
    const version = [...kind.versions.values()].at(-1)!;
    const decoded = decodeActivity(kind, version, samples(kind.kind), '0');
    for (const view of await resolveActivity(read as never, { id: '' } as never, decoded).views()) {
      for (const root of Object.keys(view)) assert.ok(kind.policyRoots.includes(root), `${kind.kind}: ${root}`);
      shown += Object.keys(view).length;
    }
    for (const root of kind.policyRoots) assert.equal(environment.roots.get(root)?.part, 'condition', root);
  }
  assert.ok(shown > 10);
});

test('the parameters that are enumerations are known by their values', () => {
  const { encoding, hash_function, type } = environment.shapes.Parameters!;
  assert.deepEqual(type?.values?.length, 5);
  assert.ok(hash_function?.values?.includes('HASH_FUNCTION_KECCAK256'));
  assert.ok(environment.activities.some(({ unread }) => unread !== undefined));
  for (const { unread } of environment.activities)
    for (const value of unread?.encoding ?? []) assert.ok(encoding?.values?.includes(value), value);
});
