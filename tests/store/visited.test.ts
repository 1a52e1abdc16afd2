import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import Database from 'better-sqlite3';
import pg from 'pg';
import { limitConcurrency } from '../../src/base/concurrency.ts';
import { BY_INDEX } from '../../src/store/engines/postgres-servers.ts';
import { plannedOnce } from '../../src/store/engines/sqlite.ts';
import { readerOn } from '../../src/store/repositories/index.ts';
import type { Conn } from '../../src/store/statement.ts';
import { activities, votes } from '../../src/store/tables/activities.ts';
import { authenticators } from '../../src/store/tables/authenticators.ts';
import { credentials } from '../../src/store/tables/credentials.ts';
import { oauthProviders } from '../../src/store/tables/oauth-providers.ts';
import { organizations } from '../../src/store/tables/organizations.ts';
import { outbox } from '../../src/store/tables/outbox.ts';
import { policies } from '../../src/store/tables/policies.ts';
import { privateKeys } from '../../src/store/tables/private-keys.ts';
import { secrets, signers } from '../../src/store/tables/signers.ts';
import { tagMembers } from '../../src/store/tables/tags.ts';
import { users } from '../../src/store/tables/users.ts';
import { walletAccounts, wallets } from '../../src/store/tables/wallets.ts';
import { webhookQueues } from '../../src/store/tables/webhook-queues.ts';
import type { ActivityFilter, Page } from '../../src/store/types.ts';
import { engineName } from '../support/database.ts';
import { amount } from '../support/full.ts';
import { reads } from './calls-of-reads.ts';
import {
  activityOf,
  authenticatorOf,
  credentialOf,
  fill,
  NOW,
  idOf as named,
  type Opened,
  oauthProviderOf,
  openMigrated,
  userOf,
  voteOf,
} from './fixture.ts';
import { bulk } from './many.ts';
import { webhookQueueOf } from './repositories/webhooks/webhook-rows.ts';

const ACTIVITIES = amount(20_000, 200_000);
const OTHERS = amount(2_000, 10_000);
const MESSAGES = amount(5_000, 30_000);
const COMMON = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';
const RARE = 'ACTIVITY_STATUS_CONSENSUS_NEEDED';
const ORG = named('org');
const idOf = (n: number) => named(`many ${String(n).padStart(7, '0')}`);

/** Not in the driver's types. */
const { prepareValue } = (pg as unknown as { utils: { prepareValue(value: unknown): string | null } }).utils;

/** Elements of the arrays that `src/store/postgres-array.ts` writes, as texts, by the number of their type. */
const ELEMENTS: Record<number, (bytes: Buffer) => string> = {
  17: (bytes) => `\\\\x${bytes.toString('hex')}`,
  20: (bytes) => String(bytes.readBigInt64BE()),
  21: (bytes) => String(bytes.readInt16BE()),
  25: (bytes) => bytes.toString(),
  2950: (bytes) => bytes.toString('hex'),
};

/** A parameter as a literal. */
function textOf(value: unknown): string {
  if (!Buffer.isBuffer(value)) return prepareValue(value) ?? '';
  const element = value.length >= 20 && value.readInt32BE(0) === 1 ? ELEMENTS[value.readInt32BE(8)] : undefined;
  if (element === undefined) return `\\x${value.toString('hex')}`;
  const elements: string[] = [];
  for (let at = 20; at < value.length; ) {
    const end = at + 4 + value.readInt32BE(at);
    elements.push(`"${element(value.subarray(at + 4, end))}"`);
    at = end;
  }
  return `{${elements.join(',')}}`;
}

let opened: Opened;

