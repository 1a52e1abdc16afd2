import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { invitation } from '../activities/invitations/support.ts';
import { cli } from '../support/cli.ts';
import { resultOf } from '../support/client.ts';
import { engineName, freshMigrated, rawSql } from '../support/database.ts';
import { sharedMail } from '../support/mail.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';

const mail = await sharedMail();

let dataDir: string;
let database: Awaited<ReturnType<typeof freshMigrated>>;
let env: Record<string, string>;

before(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'countersign-messages-'));
  database = await freshMigrated(dataDir);
  env = { DATA_DIR: dataDir, ...(database ? { DATABASE_URL: database.url } : {}), ...mail.env };
});
after(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const run = (...args: string[]) => cli(args, { env });

async function json(...args: string[]) {
  const { code, out, err } = await run(...args, '--json');
  assert.equal(code, 0, err);
  return JSON.parse(out);
}

async function withService<T>(work: (service: ServiceProcess) => Promise<T>): Promise<T> {
  const service = await startProcess(env);
  await service.ready();
  try {
    return await work(service);
  } finally {
    service.child.kill('SIGTERM');
    assert.equal(await service.exited, 0, service.output());
  }
}

const raw = (sql: string) => rawSql({ folder: dataDir, url: database?.url }, sql, []);

async function invite(service: ServiceProcess, names: readonly string[]): Promise<void> {
  const root = service.root();
  const { userId } = (await root.query('whoami')).body;
  const invitations = names.map((name) => invitation(name, userId));
  resultOf(await root.submit('CREATE_INVITATIONS', { invitations }), 'createInvitationsResult');
}

/** Waits until this number of messages is dead. */
async function dead(service: ServiceProcess, email: string): Promise<void> {
  const root = service.root();
  for (;;) {
    const { body } = await root.query('list_email_events', { email, eventType: 'Bounce' });
    if (body.emailEvents.length > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('messages that were refused are listed without what they say, page by page, and sent again', async () => {
  mail.answer(() => 550);
  await withService(async (service) => {
    await invite(service, ['One', 'Two', 'Three']);
    for (const name of ['one', 'two', 'three']) await dead(service, `${name}@example.com`);
    assert.equal((await json('outbox', 'list')).messages.length, 3, 'beside the service');
    assert.equal((await json('outbox', 'retry', '--all', '--dry-run')).messages.length, 3, 'beside the service');
    if (engineName === 'sqlite') {
      const { code, err } = await run('outbox', 'retry', '--all');
      assert.equal(code, 1);
      assert.match(err, /already uses/, 'it says what to do');
    }
  });
  const text = await run('outbox', 'list');
  assert.equal(text.code, 0, text.err);
  assert.equal(text.out.match(/ {2}mail {2}tried once .*550/g)?.length, 3, text.out);
  assert.ok(!text.out.includes('accept-invitation') && !text.out.includes('sealed'), text.out);
  const first = await json('outbox', 'list', '--limit', '2');
  assert.deepEqual([first.state, first.messages.length], ['dead', 2]);
  assert.equal(first.next, first.messages[1].messageId);
  const second = await json('outbox', 'list', '--limit', '2', '--after', first.next);
  assert.deepEqual([second.messages.length, second.next], [1, null]);
  assert.deepEqual(Object.keys(second.messages[0]), [
    'messageId',
    'topic',
    'state',
    'organizationId',
    'activityId',
    'attempts',
    'createdAt',
    'expiresAt',
    'lastError',
  ]);
  assert.deepEqual((await json('outbox', 'list', '--state', 'ready')).messages, []);

  const planned = await json('outbox', 'retry', '--all', '--dry-run');
  assert.deepEqual([planned.messages.length, planned.changed], [3, false]);
  assert.equal((await json('outbox', 'list')).messages.length, 3, 'nothing was changed');
  const one = await json('outbox', 'retry', first.messages[0].messageId);
  assert.deepEqual([one.messages.length, one.changed], [1, true]);
  assert.match((await run('outbox', 'retry', first.messages[0].messageId)).err, /is ready: only dead messages are sent again/);
  assert.equal((await json('outbox', 'retry', '--all')).messages.length, 2);
  assert.equal((await json('outbox', 'list')).messages.length, 0);
  assert.match((await run('outbox', 'retry', '--all')).out, /no dead message/);
  mail.answer(undefined);
  await withService(async () => {
    for (const name of ['one', 'two', 'three']) assert.match((await mail.next(`${name}@example.com`)).text, /accept-invitation#/);
  });
  assert.deepEqual(await raw('SELECT id FROM outbox'), []);
});

test('a message that nobody took before the service was killed is sent by the next one', async () => {
  mail.answer(() => new Promise(() => {}));
  const service = await startProcess(env);
  await service.ready();
  await invite(service, ['Killed']);
  service.child.kill('SIGKILL');
  await service.exited;
  const [row] = await raw('SELECT state, attempts FROM outbox');
  assert.equal(row!.state, 'ready');
  // Its lease ends in a minute; time is not waited for here.
  await raw('UPDATE outbox SET due_at = 0');
  mail.answer(undefined);
  await withService(async () => void (await mail.next('killed@example.com')));
  assert.deepEqual(await raw('SELECT id FROM outbox'), []);
});

test('templates are added, listed and removed, each for its organization', async () => {
  const file = join(dataDir, 'sign-in.html');
  writeFileSync(file, '<p title="{{ .AppName }}">{{ .OtpCode }}</p>');
  const planned = await json('templates', 'add', file, '--name', 'Codes', '--dry-run');
  assert.deepEqual([planned.templateId, planned.changed, planned.uses], [null, false, ['AppName', 'OtpCode']]);
  assert.deepEqual((await json('templates', 'list')).templates, []);
  // The service's time may be ahead of this machine's clock, and then it does not move.
  await raw('UPDATE clock SET reached = reached + 5000');
  const added = await json('templates', 'add', file, '--name', 'Codes');
  assert.match(
    (await run('templates', 'add', file, '--name', 'More codes')).out,
    /^Template [0-9a-f-]{36} was added\. It uses AppName, OtpCode\.\n$/,
  );
  const { templates } = await json('templates', 'list');
  assert.deepEqual(
    templates.map((one: { name: string }) => one.name),
    ['More codes', 'Codes'],
    'the newest first',
  );
  assert.equal(templates[1].templateId, added.templateId);
  assert.match((await run('templates', 'list')).out, /Codes {2}\(AppName, OtpCode\)/);
  assert.match((await run('templates', 'remove', added.templateId, '--dry-run')).out, /would be removed\. Nothing was changed/);
  assert.equal((await json('templates', 'remove', added.templateId)).changed, true);
  assert.match((await run('templates', 'remove', added.templateId)).err, /has no template/);
  assert.equal((await json('templates', 'list')).templates.length, 1);
  assert.match((await run('templates', 'list', '--organization', randomUUID())).err, /there is no organization/);
  await withService(async () => {
    assert.equal((await json('templates', 'list')).templates.length, 1, 'beside the service');
    assert.equal((await json('templates', 'add', file, '--name', 'Planned', '--dry-run')).changed, false);
    assert.equal(
      (await json('templates', 'remove', (await json('templates', 'list')).templates[0].templateId, '--dry-run')).changed,
      false,
    );
  });
});

test('a template that is wrong is refused with its line, and so is wrong usage', async () => {
  const file = join(dataDir, 'wrong.html');
  const add = async (html: string | Buffer) => {
    writeFileSync(file, html);
    return await run('templates', 'add', file, '--name', 'Wrong');
  };
  for (const [html, why] of [
    ['<p>\n{{ .Secret }}{{ .OtpCode }}', /line 2: .*is not known/],
    ['{{ if .OtpCode }}', /line 1: .*is not known/],
    ['<a href={{ .MagicLink }}>', /put quotes/],
    ['<p>{{ .AppName }}</p>', /would have no code, key or link/],
    ['', /is empty/],
    [Buffer.from([0xff, 0xfe]), /cannot be read as text/],
    [`{{ .OtpCode }}${'x'.repeat(131_072)}`, /at most 131072 bytes/],
  ] as const) {
    const { code, err } = await add(html);
    assert.deepEqual([code, why.test(err)], [2, true], err);
  }
  for (const args of [
    ['templates', 'add', file],
    ['templates', 'add', join(dataDir, 'none.html'), '--name', 'a'],
    ['templates', 'remove', 'x'],
    ['templates', 'change'],
    ['templates', 'list', '--organization', 'x'],
    ['templates', 'list', 'x'],
    ['outbox', 'list', '--state', 'sent'],
    ['outbox', 'list', '--limit', '0'],
    ['outbox', 'list', '--after', 'x'],
    ['outbox', 'retry'],
    ['outbox', 'retry', randomUUID(), '--all'],
    ['outbox', 'drop'],
  ])
    assert.equal((await run(...args)).code, 2, args.join(' '));
  assert.equal((await run('outbox', 'retry', randomUUID())).code, 1);
  for (const command of ['templates', 'outbox']) {
    const { code, out } = await run(command, '--help');
    assert.deepEqual([code, out.startsWith(`Usage: countersign ${command} `), out.includes('Examples:')], [0, true, true]);
  }
});
