import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { firstIdOf, timeOfId } from '../../src/base/id-time.ts';
import { prune } from '../../src/domain/velocity/prune.ts';
import type { Send } from '../../src/model/send.ts';
import type { VelocityControl } from '../../src/model/velocity-control.ts';
import type { Window } from '../../src/model/velocity-window.ts';
import { compareCounters } from '../../src/operator/velocity-check.ts';
import { type Archiver, openArchiver } from '../../src/store/archive/archiver.ts';
import { batches, KEPT_MS } from '../../src/store/archive/choose.ts';
import { ARCHIVE_FILE, attachArchive } from '../../src/store/archive/file.ts';
import { copyOnSqlite } from '../../src/store/archive/sqlite-move.ts';
import { connect } from '../../src/store/engines/sqlite.ts';
import { openStore } from '../../src/store/store.ts';
import { stored } from '../../src/store/table.ts';
import { activities, votes } from '../../src/store/tables/activities.ts';
import { audit } from '../../src/store/tables/audit.ts';
import { sendAttempts, sends } from '../../src/store/tables/sends.ts';
import { engineName } from '../support/database.ts';
import fc from '../support/properties.ts';
import { activityOf, auditOf, fill, idOf, NOW, type Opened, openMigrated, voteOf } from './fixture.ts';
import { spendOf, velocityControlOf } from './repositories/policies/velocity-row.ts';
import { attemptOf, sendOf } from './repositories/sends/send-rows.ts';

const DAY = 24 * 60 * 60 * 1000;
const BOUNDS = { rows: 3, bytes: 1e6 };
const SQLITE_ONLY = { skip: engineName !== 'sqlite' && 'about SQLite’s second file' };
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const ORG = uuid(1);
const OTHER = uuid(2);

/** The id of an activity made at a time, and its row. */
const idAt = (at: number, n: number): string => `${firstIdOf(at).slice(0, 14)}7000-8000-${String(n).padStart(12, '0')}`;

const oldActivity = (org: string, at: number, n: number, more: object = {}) =>
  activityOf(org, idAt(at, n), {
    fingerprint: `sha256:${String(n).padStart(64, '0')}`,
    createdAt: at,
    updatedAt: at,
    voteId: uuid(900),
    userId: uuid(901),
    credentialId: uuid(902),
    ...more,
  });

const AT_END = { activities: Number.MAX_SAFE_INTEGER, audit: Number.MAX_SAFE_INTEGER };

const FINISHED = [0, 1, 2, 3, 4, 5, 6].map((n) => NOW - (40 - n) * DAY);

