import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { invitation } from '../activities/invitations/support.ts';
import { resultOf, submitUntilAnswered } from '../support/client.ts';
import { engineName, freshMigrated, keptSql } from '../support/database.ts';
import { amount } from '../support/full.ts';
import { sharedMail } from '../support/mail.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const MAILS = amount(20, 80);
const skip = engineName === 'sqlite' && 'two processes share a database on PostgreSQL alone';

describe('mail of two processes of one database', { skip }, async () => {
  const mail = await sharedMail();
  let dataDir: string;
  let database: NonNullable<Awaited<ReturnType<typeof freshMigrated>>>;
  let services: ServiceProcess[] = [];
  let sql: ReturnType<typeof keptSql>;
  const left = () => sql.raw('SELECT id FROM outbox');

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'countersign-two-mail-'));
    database = (await freshMigrated(dataDir))!;
    sql = keptSql({ folder: dataDir, url: database.url });
    const env = { DATA_DIR: dataDir, DATABASE_URL: database.url, LIMIT_INVITATIONS: '1000', LIMIT_USERS: '1000', ...mail.env };
    services = await Promise.all([startProcess(env), startProcess(env)]);
    await Promise.all(services.map((service) => service.ready()));
  });
  after(async () => {
    for (const service of services) service.child.kill('SIGTERM');
    for (const service of services) await service.exited;
    await sql?.close();
    await database?.drop();
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  });

  async function invite(service: ServiceProcess, names: readonly string[]): Promise<void> {
    const root = service.root();
    const { userId } = (await root.query('whoami')).body;
    const invitations = names.map((name) => invitation(name, userId));
    resultOf(await submitUntilAnswered(root, 'CREATE_INVITATIONS', { invitations }), 'createInvitationsResult');
  }

  test('each mail leaves once, whichever process takes it', async () => {
    const names = Array.from({ length: MAILS }, (_, i) => `guest${i}`);
    await Promise.all(names.map((name, i) => invite(services[i % 2]!, [name])));
    await Promise.all(names.map((name) => mail.next(`${name}@example.com`)));
    while ((await left()).length > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal(mail.received.length, MAILS);
  });

  test('the pending messages of a process that died are taken over', async () => {
    mail.answer(() => new Promise(() => {}));
    await invite(services[0]!, ['orphan']);
    services[0]!.child.kill('SIGKILL');
    await services[0]!.exited;
    mail.answer(undefined);
    // Its lease ends in a minute; time is not waited for here.
    await sql.raw('UPDATE outbox SET due_at = 0');
    await mail.next('orphan@example.com');
  });
});
