import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { firstVote } from '../../src/model/activity.ts';
import { openStore } from '../../src/store/store.ts';
import type { Reader, Store } from '../../src/store/types.ts';
import { engineName, serverUrl } from '../support/database.ts';
import { claimDue } from '../support/outbox.ts';
import { reads } from './calls-of-reads.ts';
import {
  activityOf,
  auditOf,
  credentialOf,
  digestOf,
  fill,
  finished,
  idOf,
  NOW,
  type Opened,
  EMPTY as ORGANIZATION,
  openMigrated,
  userOf,
  voteOf,
} from './fixture.ts';

const onSqlite = serverUrl === undefined;

describe(`the store on ${engineName}`, () => {
  let opened: Opened;
  let store: Store;
  before(async () => {
    opened = await openMigrated();
    store = opened.store;
    await store.transaction(async (tx) => {
      await fill(tx, 'parent', null);
      await fill(tx, 'sub', 'parent');
      await fill(tx, 'other', null);
    });
    // This changes the user, so that there is an earlier version of it.
    for (const id of ['parent', 'sub', 'other'])
      await store.transaction((tx) => tx.credentials.insert(credentialOf(id, 'later', `later key of ${id}`)));
  });
  after(() => opened.close());

  let fresh = 0;
  const newOrganization = async (): Promise<string> => {
    const id = idOf(`organization ${++fresh}`);
    await store.transaction((tx) => fill(tx, id, null));
    return id;
  };

  test('a written row is read back as it was', async () => {
    const { organization, holder, existing } = await store.read.requestLookup.get(
      idOf('sub'),
      'key of sub',
      digestOf('activity'),
    );
    assert.deepEqual(organization, {
      id: idOf('sub'),
      parentId: idOf('parent'),
      name: 'name',
      version: 2,
      policiesVersion: 1,
      velocityVersion: 1,
      archivedUntil: 0,
      ipAllowlist: null,
      proxyUserId: null,
      rootRecovery: null,
      rootQuorum: { threshold: 1, userIds: [idOf('user')] },
      features: { FEATURE_NAME_EMAIL_AUTH: '' },
      createdAt: NOW,
      updatedAt: NOW,
    });
    assert.deepEqual(organization, await store.read.organizations.get(idOf('sub')));
    assert.deepEqual(holder?.user, { ...userOf('sub', 'user', 'parent'), mfaPolicyCount: 1, version: 2 });
    assert.deepEqual(holder?.credential, credentialOf('sub', 'credential', 'key of sub', 'parent'));
    assert.deepEqual(holder, await store.read.credentials.holder(idOf('sub'), 'key of sub'));
    assert.deepEqual(existing, activityOf('sub', 'activity'));
    assert.deepEqual(await store.read.activities.votes(idOf('sub'), idOf('activity')), [
      firstVote(activityOf('sub', 'activity')),
      voteOf('sub', 'activity', 'later vote'),
    ]);
    const evaluations = [{ policyId: idOf('policy'), outcome: 'OUTCOME_ALLOW' }];
    const evaluated = (await store.read.evaluations.ofActivity(idOf('sub'), idOf('activity'))).sort((a, b) =>
      a.id < b.id ? -1 : 1,
    );
    assert.deepEqual(
      evaluated,
      ['later vote', 'vote'].map(idOf).map((id) => ({ voteId: id, id, evaluations, createdAt: NOW })),
    );
    const found = await store.read.signers.find(idOf('sub'), 'private of sub');
    assert.deepEqual([found?.purpose, found?.sealed.toString()], ['private-key', 'private key of sub']);
    const odd = activityOf('sub', 'odd', {
      body: Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
      failure: { code: 3, message: 'äöü \u0001 "', details: [{ a: 1 }] },
      status: 'ACTIVITY_STATUS_FAILED',
      createdAt: 2 ** 53 - 1,
    });
    await store.transaction((tx) => tx.activities.insert(odd));
    assert.deepEqual(await store.read.activities.get(idOf('sub'), idOf('odd')), odd);
  });

  test('a transaction that throws leaves nothing, and its neighbours stay', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, i) =>
        store.transaction(async (tx) => {
          await tx.users.insert(userOf('other', `group ${i}`));
          await tx.credentials.insert(credentialOf('other', `group ${i}`, `group key ${i}`));
          if (i % 3 === 1) throw new Error(`no ${i}`);
          // A statement that the database refuses: the primary key is taken.
          if (i % 3 === 2) await tx.users.insert(userOf('other', `group ${i}`));
          return i;
        }),
      ),
    );
    for (const [i, outcome] of outcomes.entries()) {
      assert.equal(outcome.status, i % 3 === 0 ? 'fulfilled' : 'rejected', String(i));
      if (i % 3 === 1) assert.equal((outcome as PromiseRejectedResult).reason.message, `no ${i}`);
      const kept = i % 3 === 0;
      assert.equal((await store.read.users.get(idOf('other'), idOf(`group ${i}`))) !== undefined, kept, String(i));
      assert.equal((await store.read.credentials.get(idOf('other'), idOf(`group ${i}`))) !== undefined, kept, String(i));
    }
  });

  test('guarded writes and transactions in one group do not disturb each other', async () => {
    const org = await newOrganization();
    const all = await Promise.allSettled(
      Array.from({ length: 30 }, (_, i) =>
        i % 3 === 0
          ? store.record(finished(org, `mixed ${i}`, 1))
          : store.transaction(async (tx) => {
              await tx.users.insert(userOf(org, `mixed ${i}`));
              if (i % 3 === 1) throw new Error('no');
            }),
      ),
    );
    for (const [i, outcome] of all.entries()) {
      assert.equal(outcome.status, i % 3 === 1 ? 'rejected' : 'fulfilled');
      if (i % 3 === 0) assert.ok(await store.read.activities.get(org, idOf(`mixed ${i}`)));
      else assert.equal((await store.read.users.get(org, idOf(`mixed ${i}`))) !== undefined, i % 3 === 2);
    }
  });

  test('record: written once, `exists` for the fingerprint, `stale` where a fact moved; then nothing is written', async () => {
    const org = await newOrganization();
    const rows = async () => {
      const count = async (table: string) =>
        Number((await opened.raw(`SELECT count(*) AS n FROM ${table} WHERE organization_id = $1`, org))[0]!.n);
      return [await count('activities'), await count('votes'), await count('audit')];
    };
    assert.deepEqual(await rows(), [1, 1, 0]);
    assert.equal(await store.record(finished(org, 'a', 1)), 'written');
    assert.deepEqual(await rows(), [2, 1, 0], 'one row');
    assert.deepEqual(await store.read.activities.get(org, idOf('a')), activityOf(org, 'a'));
    assert.deepEqual(await store.read.activities.votes(org, idOf('a')), [firstVote(activityOf(org, 'a'))]);
    assert.equal(await store.record(finished(org, 'b', 1, { fingerprint: digestOf('a') })), 'exists');
    assert.equal(await store.record(finished(org, 'c', 2)), 'stale');
    assert.equal(
      await store.record({ ...finished(org, 'd', 1), facts: [{ organizationId: idOf('nowhere'), version: 1 }] }),
      'stale',
    );
    const parentMoved = {
      ...finished(org, 'e', 1),
      facts: [...finished(org, 'e', 1).facts, { organizationId: idOf('parent'), version: 9 }],
    };
    assert.equal(await store.record(parentMoved), 'stale');
    const known = { ...parentMoved, activity: { ...parentMoved.activity, fingerprint: digestOf('a') } };
    assert.equal(await store.record(known), 'stale', 'a stale caller is not even told that the body is known');
    assert.equal(await store.record({ ...parentMoved, facts: [{ organizationId: org, version: 1 }] }), 'written');
    assert.deepEqual(await rows(), [3, 1, 0]);
    // The same fingerprint in another organization is another activity.
    const { version: elsewhere } = (await store.read.organizations.get(idOf('other')))!;
    assert.equal(await store.record(finished('other', 'a', elsewhere)), 'written');
    const failed = finished(org, 'f', 1, { failure: { code: 7, message: 'no', details: [] }, status: 'ACTIVITY_STATUS_FAILED' });
    assert.equal(await store.record(failed), 'written');
    assert.deepEqual(await store.read.activities.get(org, idOf('f')), failed.activity);
  });

  test('twenty records of one fingerprint at once: one is written', async () => {
    const org = await newOrganization();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, i) => store.record(finished(org, `race ${i}`, 1, { fingerprint: digestOf('race') }))),
    );
    assert.equal(outcomes.filter((o) => o === 'written').length, 1);
    assert.equal(outcomes.filter((o) => o === 'exists').length, 19);
    assert.equal((await opened.raw('SELECT id FROM activities WHERE organization_id = $1', org)).length, 2);
  });

  test('records at once: each has an outcome of its own', async () => {
    const [org, other] = [await newOrganization(), await newOrganization()];
    await store.record(finished(org, 'before', 1));
    const outcomes = await Promise.all([
      store.record(finished(org, 'one', 1)),
      store.record(finished(org, 'again', 1, { fingerprint: digestOf('before') })),
      store.record(finished(other, 'two', 1, { fingerprint: digestOf('before') })),
      store.record(finished(other, 'old', 2)),
      store.record({ ...finished(org, 'three', 1), evaluations: { evaluations: [] } }),
    ]);
    assert.deepEqual(outcomes, ['written', 'exists', 'written', 'stale', 'written']);
    const written = await opened.raw('SELECT id FROM activities WHERE organization_id IN ($1, $2) ORDER BY id', org, other);
    assert.deepEqual(
      written.map(({ id }) => id).filter((id) => id !== idOf('activity')),
      ['before', 'one', 'three', 'two'].map(idOf),
    );
    const kept = 'SELECT id, evaluations FROM activities WHERE organization_id = $1 AND evaluations IS NOT NULL AND id <> $2';
    assert.deepEqual(await opened.raw(kept, org, idOf('activity')), [{ id: idOf('three'), evaluations: '{"evaluations":[]}' }]);
  });

  test('credentials, tags and imports that were begun go with the user', async () => {
    const org = await newOrganization();
    assert.equal(await store.transaction((tx) => tx.users.remove(org, idOf('another'), NOW)), false);
    assert.notEqual(await store.read.importTargets.get(org, idOf('user'), 'wallet'), undefined);
    assert.equal(await store.transaction((tx) => tx.users.remove(org, idOf('user'), NOW)), true);
    assert.equal(await store.read.importTargets.get(org, idOf('user'), 'wallet'), undefined);
    assert.deepEqual(await store.read.credentials.listByUser(org, idOf('user')), []);
    assert.deepEqual(await store.read.tags.ofMember(org, idOf('user')), []);
  });

  test('compare-and-set: of twenty at once one wins', async () => {
    const org = await newOrganization();
    const seen = activityOf(org, 'activity');
    const outcome = (result: string) => ({ status: seen.status, result, failure: null, factsVersion: 1 });
    const won = await Promise.all(
      Array.from({ length: 20 }, (_, i) => store.transaction((tx) => tx.activities.finish(seen, outcome(`"${i}"`), NOW + 1))),
    );
    assert.equal(won.filter(Boolean).length, 1);
    const now = await store.read.activities.get(org, idOf('activity'));
    assert.deepEqual([now?.result, now?.version, now?.updatedAt], [`"${won.indexOf(true)}"`, 2, NOW + 1]);
  });

  test('a decision that rests on an organization and a change of it never both pass', async () => {
    const org = await newOrganization();
    const { version: first } = (await store.read.organizations.get(org))!;
    for (let version = first; version < first + 10; version++) {
      const [, ...records] = await Promise.all([
        store.transaction((tx) => tx.organizations.change(org, { name: `${version}` }, NOW)),
        ...Array.from({ length: 5 }, (_, i) => store.record(finished(org, `${version}/${i}`, version))),
      ]);
      for (const outcome of records) assert.ok(outcome === 'written' || outcome === 'stale');
      assert.equal(await store.record(finished(org, `${version}/late`, version)), 'stale');
    }
  });

  test('inserts that must be unique say so, and lose nothing of the transaction', async () => {
    const org = await newOrganization();
    await store.transaction(async (tx) => {
      assert.equal(await tx.activities.insert(activityOf(org, 'second', { fingerprint: digestOf('activity') })), false);
      assert.equal(await tx.credentials.insert(credentialOf(org, 'second', `key of ${org}`)), false);
      const wallet = { organizationId: org, id: idOf('second'), name: 'name', exported: false, imported: false };
      assert.equal(await tx.wallets.insert({ ...wallet, createdAt: NOW, updatedAt: NOW }), false);
      assert.equal(await tx.credentials.remove(org, idOf('nothing'), NOW), false);
    });
  });

  /** Repositories whose rows belong to no organization, or that only the operator and the worker read. */
  const WORKERS =
    'outbox sendAccounts sendsOfAccount webhookEvents webhookQueues webhookKeys streams streamChanges scan watched summing auditing shipping allOrganizations allQuotas allVelocityControls allVelocityCounters freeDeployments'.split(
      ' ',
    );
  const PUBLIC = new Set(['instance', 'clock', 'rates', 'bootProofs', ...WORKERS]);
  /** Asked for tags that are not there, and for what is archived, or deleted: tests of their own. */
  const EMPTY = ['tags.existing', 'archive.idOf', 'deletedOrganizations.get', 'deletedOrganizations.next'];
  const nothing = (value: unknown): boolean =>
    [undefined, false, 0].includes(value as undefined) ||
    (Array.isArray(value) && value.length === 0) ||
    (value instanceof Set && value.size === 0) ||
    (value instanceof Map && [...value.values()].every(nothing));

  test('every read method gives an organization its own rows and nobody else’s', async () => {
    // Only a policy of an organization that was there leaves a change.
    await store.transaction((tx) => tx.policies.remove(idOf('sub'), idOf('nothing')));
    // `bare` exists and holds nothing; `nowhere` does not exist.
    await store.transaction((tx) =>
      tx.organizations.insert({
        ...ORGANIZATION,
        id: idOf('bare'),
        name: 'bare',
        rootQuorum: { threshold: 1, userIds: [] },
      }),
    );
    for (const [repository, methods] of Object.entries(store.read)) {
      if (PUBLIC.has(repository)) continue;
      for (const method of Object.keys(methods)) {
        const ask = async (asked: string, holder: string) => {
          const calls = reads(asked, holder)[repository as keyof Reader] as unknown as Record<string, unknown[][]>;
          assert.ok(calls[method], `${repository}.${method} is called by no test: add it to reads()`);
          // biome-ignore lint/suspicious/noExplicitAny: any method of any repository
          return Promise.all(calls[method].map((args) => (methods as any)[method](...args)));
        };
        const name = `${repository}.${method}`;
        for (const asked of ['bare', 'nowhere'])
          for (const value of await ask(asked, 'sub')) {
            if (asked === 'bare' && name.startsWith('organizations.') && !Array.isArray(value)) continue;
            if (name === 'requestLookup.get')
              assert.deepEqual([value.holder, value.existing], [undefined, undefined], `${name} of ${asked}`);
            else assert.ok(nothing(value), `${name} of ${asked}: ${JSON.stringify(value)}`);
          }
        const mine = name.includes('ubOrganization') ? await ask('parent', 'sub') : await ask('sub', 'sub');
        if (mine.every(nothing)) assert.ok(EMPTY.includes(name), `${name} finds what is there`);
      }
    }
  });

  test('the page of a list begins at its own edge, in both directions', async () => {
    const org = await newOrganization();
    const ids = Array.from({ length: 9 }, (_, i) => `p${i}`);
    for (const id of ids) await store.record(finished(org, id, 1, { type: id < 'p5' ? 'ACTIVITY_TYPE_A' : 'ACTIVITY_TYPE_B' }));
    const names = new Map(ids.map((id) => [idOf(id), id]));
    const list = async (page: object) =>
      (await store.read.activities.list(org, { types: ['ACTIVITY_TYPE_A', 'ACTIVITY_TYPE_B'] }, { limit: 3, ...page })).map((a) =>
        names.get(a.id),
      );
    assert.deepEqual(await list({}), ['p8', 'p7', 'p6']);
    assert.deepEqual(await list({ after: idOf('p6') }), ['p5', 'p4', 'p3']);
    assert.deepEqual(await list({ before: idOf('p4') }), ['p7', 'p6', 'p5']);
    assert.deepEqual(await list({ after: idOf('p6'), before: idOf('p2') }), ['p5', 'p4', 'p3']);
    assert.deepEqual(await list({ after: idOf('p0') }), []);
  });

  test('a row is invisible before its commit, except in its own transaction', async () => {
    const org = await newOrganization();
    await store.transaction(async (tx) => {
      await tx.users.insert(userOf(org, 'pending'));
      assert.ok(await tx.users.get(org, idOf('pending')));
      assert.equal(await store.read.users.get(org, idOf('pending')), undefined);
      assert.equal((await store.read.users.page(org, { limit: 10 })).length, 1);
    });
    assert.ok(await store.read.users.get(org, idOf('pending')));
    await assert.rejects(
      store.transaction(async (tx) => {
        await tx.users.insert(userOf(org, 'undone'));
        throw new Error('undone');
      }),
    );
    assert.equal(await store.read.users.get(org, idOf('undone')), undefined);
    assert.equal((await store.read.users.page(org, { limit: 10 })).length, 2);
  });

  test('an audit entry is written with its transaction or not at all', async () => {
    const org = await newOrganization();
    await assert.rejects(
      store.transaction(async (tx) => {
        await tx.audit.insert(auditOf(org, 'activity', 'one'));
        throw new Error('no');
      }),
    );
    await store.transaction((tx) => tx.audit.insert(auditOf(org, 'activity', 'two')));
    const rows = await opened.raw('SELECT id FROM audit WHERE organization_id = $1', org);
    assert.deepEqual(rows, [{ id: idOf('two') }]);
  });

  test('exclusively: one at a time, and a throw leaves nothing', async () => {
    let inside = 0;
    await Promise.all(
      Array.from({ length: 5 }, (_, i) =>
        store.exclusively(async (tx) => {
          assert.equal(++inside, 1);
          const made = Number((await tx.instance.get('counter')) ?? 0);
          await tx.instance.put('counter', String(made + 1));
          await tx.instance.put(`exclusive ${i}`, '1');
          inside--;
        }),
      ),
    );
    assert.equal(await store.read.instance.get('counter'), '5');
    await assert.rejects(
      store.exclusively(async (tx) => {
        await tx.instance.put('counter', '6');
        throw new Error('no');
      }),
      /^Error: no$/,
    );
    assert.equal(await store.read.instance.get('counter'), '5');
  });
});

