import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { compareCounters } from '../../src/operator/velocity-check.ts';
import { signWei, weiControl } from '../activities/velocity-controls/spends.ts';
import { aggregation, method, velocityControl } from '../activities/velocity-controls/support.ts';
import { signing } from '../e2e/authority.ts';
import { type Answer, ethereumAccount, resultOf, submitPath } from '../support/client.ts';
import { engineName, freshDatabase, serverUrl } from '../support/database.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type SilentProxy, startSilentProxy } from '../support/silent-proxy.ts';
import { waitFor } from '../support/wait.ts';

const skip = engineName === 'sqlite' && 'conditions of a PostgreSQL server';

let instance: Instance;
let proxy: SilentProxy;
let database: NonNullable<Awaited<ReturnType<typeof freshDatabase>>>;
let name: string;
let address: string;
before(async () => {
  if (skip) return;
  database = (await freshDatabase())!;
  proxy = await startSilentProxy(database.url);
  name = new URL(database.url).pathname.slice(1);
  instance = await startInstance({ DATABASE_URL: proxy.url, DATABASE_STATEMENT_SECONDS: '1' });
  const made = await instance.root.submit('CREATE_WALLET', { walletName: 'Kept', accounts: [ethereumAccount()] });
  [address] = resultOf(made, 'createWalletResult').addresses;
});
after(async () => {
  await instance?.close();
  await proxy?.stop();
  await database?.drop();
});

async function asOperator<T>(work: (client: pg.Client) => Promise<T>, url = serverUrl): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
const operator = (sql: string) => asOperator((client) => client.query(sql));
const cut = () =>
  operator(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND application_name = 'countersign'`,
  );

let count = 0;
const newTag = (): string => instance.root.bodyOf('CREATE_USER_TAG', { userTagName: `tag ${++count}`, userIds: [] });
const sendTag = (body: string): Promise<Answer> => instance.root.send(submitPath('CREATE_USER_TAG'), body);

/** Sends each kind of request while the condition lasts, and the same bodies after it ended. */
async function meanwhile(reason: RegExp, begin: () => Promise<unknown>, end: () => Promise<unknown>): Promise<void> {
  const tag = newTag();
  const sign = instance.root.bodyOf('SIGN_RAW_PAYLOAD_V2', signing(address));
  const sendSign = () => instance.root.send(submitPath('SIGN_RAW_PAYLOAD_V2'), sign);
  await begin();
  try {
    // A connection that was just ended says so once.
    await waitFor('the condition is met', async () => reason.test((await sendTag(tag)).body.message));
    for (const answer of [await sendTag(tag), await sendSign(), await sendTag(tag)]) {
      assert.equal(answer.status, 503, answer.text);
      assert.match(answer.body.message, /send the same body again/);
      assert.match(answer.body.message, reason);
    }
    const ready = await fetch(`${instance.url}/ready`);
    assert.equal(ready.status, 503);
    assert.match(((await ready.json()) as { reason: string }).reason, reason);
  } finally {
    await end();
  }
  for (const answer of [await sendTag(tag), await sendSign()])
    assert.equal(answer.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', answer.text);
}

test('a server that takes no writes (25006) is said so, on connections from before and on new ones', { skip }, async () => {
  const say = (value: string) => operator(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
  await meanwhile(
    /accepts no writes now/,
    async () => {
      await say('on');
      await cut();
    },
    () => say('off'),
  );
});

test('a database that takes no connections (55000) is said so', { skip }, async () => {
  const say = (value: boolean) => operator(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${value}`);
  await meanwhile(
    /not available now/,
    async () => {
      await say(false);
      await cut();
    },
    () => say(true),
  );
});

/** Holds a row that a new tag needs, while `work` runs. */
async function whileHeld(work: () => Promise<void>): Promise<void> {
  await asOperator(async (client) => {
    await client.query('BEGIN');
    await client.query('SELECT 1 FROM organizations FOR NO KEY UPDATE');
    await work();
    await client.query('ROLLBACK');
  }, database.url);
}

test('a statement that is cancelled (57014) is said so', { skip }, async () => {
  const body = newTag();
  await whileHeld(async () => {
    const asked = sendTag(body);
    const cancel = `SELECT pg_cancel_backend(pid) AS done FROM pg_stat_activity WHERE datname = '${name}' AND wait_event_type = 'Lock'`;
    await waitFor('it waits', async () => (await operator(cancel)).rows.length > 0);
    const answer = await asked;
    assert.equal(answer.status, 503, answer.text);
    assert.match(answer.body.message, /a statement took too long, or was cancelled/);
  });
  assert.equal((await sendTag(body)).body.activity.status, 'ACTIVITY_STATUS_COMPLETED');
});

