import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samples } from '../../support/all-samples.ts';
import { resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

const TYPE = 'CREATE_TVC_OPERATOR';
const KEY = 'createTvcOperatorResult';
const sample = samples('CREATE_TVC_OPERATOR') as object;

test('accepted', async () => {
  const result = resultOf(await instance.root.submit(TYPE, sample), KEY);
  assert.fail(`compare ${JSON.stringify(result)} with what it should be, and read by a query what changed`);
});

test('each listed error', () => {
  assert.fail('show when each code of errors is answered, and that nothing changed then');
});
