import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listSecrets } from '../../../src/queries/secrets/list-secrets.ts';
import { imported } from '../../activities/secrets/support.ts';
import type { Client } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refusesEachQuery } from '../../support/refusals.ts';
import { badPagination, pages } from '../support.ts';

const instance = await sharedInstance();

const list = async (client: Client, paginationOptions: object = { limit: '100' }) => {
  const { status, body, text } = await client.query('list_secrets', { paginationOptions });
  assert.equal(status, 200, text);
  assert.deepEqual(listSecrets.result.parse(body), body, 'the answer has its declared shape');
  return body.secrets as { secretId: string }[];
};

test('an organization’s own, newest first, in pages', async () => {
  const { root } = instance;
  const other = (await instance.newSubOrganization('Other', 1, 1)).clients[0]!;
  await imported(other, ['of another']);
  const staticProperties = [{ key: 'kind', value: 'token' }, { key: 'owner' }];
  const [named, plain] = await imported(root, ['a', { name: 'Token', staticProperties }], ['b']);
  const createdAtUnixMs = String(instance.clock.now());
  const [second, first] = await list(root);
  assert.deepEqual(first, {
    secretId: named,
    name: 'Token',
    staticProperties: [
      { key: 'kind', value: 'token' },
      { key: 'owner', value: '' },
    ],
    createdAtUnixMs: first && 'createdAtUnixMs' in first ? first.createdAtUnixMs : createdAtUnixMs,
  });
  assert.deepEqual(Object.keys(second!), ['secretId', 'staticProperties', 'createdAtUnixMs']);
  assert.equal(second!.secretId, plain);
  const all = [...(await imported(root, ['c'], ['d'], ['e'])).reverse(), plain!, named!];
  await pages(all, async (options) => (await list(root, options)).map(({ secretId }) => secretId));
  assert.equal((await list(other)).length, 1);
});

test('bad pages are named', () => refusesEachQuery(instance.root, 'list_secrets', badPagination));