/** An organization with many of everything, and many sub-organizations in which one value is the same. */
async function fillMany(): Promise<void> {
  const rows = await bulk(opened);
  const times = { createdAt: NOW, updatedAt: NOW };
  const kept = { organizationId: ORG, exported: false, imported: false, ...times };
  const signs = { ...kept, curve: 'CURVE_SECP256K1', publicKey: 'public' };
  try {
    await rows.insert(activities, ACTIVITIES, (n) => {
      const more = { type: COMMON, createdAt: NOW + n };
      return activityOf('org', idOf(n), n % (ACTIVITIES / 4) === 7 ? { ...more, status: RARE } : more);
    });
    await rows.insert(users, OTHERS, (n) => userOf('org', idOf(n)));
    await rows.insert(credentials, OTHERS, (n) => ({ ...credentialOf('org', idOf(n), idOf(n)), userId: idOf(n) }));
    await rows.insert(authenticators, OTHERS, (n) => ({ ...authenticatorOf('org', idOf(n), idOf(n)), userId: idOf(n) }));
    await rows.insert(oauthProviders, OTHERS, (n) => ({ ...oauthProviderOf('org', idOf(n), idOf(n)), userId: idOf(n) }));
    await rows.insert(wallets, OTHERS, (n) => ({ ...kept, id: idOf(n), name: idOf(n) }));
    await rows.insert(walletAccounts, OTHERS, (n) => {
      const at = { id: idOf(n), walletId: named('wallet'), path: `m/${n + 1}`, address: idOf(n) };
      return { ...signs, ...at, addressFormat: 'ADDRESS_FORMAT_ETHEREUM', name: null };
    });
    await rows.insert(privateKeys, OTHERS, (n) => ({ ...signs, id: idOf(n), name: idOf(n) }));
    const ofKey = { organizationId: ORG, curve: 'c', disabled: false, position: 0, parentId: null, walletId: null };
    await rows.insert(signers, OTHERS, (n) => ({ ...ofKey, format: 'f', keyId: idOf(n), address: idOf(n) }));
    const sealed = Buffer.from('sealed');
    await rows.insert(secrets, OTHERS, (n) => ({ organizationId: ORG, id: idOf(n), purpose: 'private-key' as const, sealed }));
    await rows.insert(tagMembers, OTHERS, (n) => ({ organizationId: ORG, memberId: idOf(n), tagId: idOf(n % 50) }));
    await rows.insert(votes, OTHERS, (n) => voteOf('org', idOf(n), idOf(n)));
    await rows.insert(policies, OTHERS, (n) => {
      const text = { condition: 'true', consensus: '', time: '', notes: '' };
      return { organizationId: ORG, id: idOf(n), name: idOf(n), effect: 'EFFECT_ALLOW' as const, ...text, ...times };
    });
    // All of one payer but the last.
    await rows.insert(outbox, MESSAGES, (n) => {
      const payerId = n === MESSAGES - 1 ? idOf(1) : ORG;
      const message = { organizationId: ORG, activityId: idOf(n), payerId, topic: 'many', payload: '{}', attempts: 0 };
      return { ...message, id: `message ${String(n).padStart(7, '0')}`, createdAt: NOW, expiresAt: null };
    });
    await rows.insert(webhookQueues, OTHERS, (n) =>
      webhookQueueOf(ORG, { endpointId: idOf(n), failures: n % 2, nextAt: NOW - 10_000 - n }),
    );
    const sub = (n: number) => ({ organizationId: idOf(n), id: named('same'), parentId: ORG, ...times });
    const none = { rootQuorum: { threshold: 1, userIds: [] }, features: {} };
    await rows.insert(organizations, OTHERS, (n) => ({
      ...sub(n),
      id: idOf(n),
      name: 'name',
      version: 1,
      policiesVersion: 1,
      archivedUntil: 0,
      ipAllowlist: null,
      proxyUserId: null,
      rootRecovery: null,
      ...none,
    }));
    await rows.insert(users, OTHERS, (n) => userOf(idOf(n), 'same', 'org'));
    await rows.insert(credentials, OTHERS, (n) => credentialOf(idOf(n), 'same', 'key of org', 'org'));
    await rows.insert(authenticators, OTHERS, (n) => authenticatorOf(idOf(n), 'same', 'passkey of org', 'org'));
    await rows.insert(oauthProviders, OTHERS, (n) => oauthProviderOf(idOf(n), 'same', 'subject of org', 'org'));
    const signer = { keyId: named('same'), format: 'f', walletId: named('same'), curve: 'c', disabled: false, position: 0 };
    await rows.insert(signers, OTHERS, (n) => ({ ...sub(n), ...signer, address: 'address of org' }));
  } finally {
    await rows.close();
  }
}

before(async () => {
  opened = await openMigrated();
  await opened.store.transaction((tx) => fill(tx, 'org', null));
  await fillMany();
});
after(() => opened.close());

/** A connection that counts the rows that each statement looks at. */
type Counting = { conn: Conn; visited(): number; returned(): number; reset(): void; close(): Promise<void> };

/** A function in front of every other condition is called for each row that the index leads to. */
function countingOnSqlite(): Counting {
  const db = new Database(join(opened.folder, 'countersign.db'));
  let [visited, returned] = [0, 0];
  db.function('visited', { deterministic: false }, () => {
    visited++;
    return 1;
  });
  const plan = (sql: string, parameters: readonly unknown[]) =>
    (db.prepare(`EXPLAIN QUERY PLAN ${plannedOnce(sql)}`).all(...parameters) as { detail: string }[]).map(({ detail }) => detail);
  return {
    conn: {
      engine: 'sqlite',
      all(sql, parameters) {
        const counting = plannedOnce(sql).replace(/\bwhere\b/gi, 'where visited() and');
        assert.deepEqual(plan(counting, parameters), plan(sql, parameters), 'counting changes no plan');
        const rows = db.prepare(counting).all(...parameters);
        returned += rows.length;
        return rows;
      },
      run: () => assert.fail('reads only'),
    },
    visited: () => visited,
    returned: () => returned,
    reset() {
      [visited, returned] = [0, 0];
    },
    async close() {
      db.close();
    },
  };
}

type PlanNode = {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
};

