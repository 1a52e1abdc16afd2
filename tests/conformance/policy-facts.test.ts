import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { policyEnvironment as environment } from '../../src/app/policy-environment.ts';
import { decodeActivity, resolveActivity } from '../../src/engine/activity/decode.ts';
import { interfaceNames } from '../../src/model/interface-names.ts';
import { samples } from '../support/all-samples.ts';

const facts = JSON.parse(readFileSync(new URL('interface.json', import.meta.url), 'utf8')) as {
  typeNames: string[];
  activityTypes: Record<string, { resource: string; action: string }>;
};

test('the names of the published interface are those of the facts, and what is served is among them', () => {
  assert.deepEqual([...interfaceNames.type].sort(), [...facts.typeNames].sort());
  for (const { type } of environment.activities) assert.ok(interfaceNames.type.includes(type), type);
});

test('for later is what nothing served has', () => {
  for (const field of ['type', 'kind', 'resource', 'action'] as const) {
    const served = new Set(environment.activities.map((row) => row[field]));
    const later = environment.later[field]!;
    assert.ok(later.length > 0 && later.every((name) => !served.has(name)), field);
  }
});

test('no activity shows a root that it does not declare, and each root that is declared is of the language', async () => {
  const nothing = new Proxy({}, { get: () => async () => undefined });
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