/** Sends a body while the answer to a statement is lost, and once more. `at`: what the proxy waits for. */
async function withLostAnswer(
  type: string,
  body: string,
  at: readonly [text: string, before?: string],
  said: RegExp,
): Promise<void> {
  const send = () => instance.root.send(submitPath(type), body);
  // Only a new connection names the text of a statement.
  await cut();
  await waitFor('new connections', async () => (await fetch(`${instance.url}/ready`)).status === 200);
  proxy.silenceAt(...at);
  const answer = await send();
  assert.equal(answer.status, 503, answer.text);
  assert.match(answer.body.message, said);
  const again = await submitUntilSettled(send);
  assert.equal(again.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', again.text);
}

/** The lost transaction may hold its rows until the server ends it. */
async function submitUntilSettled(send: () => Promise<Answer>): Promise<Answer> {
  for (let left = 30; ; left--) {
    const answer = await send();
    if (answer.status !== 503 || left === 0) return answer;
  }
}

const EXECUTED = /may have been executed: send the same body again/;

test('a write whose commit has no answer may have been carried out, and is there once', { skip }, async () => {
  await withLostAnswer('CREATE_USER_TAG', newTag(), ['COMMIT', `tag ${count}`], EXECUTED);
  const sign = instance.root.bodyOf('SIGN_RAW_PAYLOAD_V2', signing(address));
  await withLostAnswer('SIGN_RAW_PAYLOAD_V2', sign, ['INSERT INTO activities'], EXECUTED);
  const { userTags } = (await instance.root.query('list_user_tags')).body;
  assert.equal(userTags.filter((tag: { tagName: string }) => tag.tagName === `tag ${count}`).length, 1);
});

test('what limits over time count is written with the activity or not at all, if an answer of the database is lost', {
  skip,
}, async () => {
  const { root, engine } = instance;
  const executed = { dataSource: { activityExecution: {} }, aggregation: aggregation({ method: method('COUNT') }) };
  for (const parameters of [velocityControl({ identifier: 'executed', ...executed }), weiControl('sum', 1000n)])
    resultOf(await root.submit('CREATE_VELOCITY_CONTROL', parameters), 'createVelocityControlResult');
  const sign = () => root.bodyOf('SIGN_TRANSACTION_V2', signWei(address, 1n));
  // The counters are known from then on, so the next write is one statement.
  resultOf(await root.submit('SIGN_TRANSACTION_V2', signWei(address, 1n)), 'signTransactionResult');
  const before = await activitiesAndEntries();
  await withLostAnswer('SIGN_TRANSACTION_V2', sign(), ['INTO velocity_entries'], EXECUTED);
  await withLostAnswer('CREATE_USER_TAG', newTag(), ['COMMIT', `tag ${count}`], EXECUTED);
  // They are not known now, so this write is a transaction.
  await withLostAnswer('SIGN_TRANSACTION_V2', sign(), ['COMMIT', 'INTO velocity_entries'], EXECUTED);
  await withLostAnswer('CREATE_USER_TAG', newTag(), ['"velocity_entries"', `tag ${count}`], /send the same body again/);
  assert.deepEqual(await activitiesAndEntries(), [before[0] + 4, before[1] + 4, before[2] + 2]);
  assert.deepEqual((await compareCounters(engine.store.read, () => instance.clock.now())).differing, []);
});

/** Executed activities: all, those with an entry of their execution, and those with one of an amount. */
async function activitiesAndEntries(): Promise<[all: number, executed: number, spent: number]> {
  const sql = (what: string) => `SELECT count(*) AS n FROM activities a ${what} status = 'ACTIVITY_STATUS_COMPLETED'`;
  const of = (method: string) =>
    sql(
      `JOIN velocity_entries e ON e.activity_id = a.id JOIN velocity_controls c ON c.id = e.control_id WHERE c.aggregation LIKE '%${method}%' AND`,
    );
  return asOperator(async (client) => {
    const counted = async (text: string) => Number((await client.query(text)).rows[0].n);
    return [await counted(sql('WHERE')), await counted(of('METHOD_COUNT')), await counted(of('METHOD_SUM'))];
  }, database.url);
}
