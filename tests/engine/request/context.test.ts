import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsOf, type RequestContext } from '../../../src/engine/request/context.ts';

const request = (organization: object, caller: object) => ({ organization, caller: { organization: caller } }) as RequestContext;

test('a record names the version of every organization that took part, each once, the parent first', () => {
  const [own, parent] = [
    { id: 'own', version: 3 },
    { id: 'parent', version: 7 },
  ];
  assert.deepEqual(factsOf(request(own, { ...own })), [{ organizationId: 'own', version: 3 }]);
  assert.deepEqual(factsOf(request(own, parent)), [
    { organizationId: 'parent', version: 7 },
    { organizationId: 'own', version: 3 },
  ]);
});
