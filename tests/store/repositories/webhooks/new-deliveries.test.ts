import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { BY_INDEX } from '../../../../src/store/engines/postgres-servers.ts';
import { statements } from '../../../../src/store/statement.ts';
import { engineName } from '../../../support/database.ts';
import { idOf, NOW, openMigrated } from '../../fixture.ts';
import { storedDeliveryOf, webhookDeliveryOf } from './webhook-rows.ts';

type PlanNode = { 'Index Name'?: string; 'Index Cond'?: string; Plans?: PlanNode[] };

const flat = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flat)];

test('new deliveries look up earlier ones of their subjects, and do not read all that are pending', {
  skip: engineName !== 'postgres' && 'needs PostgreSQL',
}, async () => {
  const opened = await openMigrated();
  const client = new pg.Client({ connectionString: opened.url });
  await client.connect();
  try {
    const delivery = webhookDeliveryOf(idOf('org'), 'delivered');
    await opened.store.transaction((tx) => tx.webhookDeliveries.insert([delivery]));
    const facts = { lastError: '' };
    const seen = storedDeliveryOf(idOf('org'), 'delivered');
    assert.ok(await opened.store.transaction((tx) => tx.webhookDeliveries.end(seen, 'DELIVERED', NOW, facts)));
    // Statistics of a quiet time say that none is pending, and stay when an endpoint fails.
    await client.query('ANALYZE webhook_deliveries');
    await client.query(BY_INDEX);
    const sql = statements
      .map((one) => one.sql?.('postgres') ?? '')
      .find((text) => text.startsWith('INSERT INTO webhook_deliveries'));
    // The plan of a statement that was executed often.
    await client.query(`SET plan_cache_mode = force_generic_plan; PREPARE added AS ${sql}`);
    const nulls = Array.from(new Set(sql!.match(/\$\d+/g)), () => 'NULL');
    const { rows } = await client.query(`EXPLAIN (FORMAT JSON) EXECUTE added (${nulls.join(', ')})`);
    const nodes = flat(rows[0]['QUERY PLAN'][0].Plan).filter((node) => node['Index Name'] !== undefined);
    assert.deepEqual(
      nodes.map((node) => [node['Index Name'], /organization_id = .*endpoint_id = .*subject = /.test(node['Index Cond'] ?? '')]),
      [['webhook_deliveries_by_subject', true]],
      JSON.stringify(nodes),
    );
  } finally {
    await client.end();
    await opened.close();
  }
});
