import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activities } from '../../src/activities/index.ts';
import { parameterTable } from '../../src/policy/index.ts';
import { samples } from '../support/all-samples.ts';

const parametersOf = (type: string): string[] => Object.keys(parameterTable[type] ?? {}).sort();

test('what an activity shows to policies is what the language declares for its type', () => {
  for (const kind of activities) {
    for (const { type, version } of kind.versions.values()) {
      if (version !== [...kind.versions.values()].at(-1)!.version) continue;
      const shown = kind.params.schema(version).parse(samples(kind.kind));
      const params = kind.policyParams(kind.params.raise(version, shown));
      assert.deepEqual(Object.keys(params).sort(), parametersOf(type), type);
    }
  }
});

test('every version of a kind shows the same fields', () => {
  for (const kind of activities) {
    const fields = [...kind.versions.keys()].map((type) => parametersOf(type).join());
    assert.equal(new Set(fields).size, 1, kind.kind);
  }
});
