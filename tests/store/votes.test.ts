import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activityOf, credentialOf, fill, NOW, openMigrated, voteOf } from './fixture.ts';

test('a user is kept as they were before each change, and before the end', async () => {
  const opened = await openMigrated();
  const { store } = opened;
  const org = 'organization';
  try {
    await store.transaction((tx) => fill(tx, org, null));
    const before = await store.read.users.get(org, 'user');
    assert.equal(before?.version, 2);
    await store.transaction(async (tx) => {
      await tx.users.change(org, 'user', NOW + 1);
      await tx.tags.drop(org, 'tag', 'user');
      await tx.users.change(org, 'user', NOW + 2);
      await tx.credentials.remove(org, 'credential');
      await tx.users.remove(org, 'user');
    });
    const past = (version: number) => store.read.users.past(org, 'user', version);
    const tags = await Promise.all([1, 2, 3, 4, 5].map(async (version) => (await past(version))?.tags));
    assert.deepEqual(tags, [[], ['tag'], [], [], undefined]);
    assert.deepEqual((await past(2))?.user, before);
    assert.deepEqual((await past(3))?.credentials, [credentialOf(org, 'credential', `key of ${org}`)]);
    assert.deepEqual((await past(4))?.credentials, []);
    assert.equal(await store.read.users.get(org, 'user'), undefined);
  } finally {
    await opened.close();
  }
});

test('votes come in the order in which they were cast, whatever the clocks say that made their ids', async () => {
  const opened = await openMigrated();
  const { store } = opened;
  try {
    await store.transaction(async (tx) => {
      await fill(tx, 'organization', null);
      await tx.activities.insert(activityOf('organization', 'ordered'));
      for (const [position, id] of ['c', 'a', 'b'].entries())
        await tx.activities.insertVote({ ...voteOf('organization', 'ordered', id), position });
    });
    const { activities } = store.read;
    for (const votes of [
      await activities.votes('organization', 'ordered'),
      (await activities.votesOf('organization', ['ordered'])).get('ordered')!,
    ])
      assert.deepEqual(
        votes.map(({ id }) => id),
        ['c', 'a', 'b'],
      );
  } finally {
    await opened.close();
  }
});
