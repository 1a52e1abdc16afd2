import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SoftAuthenticator } from '../support/authenticator.ts';
import { clientOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { addPasskey } from '../support/passkey-client.ts';
import { type ServiceProcess, startProcess } from '../support/process.ts';
import { noTerminal, ON_TERMINAL } from '../support/terminal.ts';

const LINK = /first sign-in (http\S+)\/console\/enrol#([\w-]+)/;

type Start = (env?: Record<string, string>) => Promise<ServiceProcess>;

async function end({ child, exited }: ServiceProcess): Promise<void> {
  child.kill('SIGTERM');
  await exited;
}

async function withData(under: readonly string[], use: (start: Start) => Promise<void>) {
  const dataDir = mkdtempSync(join(tmpdir(), 'countersign-sign-in-'));
  const database = await freshDatabase();
  const started: ServiceProcess[] = [];
  try {
    await use(async (more = {}) => {
      const env = { DATA_DIR: dataDir, LOG_LEVEL: 'info', ...(database ? { DATABASE_URL: database.url } : {}), ...more };
      const service = await startProcess(env, undefined, under);
      started.push(service);
      await service.shows(/Try a first request/);
      return service;
    });
  } finally {
    for (const service of started) await end(service);
    await database?.drop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

test('the first start prints a link on a terminal, once, which adds one passkey', { skip: noTerminal }, () =>
  withData(ON_TERMINAL, async (start) => {
    const text = (await start()).output();
    const [, url, fragment] = LINK.exec(text)!;
    assert.equal(text.split(fragment!).length, 2, 'the log does not have it');
    const content = JSON.parse(Buffer.from(fragment!, 'base64url').toString());
    const { organizationId, userId, apiPublicKey: publicKey, apiPrivateKey: privateKey } = content;
    const client = clientOf(url!, { publicKey, privateKey }, organizationId);
    assert.equal((await client.query('whoami')).body.userId, userId);
    const { hostname } = new URL(url!);
    const authenticators = [new SoftAuthenticator().register({ origin: url!, rpId: hostname })];
    const added = await client.submit('CREATE_AUTHENTICATORS_V2', { userId, authenticators });
    assert.equal(added.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', added.text);
  }),
);

const WITHOUT_INPUT = [...ON_TERMINAL, 'sh', '-c', 'exec "$0" "$@" < /dev/null'];

test('a first start whose output alone is a terminal prints no link', { skip: noTerminal }, () =>
  withData(WITHOUT_INPUT, async (start) => {
    assert.doesNotMatch((await start()).output(), /enrol/);
  }),
);

test('a start without a terminal prints no link, and a later start tells of passkeys of another domain', () =>
  withData([], async (start) => {
    const first = await start();
    assert.doesNotMatch(first.output(), /enrol/);
    const root = first.root();
    const { userId } = (await root.query('whoami')).body;
    await addPasskey(root, userId, new SoftAuthenticator());
    await end(first);
    const second = await start({ BASE_URL: 'https://elsewhere.test' });
    await second.shows(/"count":1.*passkeys of another domain/);
  }));
