import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apiKey, newKeys, userWith } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { openStream } from '../support/streams.ts';
import { waitFor } from '../support/wait.ts';

const instance = await sharedInstance();
const { root, url } = instance;

/** Returns the id of an activity that completed. */
async function act(client = root): Promise<string> {
  const { status, body, text } = await client.submit('CREATE_USER_TAG', { userTagName: `tag ${performance.now()}`, userIds: [] });
  assert.equal(status, 200, text);
  return body.activity.id;
}

test('a stream tells what happens from its beginning on, as a list shows it', async () => {
  await act();
  const stream = await openStream(url, root);
  assert.equal(stream.messages[0]!.event, 'ready');
  const ids = [await act(), await act()];
  await waitFor('both activities', () => stream.activities().length === 2);
  assert.deepEqual(stream.activities(), ids);
  const { body } = await root.query('list_activities', { paginationOptions: { limit: '1' } });
  const told = JSON.parse(stream.messages.at(-1)!.data);
  assert.deepEqual(told, { ...body.activities[0], canApprove: false, canReject: false });
  stream.close();
});
