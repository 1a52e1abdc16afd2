import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { ApiError } from '../../../src/base/errors.ts';
import { validate } from '../../../src/engine/request/body.ts';

test('a refusal names twenty members that are not known at most: an answer is not many times as large as its request', () => {
  const members = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, 1]));
  const check = (error: unknown) => {
    assert.ok(error instanceof ApiError && error.code === 'REQUEST_INVALID');
    assert.match(error.message, /^bad request body: parameters\.k0: is not a known member; /);
    assert.ok(error.message.length < 1000, `${error.message.length} characters`);
    assert.ok(JSON.stringify(error.details).length < 3000);
    return true;
  };
  assert.throws(() => validate(z.strictObject({ name: z.string().optional() }), members, 'parameters'), check);
});
