/** Sends that count in a limit over time, in a service that is killed while they are settled. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { compareCounters } from '../../../../src/operator/velocity-check.ts';
import { openReadOnly } from '../../../../src/store/store.ts';
import { weiControl } from '../../../activities/velocity-controls/spends.ts';
import { resultOf } from '../../../support/client.ts';
import { freshDatabase, rawSql } from '../../../support/database.ts';
import { amount } from '../../../support/full.ts';
import { startWorld, trySchedule, type World } from './matrix.ts';
import { type Able, ALL, scheduleOf } from './schedule.ts';

const SEEDS = amount(2, 2, 200);
/** Sends of value make entries. */
const ABLE: Able = {
  ...ALL,
  kinds: ['value', 'batch', 'value'],
  points: ['before settle', 'after settle', 'before receipt', 'after store'],
};

let world: World;
before(async () => {
  world = await startWorld(await freshDatabase());
  const dataSource = { chainAssetTransfer: { definition: [{ caip19: 'eip155:31337/slip44:60', decimals: '18' }] } };
  const countersign = { enforcement: 'ALWAYS', unreadable: 'COUNT_ONLY_READABLE' };
  const control = weiControl('sent', 10n ** 30n, { dataSource, countersign });
  resultOf(await world.subject.client().submit('CREATE_VELOCITY_CONTROL', control), 'createVelocityControlResult');
});
after(() => world.stop());

/** The wei of a send's calls. */
const weiOf = (intent: unknown): bigint =>
  (JSON.parse(String(intent)).calls as { value: string }[]).reduce((sum, { value }) => sum + BigInt(value), 0n);

type Row = { entry: string; send: string; hasFailed: boolean; isMessage: boolean; isSafe: boolean };

/**
 * What an entry may be beside its send. A message may be brought by others, and what was signed may be kept by a node. `isSafe`: it was
 * never signed, or another transaction has its nonce. All endpoints are honest.
 */
function fits({ entry, send, hasFailed, isMessage, isSafe }: Row): boolean {
  if (send === 'final' && !hasFailed) return entry === 'spent';
  if (send === 'final' || send === 'failed')
    return entry === 'released' || (entry === 'reserved' && (isMessage || (send === 'failed' && !isSafe)));
  if (send === 'included') return entry === (hasFailed ? 'reserved' : 'mined');
  return entry === 'reserved';
}

/** Returns the number of entries that have a send. */
async function assertSettled(): Promise<number> {
  const at = { folder: world.subject.folder, url: world.subject.databaseUrl };
  const rows = await rawSql(
    at,
    `SELECT e.state, a.status, s.state AS send, s.error, s.id, s.intent
      FROM velocity_entries e LEFT JOIN activities a ON a.organization_id = e.organization_id AND a.id = e.activity_id
      LEFT JOIN sends s ON s.organization_id = e.organization_id AND s.activity_id = e.activity_id`,
    [],
  );
  const uncounted = await rawSql(
    at,
    `SELECT s.id, s.intent FROM sends s
      LEFT JOIN velocity_entries e ON e.organization_id = s.organization_id AND e.activity_id = s.activity_id
      WHERE e.activity_id IS NULL`,
    [],
  );
  for (const { id, intent } of uncounted) assert.equal(weiOf(intent), 0n, `send ${id} has no entry`);
  const attempts = await rawSql(at, 'SELECT send_id, purpose, may_be_sent FROM send_attempts', []);
  for (const { state, status, send, error, id, intent } of rows) {
    assert.equal(status, 'ACTIVITY_STATUS_COMPLETED', 'an entry without its activity');
    const own = attempts.filter(({ send_id }) => send_id === id);
    const isSafe = own.length === 0 || own.some(({ purpose, may_be_sent }) => purpose === 'cancel' && Boolean(may_be_sent));
    const isMessage = JSON.parse(String(intent)).form === 'batch';
    const row = { entry: String(state), send: String(send), hasFailed: error !== '', isMessage, isSafe };
    assert.ok(fits(row), `send ${id}: ${JSON.stringify(row)}`);
  }
  const store = openReadOnly(at);
  try {
    assert.deepEqual((await compareCounters(store.read, Date.now)).differing, []);
  } finally {
    await store.close();
  }
  return rows.length;
}

test(`a kill while sends are settled, ${SEEDS} schedules: entries say what became of sends, and counters equal them`, async () => {
  let entries = 0;
  for (let seed = 0; seed < SEEDS; seed++) {
    const { found } = await trySchedule(world, scheduleOf(seed, ABLE));
    assert.deepEqual(found, [], `seed ${seed}`);
    entries = await assertSettled();
  }
  assert.ok(entries > SEEDS, `${entries} entries`);
});