/** Two organizations with old activities, one of which waits, one with votes; and one activity of today. */
async function filled(opened: Opened): Promise<void> {
  await opened.store.transaction(async (tx) => {
    for (const org of [ORG, OTHER]) {
      for (const [n, at] of FINISHED.entries()) await tx.activities.insert(oldActivity(org, at, n));
      await tx.activities.insert(oldActivity(org, FINISHED[0]!, 50, { status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' }));
      // Waited for long: what counts is when it finished.
      await tx.activities.insert(oldActivity(org, FINISHED[0]!, 51, { updatedAt: NOW - DAY }));
      const id = idAt(FINISHED[2]!, 2);
      const cast = { userId: uuid(903), credentialId: uuid(904), createdAt: FINISHED[2]! };
      await tx.activities.insertVote(voteOf(org, id, uuid(905), cast), { evaluations: [{ policyId: 'p', outcome: 'o' }] });
      await tx.audit.insert({ ...auditOf(org, id, uuid(906)), ...actorOf(org), createdAt: FINISHED[2]! });
    }
    await tx.activities.insert(oldActivity(ORG, NOW, 99));
    await tx.usage.moveTo(AT_END);
    await tx.auditFacts.moveTo(AT_END);
  });
}

const actorOf = (org: string) => ({ actorOrganizationId: org, actorUserId: uuid(901), credentialId: uuid(902) });

const archiverOf = ({ folder, url }: Opened, ships = false): Archiver => openArchiver({ folder, url, readOnly: false, ships });

async function archived(opened: Opened, before: number): Promise<number> {
  const archiver = archiverOf(opened);
  try {
    const cutoff = await archiver.cutoff(before);
    let moved = 0;
    for await (const batch of cutoff === undefined ? [] : archiver.batches(cutoff, BOUNDS))
      moved += await archiver.move(batch, cutoff!);
    return moved;
  } finally {
    await archiver.close();
  }
}

/** On SQLite the store is closed meanwhile: `opened.store` is another one after that. */
async function beside<T>(opened: Opened, work: () => Promise<T>): Promise<T> {
  if (engineName === 'postgres') return work();
  await opened.store.close();
  try {
    return await work();
  } finally {
    opened.store = openStore({ folder: opened.folder, url: undefined, poolSize: 1 });
  }
}

async function withStore(work: (opened: Opened) => Promise<void>): Promise<void> {
  const opened = await openMigrated();
  try {
    await filled(opened);
    await work(opened);
  } finally {
    if (engineName === 'sqlite') await opened.store.close();
    await opened.close();
  }
}

test('what finished before the time moves with all that belongs to it; the rest stays', () =>
  withStore(async (opened) => {
    const id = idAt(FINISHED[2]!, 2);
    const found = async () => [
      await opened.store.read.activities.get(ORG, id),
      await opened.store.read.activities.votes(ORG, id),
      [...(await opened.store.read.activities.votesOf(ORG, [id, idAt(NOW, 99)])).values()],
      await opened.store.read.evaluations.ofActivity(ORG, id),
    ];
    const before = await found();
    const { fingerprint } = before[0] as { fingerprint: string };
    assert.equal(await beside(opened, () => archived(opened, FINISHED[5]!)), 10);
    assert.deepEqual(await found(), before);
    const { read } = opened.store;
    assert.equal(await read.archive.idOf(ORG, fingerprint), id);
    assert.equal((await read.activities.byFingerprint(ORG, fingerprint))?.id, id);
    assert.deepEqual((await read.requestLookup.get(ORG, 'key', fingerprint)).existing, undefined);
    const nobody = uuid(77);
    assert.equal(await read.activities.get(nobody, id), undefined);
    assert.equal(await read.archive.idOf(nobody, fingerprint), undefined);
    assert.deepEqual(await read.activities.votes(nobody, id), []);
    assert.deepEqual(await read.evaluations.ofActivity(nobody, id), []);
    const listed = await read.activities.list(ORG, {}, { limit: 100 });
    assert.deepEqual(
      listed.map((one) => one.id),
      [idAt(NOW, 99), idAt(FINISHED[6]!, 6), idAt(FINISHED[5]!, 5), idAt(FINISHED[0]!, 51), idAt(FINISHED[0]!, 50)],
    );
    const left = async (table: string) => Number((await opened.raw(`SELECT count(*) AS n FROM ${table}`))[0]!.n);
    assert.deepEqual([await left('votes'), await left('audit')], [0, 0]);
    assert.equal(await beside(opened, () => archived(opened, FINISHED[5]!)), 0);
  }));

test('rows whose usage is not summed stay, and two days before them', () =>
  withStore(async (opened) => {
    const [{ position }] = (await opened.raw('SELECT min(position) AS position FROM activities')) as [{ position: number }];
    await opened.store.transaction((tx) => tx.usage.moveTo({ activities: Number(position) - 1, audit: Number.MAX_SAFE_INTEGER }));
    await beside(opened, async () => {
      const archiver = archiverOf(opened);
      assert.equal(await archiver.cutoff(NOW), FINISHED[0]! - KEPT_MS);
      await archiver.close();
      assert.equal(await archived(opened, NOW), 0);
    });
  }));

test('rows that wait to be shipped stay, and two days before them, if the record is shipped', () =>
  withStore(async (opened) => {
    await beside(opened, async () => {
      for (const [ships, cutoff] of [
        [true, FINISHED[0]! - KEPT_MS],
        [false, NOW - KEPT_MS],
      ] as const) {
        const archiver = archiverOf(opened, ships);
        assert.equal(await archiver.cutoff(NOW), cutoff);
        await archiver.close();
      }
    });
  }));

test('the last row that was written stays, and two days before it, whatever the time', () =>
  withStore(async (opened) => {
    await beside(opened, async () => {
      const archiver = archiverOf(opened);
      assert.equal(await archiver.cutoff(NOW + 900 * DAY), NOW - KEPT_MS);
      await archiver.close();
      assert.equal(await archived(opened, NOW + 900 * DAY), 14);
    });
    const [row] = await opened.raw('SELECT max(position) AS last FROM activities');
    await opened.store.transaction((tx) => tx.activities.insert(oldActivity(ORG, NOW, 100)));
    const [next] = await opened.raw('SELECT max(position) AS last FROM activities');
    assert.ok(Number(next!.last) > Number(row!.last), 'positions go on');
  }));

const times = [
  {
    name: 'its latest time',
    bodies: ['{"timestamp_ms":"1700000000001"}', '{"timestampMs":"1700000000000"}'],
    until: 1_700_000_000_001,
  },
  {
    name: 'a time that no number holds exactly',
    bodies: ['{"timestampMs":"9999999999999999999"}'],
    until: Number.MAX_SAFE_INTEGER,
  },
  { name: 'a body without a time', bodies: ['[]', '{"timestampMs":"1"}'], until: Number.MAX_SAFE_INTEGER },
];
for (const { name, bodies, until } of times)
  test(`an organization has the latest time of its archived bodies, at a new version: ${name}`, async () => {
    const opened = await openMigrated();
    try {
      await opened.store.transaction(async (tx) => {
        for (const org of ['one', 'other']) await fill(tx, org, null);
        for (const [n, body] of bodies.entries())
          await tx.activities.insert(oldActivity(idOf('one'), FINISHED[n]!, n, { body: Buffer.from(body) }));
        await tx.activities.insert(oldActivity(idOf('other'), NOW + 90 * DAY, 99));
      });
      const organizations = () => Promise.all(['one', 'other'].map((org) => opened.store.read.organizations.get(idOf(org))));
      const [one, other] = await organizations();
      assert.deepEqual([one!.archivedUntil, other!.archivedUntil], [0, 0]);
      await beside(opened, () => archived(opened, FINISHED[6]!));
      assert.deepEqual(await organizations(), [{ ...one!, archivedUntil: until, version: one!.version + 1 }, other]);
    } finally {
      if (engineName === 'sqlite') await opened.store.close();
      await opened.close();
    }
  });

test('an empty database has nothing to archive', async () => {
  const opened = await openMigrated();
  try {
    assert.equal(await beside(opened, () => archived(opened, NOW)), 0);
    assert.equal(await opened.store.lacksArchive(), false);
  } finally {
    if (engineName === 'sqlite') await opened.store.close();
    await opened.close();
  }
});

test('what an activity sent moves with it, once all of it is over', () =>
  withStore(async (opened) => {
    const [over, out, late] = [0, 1, 2].map((n) => idAt(FINISHED[n]!, n)) as [string, string, string];
    const sent = (activityId: string, id: string, more: Partial<Send>) => ({
      ...sendOf(ORG, id, { state: 'final', activityId, updatedAt: FINISHED[2]!, ...more }),
      organizationId: ORG,
      payerId: ORG,
      id,
    });
    // An activity that waited sends later.
    const final = sent(over, idAt(NOW - 5 * DAY, 60), {});
    const attempt = { ...attemptOf(ORG, final.id), organizationId: ORG, sendId: final.id };
    await opened.store.transaction(async (tx) => {
      await tx.sends.insert(final);
      await tx.sendAttempts.insert(attempt);
      await tx.sends.insert(sent(over, idAt(NOW - 5 * DAY, 61), { state: 'failed' }));
      await tx.sends.insert(sent(out, idAt(FINISHED[1]!, 62), { state: 'included' }));
      await tx.sends.insert(sent(late, idAt(FINISHED[2]!, 63), { updatedAt: NOW }));
    });
    const found = async ({ sends, sendAttempts } = opened.store.read) => [
      await sends.get(ORG, final.id),
      (await sends.ofActivity(ORG, over)).map(({ id }) => id),
      await sendAttempts.ofOver(ORG, final.id),
    ];
    const before = await found();
    assert.equal((before[2] as unknown[]).length, 1);
    assert.equal(await beside(opened, () => archived(opened, FINISHED[5]!)), 8, 'two activities of ten stay');
    assert.deepEqual(await found(), before);
    const left = async (table: string) => Number((await opened.raw(`SELECT count(*) AS n FROM ${table}`))[0]!.n);
    assert.deepEqual([await left('sends'), await left('send_attempts')], [2, 0]);
    assert.equal((await opened.store.read.sends.page(ORG, {}, { limit: 9 })).length, 2);
    assert.deepEqual(await opened.store.read.sends.ofActivity(uuid(77), over), []);
  }));

test('entries of limits stay as long as they count, also if their activity and its send are archived', () =>
  withStore(async (opened) => {
    const [sent, signed] = [0, 1].map((n) => idAt(FINISHED[n]!, n)) as [string, string];
    const failed = { ...sendOf(ORG, sent, { state: 'failed', activityId: sent, updatedAt: FINISHED[2]! }), organizationId: ORG };
    const windows: Record<string, [Window, VelocityControl['aggregation']['window']]> = {
      ever: [{ kind: 'infinite' }, { infinite: {} }],
      month: [{ kind: 'rolling', seconds: 30 * 86_400 }, { rolling: { duration: String(30 * 86_400) } }],
    };
    await opened.store.transaction(async (tx) => {
      await fill(tx, ORG, null);
      await tx.sends.insert({ ...failed, payerId: ORG, id: idAt(FINISHED[0]!, 60) });
      for (const [name, [window, given]] of Object.entries(windows)) {
        const aggregation = { ...velocityControlOf(ORG, name).aggregation, window: given };
        await tx.velocityControls.insert(velocityControlOf(ORG, name, { aggregation }));
        for (const [id, isReserved] of [
          [sent, true],
          [signed, false],
        ] as const)
          await tx.velocityCounters.count(ORG, id, [spendOf(name, { window, isReserved })], FINISHED[2]!);
      }
    });
    await beside(opened, () => archived(opened, FINISHED[5]!));
    const left = async (now: number) => {
      await opened.store.transaction(async (tx) => {
        for (let at = await prune(tx, {}, now); at !== undefined; ) at = await prune(tx, at, now);
      });
      const { read } = opened.store;
      assert.equal(await read.activities.get(ORG, sent).then((one) => one?.id), sent);
      assert.deepEqual((await compareCounters(read, () => now)).differing, []);
      return Promise.all(
        Object.keys(windows).map(async (name) => (await read.velocityCounters.entries(ORG, idOf(name), '', { limit: 9 })).length),
      );
    };
    assert.deepEqual(await left(FINISHED[2]! + DAY), [2, 2]);
    assert.deepEqual(await left(FINISHED[2]! + 40 * DAY), [2, 0]);
    await opened.store.transaction((tx) => tx.deletedOrganizations.add(ORG, NOW));
    const rows = async (table: string) => Number((await opened.raw(`SELECT count(*) AS n FROM ${table}`))[0]!.n);
    assert.deepEqual(
      [await rows('velocity_controls'), await rows('velocity_counters'), await rows('velocity_entries')],
      [0, 0, 0],
    );
  }));

test('SQLite: a run that ended between copy and deletion is done again', SQLITE_ONLY, () =>
  withStore(async (opened) => {
    const id = idAt(FINISHED[2]!, 2);
    await beside(opened, async () => {
      const db = new Database(join(opened.folder, 'countersign.db'));
      attachArchive(db, join(opened.folder, ARCHIVE_FILE));
      for await (const batch of batches(
        connect(db, (error) => error),
        FINISHED[5]!,
        BOUNDS,
      ))
        await copyOnSqlite(
          connect(db, (error) => error),
          batch,
        );
      // As if the database were an older backup: this row is what counts.
      db.exec(`UPDATE activities SET result = '{"later":1}'`);
      db.close();
    });
    const then = await opened.store.read.activities.votes(ORG, id);
    assert.equal(then.length, 2, 'each vote is found once');
    assert.equal(await beside(opened, () => archived(opened, FINISHED[5]!)), 10);
    assert.deepEqual(await opened.store.read.activities.votes(ORG, id), then);
    assert.equal((await opened.store.read.activities.get(ORG, id))?.result, '{"later":1}');
  }),
);

test('SQLite: without a durable copy nothing is deleted', SQLITE_ONLY, () =>
  withStore(async (opened) => {
    await beside(opened, async () => {
      const db = new Database(join(opened.folder, 'countersign.db'));
      attachArchive(db, join(opened.folder, ARCHIVE_FILE));
      // A copy that loses a column of one vote.
      db.exec(`CREATE TRIGGER archive.loses AFTER INSERT ON archived_votes BEGIN UPDATE archived_votes SET signature = ''; END`);
      db.close();
      await assert.rejects(archived(opened, FINISHED[5]!), /lacks rows of votes: nothing of its batch was deleted/);
    });
    assert.equal(Number((await opened.raw('SELECT count(*) AS n FROM votes'))[0]!.n), 2);
    assert.ok(Number((await opened.raw('SELECT count(*) AS n FROM activities'))[0]!.n) >= 16);
  }),
);

test('SQLite: an archive of another layout is refused, by the command and by the service', SQLITE_ONLY, () =>
  withStore((opened) =>
    beside(opened, async () => {
      const file = new Database(join(opened.folder, ARCHIVE_FILE));
      file.pragma('user_version = 99');
      await assert.rejects(archived(opened, FINISHED[5]!), /archive\.db cannot be used: .* layout is 99/);
      assert.throws(
        () => openStore({ folder: opened.folder, url: undefined, poolSize: 1 }),
        /archive\.db cannot be used: .* layout is 99/,
      );
      file.pragma('user_version = 0');
      file.close();
    }),
  ),
);

test('SQLite: the archive of layout 4 has these columns', SQLITE_ONLY, () => {
  // Archives of operators have them: a change needs another layout, and a step to it.
  const columns = [activities, votes, audit, sends, sendAttempts].map((table) =>
    stored(table)
      .map(({ name }) => name)
      .sort()
      .join(' '),
  );
  assert.deepEqual(columns, [
    'body created_at credential_id evaluations facts_after facts_version failure fingerprint id organization_id position public_key result scheme signature status type updated_at user_id user_version version vote_id',
    'activity_id created_at credential_id evaluations id message organization_id position public_key scheme selection signature user_id user_version',
    'activity_id actor_organization_id actor_user_id created_at credential_id event id organization_id position',
    'account activity_id block_hash block_number caip2 created_at due_at error from_address hash id intent kind message_nonce nonce ordered organization_id payer_id spent sponsored state updated_at version wish',
    'created_at fees hash last_valid_block_height may_be_sent nonce number organization_id purpose said send_id signed',
  ]);
});

test(
  'PostgreSQL: a month whose tables are there and not attached is named',
  {
    skip: engineName !== 'postgres' && 'about PostgreSQL',
  },
  () =>
    withStore(async (opened) => {
      const month = new Date(FINISHED[0]!).toISOString().slice(0, 7).replace('-', '_');
      await opened.raw(`CREATE TABLE archived_votes_${month} (id text)`);
      await assert.rejects(archived(opened, FINISHED[5]!), new RegExp(`archived_votes_${month} exists but is not attached`));
      await opened.raw(`DROP TABLE archived_votes_${month}`);
      assert.equal(await archived(opened, FINISHED[5]!), 10);
    }),
);

test('the time of an id is the time of which it is the first', () =>
  fc.assert(fc.property(fc.nat({ max: 2 ** 48 - 1 }), (ms) => assert.equal(timeOfId(firstIdOf(ms)), ms))));
