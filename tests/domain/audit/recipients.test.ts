/** The accounts that an activity pays, for the record: a database that fails in between must not make them unknown. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, Busy, Unreachable } from '../../../src/base/errors.ts';
import { recipientsOf } from '../../../src/domain/audit/recipients.ts';

/** The recipients of an activity whose reading fails. */
const failing = (error: Error) => {
  const kind = { resolve: async () => undefined, takes: () => Promise.reject(error) };
  return recipientsOf({} as never, {} as never, { kind, intent: {} } as never);
};

test('a failure that passes is thrown, so that the reading is done again', async () => {
  for (const error of [new Busy('the connection was lost'), new Unreachable('no node'), new ApiError('UNAVAILABLE')])
    await assert.rejects(failing(error), error);
});

test('what cannot be read pays no known account', async () => {
  for (const error of [new TypeError('hostile'), new ApiError('INVALID_TRANSACTION')]) assert.deepEqual(await failing(error), []);
});
