import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Vote } from '../../../../src/model/activity.ts';
import { activityOf, credentialOf, fill, idOf, NOW, openMigrated, sessionOf, voteOf } from '../../fixture.ts';

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
      kept.map((then) => then && [then.tags, then.credentials.filter(({ expiresAt }) => expiresAt === null).map(({ id }) => id)]),
      [
        [[idOf('tag')], [idOf('credential')]],
        [[], [idOf('credential')]],
        [[], [idOf('credential'), idOf('second')]],
        [[], [idOf('second')]],
        undefined,
      ],
    );
    assert.deepEqual(kept[0]?.user, before);
    assert.deepEqual(kept[0]?.credentials[0], credentialOf(org, idOf('credential'), `key of ${org}`));
    assert.equal(await store.read.users.get(org, idOf('user')), undefined);
  } finally {
    await opened.close();
  }
});

test('a session begins and ends without a new version of its user, and its key is kept', async () => {
  const opened = await openMigrated();
  const { store } = opened;
  const org = idOf('organization');
  try {
    await store.transaction((tx) => fill(tx, org, null));
    const before = await store.read.users.get(org, idOf('user'));
    const session = sessionOf(org, 'session', 'session key');
    await store.transaction((tx) => tx.credentials.insert(session));
    const version = (await store.read.organizations.get(org))!.version;
    await store.transaction((tx) => tx.credentials.remove(org, session.id, NOW + 1));
    assert.deepEqual(await store.read.users.get(org, idOf('user')), before);
    assert.equal(await store.read.users.past(org, idOf('user'), before!.version), undefined);
    assert.deepEqual(await store.read.credentials.ended(org, session.id), session);
    assert.equal((await store.read.organizations.get(org))!.version, version + 1, 'decisions with the key are made anew');
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

const DAY = 24 * 60 * 60 * 1000;

test('a user has one vote that counts, the submitter too', async () => {
  const opened = await openMigrated();
  const { store } = opened;
  const org = idOf('organization');
  const activity = idOf('waits');
  const cast = (id: string, more: Partial<Vote>) =>
    store.transaction((tx) => tx.activities.insertVote(voteOf(org, activity, id, more)));
  try {
    await store.transaction(async (tx) => {
      await fill(tx, org, null);
      await tx.activities.insert(activityOf(org, activity));
      await tx.credentials.insert(credentialOf(org, 'second', 'second key'));
    });
    assert.equal(await cast('a', { userId: 'user' }), false, 'the submitter has voted');
    assert.equal(await cast('b', { userId: 'user', position: 2, credentialId: idOf('second'), publicKey: 'other' }), false);
    assert.equal(await cast('c', {}), true);
    assert.equal(await cast('d', { position: 2 }), false);
    const rejected = { userId: 'user', selection: 'VOTE_SELECTION_REJECTED' } as const;
    assert.equal(await cast('e', rejected), true, 'who approved may reject');
    assert.equal(await cast('f', rejected), false);

    // What no longer counts may be given again: after a day, and with another key once the first is gone.
    const lapsed = { createdAt: NOW + DAY };
    assert.equal(await cast('g', { userId: 'user', position: 3, createdAt: NOW + DAY - 1 }), false);
    assert.equal(await cast('h', { userId: 'user', position: 3, ...lapsed }), true);
    assert.equal(await cast('i', { userId: 'user', position: 4, ...lapsed }), false);
    await store.transaction((tx) => tx.credentials.remove(org, idOf('credential'), NOW));
    assert.equal(await cast('j', { userId: 'user', position: 4, credentialId: idOf('second'), ...lapsed }), true);
    assert.deepEqual(
      (await store.read.activities.votes(org, activity)).map(({ id }) => id),
      ['vote', 'c', 'e', 'h', 'j'].map(idOf),
    );
  } finally {
    await opened.close();
  }
});

test('of votes by one user at one version of an activity one is kept, whatever each transaction read before', async () => {
  const opened = await openMigrated();
  const { store } = opened;
  const org = idOf('organization');
  try {
    await store.transaction((tx) => fill(tx, org, null));
    const cast = (i: number) =>
      store.transaction((tx) => tx.activities.insertVote(voteOf(org, 'activity', `new ${i}`, { userId: 'third' })));
    const kept = await Promise.all(Array.from({ length: 12 }, (_, i) => cast(i)));
    assert.equal(kept.filter(Boolean).length, 1);
    // The constraint itself, past the store.
    const [row] = await opened.raw('SELECT * FROM votes WHERE organization_id = $1 AND user_id = $2', org, idOf('third'));
    const again = { ...row, id: idOf('another') };
    const marks = Object.keys(again).map((_, i) => `$${i + 1}`);
    const insert = `INSERT INTO votes (${Object.keys(again).join(', ')}) VALUES (${marks.join(', ')})`;
    await assert.rejects(opened.raw(insert, ...Object.values(again)), /unique/i);
  } finally {
    await opened.close();
  }
});