describe(`the outbox on ${engineName}`, () => {
  let opened: Opened;
  let store: Store;
  before(async () => {
    opened = await openMigrated();
    store = opened.store;
  });
  after(() => opened.close());

  const LEASE = 60_000;
  const put = (id: string, activityId: string, createdAt = NOW) =>
    store.transaction((tx) =>
      tx.outbox.insert({ id, organizationId: idOf('o'), activityId: idOf(activityId), topic: 'mail', payload: '{}', createdAt }),
    );
  const claim = async (now: number, limit = 100, from = store) =>
    (await claimDue(from, 'mail', now, LEASE, limit)).map((m) => m.id);
  const done = (id: string) => store.transaction((tx) => tx.outbox.done(id));

  test('of one activity one message at a time, in order; of several activities side by side', async () => {
    // Written in another order than their ids.
    for (const [id, activity] of [
      ['a3', 'a'],
      ['a1', 'a'],
      ['b1', 'b'],
      ['a2', 'a'],
    ] as const)
      await put(id, activity);
    assert.deepEqual(await claim(NOW), ['a1', 'b1']);
    assert.deepEqual(await claim(NOW), [], 'leased, and what follows waits');
    await done('b1');
    await done('a1');
    assert.deepEqual(await claim(NOW), ['a2']);
    await store.transaction((tx) => tx.outbox.retryAt({ id: 'a2', attempts: 1 }, NOW + 5000, 'down'));
    assert.deepEqual(await claim(NOW + 4999), [], 'a3 does not overtake');
    assert.deepEqual(await claim(NOW + 5000), ['a2']);
    await store.transaction((tx) => tx.outbox.dead({ id: 'a2', attempts: 2 }, 'down'));
    assert.deepEqual(await claim(NOW + 5000), ['a3'], 'one that was given up holds nobody back');
    await done('a3');
    assert.deepEqual(await claim(NOW + 1e9), []);
  });

  test('a lease ends exactly when it says, and attempts are counted', async () => {
    await put('c1', 'c');
    for (const attempt of [1, 2, 3]) {
      const now = NOW + LEASE * (attempt - 1);
      const [message] = await claimDue(store, 'mail', now, LEASE, 10);
      assert.deepEqual([message?.id, message?.attempts], ['c1', attempt]);
      assert.deepEqual(await claim(now + LEASE - 1), []);
    }
    await done('c1');
  });

  test('not before it is due, and the limit holds', async () => {
    await put('d1', 'd1', NOW + 10);
    await put('d2', 'd2', NOW + 20);
    await put('d3', 'd3', NOW + 20);
    assert.deepEqual(await claim(NOW + 9), []);
    assert.deepEqual(await claim(NOW + 20, 2), ['d1', 'd2']);
    assert.deepEqual(await claim(NOW + 20, 2), ['d3']);
    for (const id of ['d1', 'd2', 'd3']) await done(id);
  });

  test('many workers at once: nothing is given out twice, nothing is forgotten', async () => {
    const ids = Array.from({ length: 60 }, (_, i) => `e${String(i).padStart(2, '0')}`);
    for (const id of ids) await put(id, id);
    const second = onSqlite ? store : openStore({ folder: opened.folder, url: opened.url, poolSize: 8 });
    const given: string[] = [];
    for (let round = 0; round < 20 && given.length < ids.length; round++)
      given.push(...(await Promise.all(Array.from({ length: 8 }, (_, i) => claim(NOW, 5, i % 2 ? store : second)))).flat());
    if (second !== store) await second.close();
    assert.deepEqual(given.toSorted(), ids);
  });

  test('a message whose transaction failed is never given out', async () => {
    await assert.rejects(
      store.transaction(async (tx) => {
        await tx.outbox.insert({
          id: 'f',
          organizationId: idOf('o'),
          activityId: idOf('f'),
          topic: 'mail',
          payload: '{}',
          createdAt: NOW,
        });
        throw new Error('no');
      }),
    );
    assert.deepEqual(await claim(NOW + 1), []);
  });
});

test('a second process on the same SQLite folder is refused, and the lock is named', {
  skip: !onSqlite && 'PostgreSQL serves several processes',
}, async () => {
  const opened = await openMigrated();
  const url = new URL('../../src/store/store.ts', import.meta.url);
  const open = () => {
    const program = `const { openStore } = await import(${JSON.stringify(url.href)});
      const store = openStore({ folder: ${JSON.stringify(opened.folder)}, poolSize: 1 });
      await store.migrate(1); console.log('opened'); await store.close();`;
    return spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
    });
  };
  const refused = open();
  assert.notEqual(refused.status, 0);
  assert.match(refused.stderr, /another process already uses this data folder: it holds the lock .*countersign\.lock/);
  assert.throws(() => openStore({ folder: opened.folder, poolSize: 1 }), /holds the lock/);
  await opened.store.transaction((tx) => fill(tx, 'still works', null));
  await opened.store.close();
  const next = open();
  assert.match(next.stdout, /opened/, next.stderr);
  rmSync(opened.folder, { recursive: true, force: true });
});
