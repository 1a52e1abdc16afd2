import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { invitation, type Link, linkOf, mailsOf } from '../activities/invitations/support.ts';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { type Answer, type Client, post, resultOf, submitPath } from '../support/client.ts';
import { engineName, freshMigrated, keptSql } from '../support/database.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

describe('newcomers at two processes of one database', { skip: engineName === 'sqlite' && 'needs PostgreSQL' }, () => {
  let dataDir: string;
  let database: NonNullable<Awaited<ReturnType<typeof freshMigrated>>>;
  let services: ServiceProcess[] = [];
  let clients: Client[];
  let userId: string;
  let sql: ReturnType<typeof keptSql>;

  before(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'countersign-newcomers-'));
    database = (await freshMigrated(dataDir))!;
    sql = keptSql({ folder: dataDir, url: database.url });
    const env = { DATA_DIR: dataDir, DATABASE_URL: database.url, ALLOW_CREATE_ORGANIZATION: '1', LIMIT_INVITATIONS: '10' };
    services = await Promise.all([startProcess(env), startProcess(env)]);
    await Promise.all(services.map((service) => service.ready()));
    clients = services.map((service) => service.root());
    userId = (await clients[0]!.query('whoami')).body.userId;
  });

  after(async () => {
    for (const service of services) service.child.kill('SIGTERM');
    for (const service of services) await service.exited;
    await sql?.close();
    await database?.drop();
    if (dataDir) rmSync(dataDir, { recursive: true, force: true });
  });

  const stamped = ({ url }: Client, type: string, body: string, passkey: SoftAuthenticator): Promise<Answer> =>
    post(`${url}${submitPath(type)}`, body, passkey.stamp(body));

  const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();

  test('an invitation is accepted once, and a revocation at the same instant leaves no half', async () => {
    const invitations = Array.from({ length: 8 }, (_, i) => invitation(`Guest ${i}`, userId));
    resultOf(await clients[0]!.submit('CREATE_INVITATIONS', { invitations }), 'createInvitationsResult');
    const links: Link[] = (await Promise.all(clients.map(mailsOf))).flat().map(linkOf);
    assert.equal(links.length, 8);
    const accept = (client: Client, { organizationId: _, secret, ...named }: Link) => {
      const passkey = new SoftAuthenticator();
      const authenticator = passkey.register({ challenge: secret });
      return stamped(client, 'ACCEPT_INVITATION_V2', client.bodyOf('ACCEPT_INVITATION_V2', { ...named, authenticator }), passkey);
    };
    for (const link of links.slice(0, 4)) {
      const answers = await Promise.all([...clients, ...clients].map((client) => accept(client, link)));
      assert.deepEqual(statuses(answers), [200, 401, 401, 401]);
    }
    for (const link of links.slice(4)) {
      const { invitationId } = link;
      const [accepted, revoked] = await Promise.all([
        accept(clients[0]!, link),
        clients[1]!.submit('DELETE_INVITATION', { invitationId }),
      ]);
      const [row] = await sql.raw('SELECT status, secret FROM invitations WHERE id = $1', invitationId);
      const users = await sql.raw('SELECT id FROM users WHERE id = $1', link.userId);
      const passkeys = await sql.raw('SELECT id FROM authenticators WHERE user_id = $1', link.userId);
      const isAccepted = accepted.status === 200;
      assert.deepEqual([accepted.status, revoked.status], isAccepted ? [200, 404] : [401, 200]);
      assert.deepEqual(row, { status: `INVITATION_STATUS_${isAccepted ? 'ACCEPTED' : 'REVOKED'}`, secret: null });
      assert.deepEqual([users.length, passkeys.length], isAccepted ? [1, 1] : [0, 0]);
    }
  });

  test('the limit of open invitations holds for both', async () => {
    const one = (name: string) => ({ invitations: Array.from({ length: 3 }, (_, i) => invitation(`${name} ${i}`, userId)) });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => clients[i % 2]!.submit('CREATE_INVITATIONS', one(`at once ${i}`))),
    );
    assert.deepEqual(statuses(answers), [200, 200, 200, 429, 429, 429]);
  });

  test('one body is one organization', async () => {
    const passkey = new SoftAuthenticator();
    const parameters = {
      organizationName: 'Fresh',
      rootEmail: 'owner@example.com',
      rootAuthenticator: passkey.register(),
    };
    const body = clients[0]!.bodyOf('CREATE_ORGANIZATION_V2', parameters);
    const answers = await Promise.all(
      [...clients, ...clients].map((client) => stamped(client, 'CREATE_ORGANIZATION_V2', body, passkey)),
    );
    const made = answers.map((answer) => resultOf(answer, 'createOrganizationResult').organizationId);
    assert.equal(new Set(made).size, 1);
    const rows = await sql.raw(`SELECT version FROM organizations WHERE id = $1`, made[0]);
    assert.deepEqual(
      rows.map(({ version }) => Number(version)),
      [1],
    );
  });
});

// On SQLite the file has one skipped test, so that the runner does not take it for an empty one.
if (engineName === 'sqlite') test('newcomers at two processes of one database', { skip: 'needs PostgreSQL' }, () => {});