function scanned(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, plan) => sum + scanned(plan), 0);
  if (node['Relation Name'] === undefined) return below;
  const rows = node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  return below + rows * node['Actual Loops'];
}

async function countingOnPostgres(): Promise<Counting> {
  const client = new pg.Client({ connectionString: opened.url });
  await client.connect();
  await client.query('ANALYZE');
  await client.query(BY_INDEX);
  let [visited, returned] = [0, 0];
  const alone = limitConcurrency(1);
  return {
    conn: {
      engine: 'postgres',
      all: (sql, parameters) =>
        alone(async () => {
          // By the plan for these values, and by the generic one, which a connection uses later.
          const given = parameters.map((value) => client.escapeLiteral(textOf(value))).join(', ');
          const prepare = `DEALLOCATE ALL; PREPARE asked AS ${sql}; SET plan_cache_mode = force_generic_plan`;
          let most = 0;
          for (const [before, text, values] of [
            ['SELECT 1', sql, parameters],
            [prepare, given === '' ? 'EXECUTE asked' : `EXECUTE asked (${given})`, []],
          ] as const) {
            await client.query(before);
            const explained = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values as unknown[]);
            most = Math.max(most, scanned(explained.rows[0]['QUERY PLAN'][0].Plan));
          }
          visited += most;
          await client.query('RESET plan_cache_mode');
          const { rows } = await client.query(sql, parameters as unknown[]);
          returned += rows.length;
          return rows;
        }),
      run: () => assert.fail('reads only'),
    },
    visited: () => visited,
    returned: () => returned,
    reset() {
      [visited, returned] = [0, 0];
    },
    close: () => client.end(),
  };
}

/** Rows that a query reads without returning them: the first entry of each range of a list, both ends of a look-up. */
const SPARE = 20;

const middle = idOf(ACTIVITIES / 2);
const filters: ActivityFilter[] = [
  { types: [COMMON], statuses: [RARE] },
  { types: [COMMON, 'ACTIVITY_TYPE_THAT_NOBODY_HAS'], statuses: [RARE, 'ACTIVITY_STATUS_REJECTED'] },
  { statuses: [RARE] },
  { statuses: [RARE, 'ACTIVITY_STATUS_COMPLETED'] },
  { types: ['ACTIVITY_TYPE_THAT_NOBODY_HAS'] },
];
const pages: Page[] = [{ limit: 10 }, { limit: 10, after: middle }, { limit: 10, before: middle }];

/** Calls beside those that every method has in the fixture. */
const DEEP: Record<string, unknown[][]> = {
  'users.withContact': [true, false].map((verified) => [
    idOf(OTHERS / 2),
    { kind: 'email', contact: 'mail@example.com', verified },
    2,
  ]),
  'outbox.nextDue': [['many']],
  'outbox.due': [['many', NOW, 200]],
  'outbox.dueOf': [
    ['many', ORG, NOW, 4],
    ['many', idOf(1), NOW, 4],
  ],
  'outbox.payer': [['many'], ['many', ORG], ['many', idOf(1)]],
  'activities.list': filters.flatMap((filter) => pages.map((page) => [ORG, filter, page])),
  'organizations.subOrganizationIds': [
    undefined,
    ...(['NAME', 'USERNAME'] as const).map((by) => ({ by, values: ['name'] })),
    ...(['EMAIL', 'VERIFIED_EMAIL'] as const).map((by) => ({ by, values: ['mail@example.com'] })),
    ...(['PHONE_NUMBER', 'VERIFIED_PHONE_NUMBER'] as const).map((by) => ({ by, values: ['+14155550100'] })),
    { by: 'PUBLIC_KEY', values: ['key of org'] },
    { by: 'WALLET_ACCOUNT_ADDRESS', values: ['address of org', 'another form'] },
  ].flatMap((filter) => [
    [ORG, filter, { limit: 10, after: idOf(OTHERS / 2) }],
    [ORG, filter, { limit: 10, before: idOf(OTHERS / 2) }],
  ]),
};

test(`no list and no look-up looks at more rows than it gives, on ${engineName}`, async () => {
  const counting = await (engineName === 'sqlite' ? countingOnSqlite() : countingOnPostgres());
  try {
    const reader = readerOn(counting.conn) as unknown as Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>;
    const excess: string[] = [];
    for (const [repository, methods] of Object.entries(reads('org')))
      for (const [method, calls] of Object.entries(methods)) {
        const name = `${repository}.${method}`;
        for (const args of [...(calls as unknown[][]), ...(DEEP[name] ?? [])]) {
          counting.reset();
          await reader[repository]![method]!(...args);
          const [visited, returned] = [counting.visited(), counting.returned()];
          // A list finds the ids of its page, and then their rows.
          if (visited > 3 * returned + SPARE) excess.push(`${name} ${JSON.stringify(args)}: ${visited} for ${returned}`);
        }
      }
    assert.deepEqual(excess, []);
  } finally {
    await counting.close();
  }
});
