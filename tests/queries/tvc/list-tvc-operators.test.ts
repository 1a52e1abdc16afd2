import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTvcOperators } from '../../../src/queries/tvc/list-tvc-operators.ts';
import { newApp, newOperator, setOf } from '../../activities/tvc/support.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance();

test('an organization’s own operators are listed in the order of their creation, each once', async () => {
  const sub = (await instance.newSubOrganization('Sub', 1, 1)).clients[0]!;
  const operators = [newOperator(), newOperator(), newOperator()];
  for (const threshold of [1, 2]) await newApp(sub, operators, threshold, { shareSetParams: setOf(operators, 2) });
  const { body } = await sub.query('list_tvc_operators');
  assert.deepEqual(listTvcOperators.result.parse(body), body);
  assert.deepEqual(
    body.tvcOperators.map(({ name, publicKey }: { name: string; publicKey: string }) => [name, publicKey]),
    operators.map(({ name, publicKey }) => [name, publicKey]),
  );
  assert.deepEqual((await instance.root.query('list_tvc_operators')).body, { tvcOperators: [] });
});
