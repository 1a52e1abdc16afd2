import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listTvcApps } from '../../../src/queries/tvc/list-tvc-apps.ts';
import { newApp, newOperator } from '../../activities/tvc/support.ts';
import type { Client } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';

const instance = await sharedInstance({ APPS_DOMAIN: 'apps.example.net' });

const listed = async (client: Client): Promise<{ id: string; publicDomain: string }[]> => {
  const { body } = await client.query('list_tvc_apps');
  assert.deepEqual(listTvcApps.result.parse(body), body);
  return body.tvcApps;
};

test('an organization’s own apps are listed in the order of their creation, to users of its parent too', async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Apps', 1, 1);
  assert.deepEqual(await listed(clients[0]!), []);
  const ids: string[] = [];
  // More than the first slice has.
  for (let i = 0; i < 12; i++) ids.push((await newApp(clients[0]!, [newOperator()])).appId);
  for (const client of [clients[0]!, instance.root.as(instance.root.keys, organizationId)])
    assert.deepEqual(
      (await listed(client)).map(({ id, publicDomain }) => [id, publicDomain]),
      ids.map((id) => [id, `app-${id}.apps.example.net`]),
    );
  assert.deepEqual(await listed(instance.root), []);
});
