import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { type Answer, submitPath } from '../support/client.ts';
import { engineName } from '../support/database.ts';
import { type Instance, startInstance } from '../support/instance.ts';
import { type Postgres, startPostgres } from '../support/postgres.ts';
import { waitFor } from '../support/wait.ts';

const skip = engineName === 'sqlite' && 'needs PostgreSQL';

async function started(options: Parameters<typeof startPostgres>[0]): Promise<Postgres> {
  const server = await startPostgres(options);
  if ('unavailable' in server) throw new Error(server.unavailable);
  return server;
}

async function sql(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

let primary: Postgres;
let standby: Postgres;
let instance: Instance;
let url: string;
before(async () => {
  if (skip) return;
  primary = await started({ fsync: 'off' });
  url = await primary.createDatabase();
  standby = await started({ fsync: 'off', standbyOf: primary });
  const [one, two] = [primary, standby].map((server) => new URL(server.url).host);
  // The one that takes no writes is asked first, and one that does not answer is in between.
  const several = url.replace(one!, `${two},127.0.0.1:1,${one}`);
  instance = await startInstance({ DATABASE_URL: several });
});
after(async () => {
  await instance?.close();
  await standby?.stop();
  await primary?.stop();
});

let count = 0;
async function tagged(): Promise<Answer> {
  const body = instance.root.bodyOf('CREATE_USER_TAG', { userTagName: `tag ${++count}`, userIds: [] });
  return waitFor('the tag is made', async () => {
    const answer = await instance.root.send(submitPath('CREATE_USER_TAG'), body);
    if (answer.status === 503) return undefined;
    assert.equal(answer.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', answer.text);
    return answer;
  });
}
const tagsOn = async (server: Postgres) => {
  const at = new URL(url);
  at.host = new URL(server.url).host;
  return Number((await sql(at.href, 'SELECT count(*) AS n FROM tags'))[0]!.n);
};

test('of several servers the one that takes writes is used, also after a demotion that leaves connections open', {
  skip,
}, async () => {
  await tagged();
  assert.equal(await tagsOn(primary), 1);
  await waitFor('the replica has it', async () => (await tagsOn(standby)) === 1);
  // Demoted: sessions stay, and their next transactions may not write.
  await sql(primary.url, 'ALTER SYSTEM SET default_transaction_read_only = on');
  await sql(primary.url, 'SELECT pg_reload_conf()');
  const body = instance.root.bodyOf('CREATE_USER_TAG', { userTagName: 'nowhere', userIds: [] });
  // A connection that is lost meanwhile is told first.
  const noneTakesWrites = () =>
    waitFor('no server takes writes', async () => {
      const { status, text } = await instance.root.send(submitPath('CREATE_USER_TAG'), body);
      return (
        status === 503 && text.includes('the service is busy: send the same body again (the database accepts no writes now)')
      );
    });
  await noneTakesWrites();
  // New connections find no server either, and the one that does not answer is the last of them.
  await sql(
    primary.url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname IS NOT NULL AND pid <> pg_backend_pid()',
  );
  await noneTakesWrites();
  await sql(standby.url, 'SELECT pg_promote()');
  const before = await tagsOn(primary);
  for (let i = 0; i < 5; i++) await tagged();
  assert.equal(await tagsOn(primary), before);
  assert.equal(await tagsOn(standby), before + 5);
  const ready = await fetch(`${instance.url}/ready`);
  assert.equal(ready.status, 200);
  assert.ok(!(await ready.text()).includes('QUARANTINE'), 'a failover that loses nothing is no copy');
});
