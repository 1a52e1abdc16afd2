import assert from 'node:assert/strict';
import { test } from 'node:test';
import { activityOf, credentialOf, fill, idOf, NOW, openMigrated, voteOf } from './fixture.ts';

test('a user is kept as they were before each change, and before the end', async () => {
  const opened = await openMigrated();
  const { store } = opened;
  const org = idOf('organization');
  try {
    await store.transaction((tx) => fill(tx, org, null));
    const before = await store.read.users.get(org, idOf('user'));
    assert.equal(before?.version, 1, 'what its own transaction adds to a new user is no change');
    await store.transaction(async (tx) => {
      await tx.tags.drop(org, idOf('tag'), idOf('user'), NOW + 1);
      await tx.tags.add(org, idOf('tag'), idOf('user'), NOW + 1);
      await tx.tags.dropMember(org, idOf('user'), NOW + 1);
    });
    await store.transaction((tx) => tx.credentials.insert(credentialOf(org, 'second', 'second key')));
    await store.transaction((tx) => tx.credentials.remove(org, idOf('credential'), NOW + 2));
    await store.transaction((tx) => tx.users.remove(org, idOf('user'), NOW + 3));
    const past = (version: number) => store.read.users.past(org, idOf('user'), version);
    const kept = await Promise.all([1, 2, 3, 4, 5].map(past));
    assert.deepEqual(
      kept.map((then) => then && [then.tags, then.credentials.map(({ id }) => id)]),
      [
        [[idOf('tag')], [idOf('credential')]],
        [[], [idOf('credential')]],
        [[], [idOf('credential'), idOf('second')]],
        [[], [idOf('second')]],
        undefined,
      ],
    );
    assert.deepEqual(kept[0]?.user, before);
    assert.deepEqual(kept[0]?.credentials, [credentialOf(org, idOf('credential'), `key of ${org}`)]);
    assert.equal(await store.read.users.get(org, idOf('user')), undefined);
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
      await tx.activities.insert(activityOf('organization', 'ordered', { voteId: 'z' }));
      for (const [i, id] of ['c', 'a', 'b'].entries())
        await tx.activities.insertVote(voteOf('organization', 'ordered', id, { position: i + 1, userId: `user ${id}` }));
    });
    const { activities } = store.read;
    for (const votes of [
      await activities.votes(idOf('organization'), idOf('ordered')),
      (await activities.votesOf(idOf('organization'), [idOf('ordered')])).get(idOf('ordered'))!,
    ])
      assert.deepEqual(
        votes.map(({ id }) => id),
        ['z', 'c', 'a', 'b'].map(idOf),
      );
  } finally {
    await opened.close();
  }
});
