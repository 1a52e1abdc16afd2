import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, Busy } from '../../../src/base/errors.ts';
import { recipientsOf } from '../../../src/domain/audit/recipients.ts';

const NONE = {} as never;

const paying = (error: Error) =>
  recipientsOf(NONE, NONE, { kind: { takes: () => Promise.reject(error) }, intent: {}, subject: async () => undefined } as never);

test('a database that does not answer is not taken for an activity that pays no account', async () => {
  await assert.rejects(paying(new Busy('the connection to the database was lost')), Busy);
  await assert.rejects(paying(new ApiError('UNAVAILABLE')), ApiError);
  assert.deepEqual(await paying(new ApiError('INVALID_TRANSACTION')), []);
});
