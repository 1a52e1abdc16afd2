import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { jwks, signingKey } from '../../src/workers/webhooks/keys.ts';
import { cli } from '../support/cli.ts';
import { resultOf } from '../support/client.ts';
import { freshDatabase } from '../support/database.ts';
import { startProcess } from '../support/process.ts';
import { startReceiver, verified, webhookKeysOf } from '../support/receiver.ts';
import { waitFor } from '../support/wait.ts';

const DAY = 86_400_000;
const receiver = await startReceiver();
const dataDir = mkdtempSync(join(tmpdir(), 'countersign-webhook-keys-'));
const database = await freshDatabase();
const env = { DATA_DIR: dataDir, OUTBOUND_ALLOW: receiver.host, ...(database ? { DATABASE_URL: database.url } : {}) };
after(async () => {
  receiver.close();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('a rotation publishes a new key beside the old one, which signs for ten more minutes', async () => {
  const first = await startProcess(env);
  await first.ready();
  const [old] = await webhookKeysOf(first.url);
  first.child.kill('SIGTERM');
  assert.equal(await first.exited, 0, first.output());

  const dry = await cli(['webhooks', 'rotate-key', '--dry-run'], { env });
  assert.deepEqual([dry.code, /Nothing was changed/.test(dry.out)], [0, true], dry.err);
  const { code, out, err } = await cli(['webhooks', 'rotate-key', '--json'], { env });
  assert.equal(code, 0, err);
  const { kid, before, changed } = JSON.parse(out);
  assert.deepEqual([before, changed], [old!.kid, true]);

  const second = await startProcess(env);
  await second.ready();
  const keys = await webhookKeysOf(second.url);
  assert.deepEqual(new Set(keys.map((key) => key.kid)), new Set([kid, old!.kid]));
  const parameters = { url: `http://${receiver.host}/`, name: 'R', subscriptions: [{ eventType: 'ACTIVITY_UPDATES' }] };
  resultOf(await second.root().submit('CREATE_WEBHOOK_ENDPOINT', parameters), 'createWebhookEndpointResult');
  resultOf(await second.root().submit('CREATE_WALLET', { walletName: 'W', accounts: [] }), 'createWalletResult');
  const one = await waitFor('a delivery', () => receiver.taken('/')[0]);
  const result = verified(one, keys, Date.now());
  assert.equal(result.ok && result.keyId, old!.kid);
  second.child.kill('SIGTERM');
  assert.equal(await second.exited, 0, second.output());
});

test('wrong usage says what to do', async () => {
  const { code, err } = await cli(['webhooks', 'turn'], { env });
  assert.deepEqual([code, /webhooks --help/.test(err)], [2, true]);
});

test('the new key signs once caches have it, and the old one is published for 7 days', () => {
  const key = (kid: string, createdAt: number, replacedAt: number | null) => ({
    kid,
    publicKey: Buffer.alloc(32),
    sealed: Buffer.alloc(1),
    createdAt,
    replacedAt,
  });
  const now = 1_800_000_000_000;
  const both = [key('new', now, null), key('old', now - DAY, now)];
  assert.equal(signingKey(both, now)!.kid, 'old');
  assert.equal(signingKey(both, now + 600_000)!.kid, 'new');
  assert.equal(signingKey([key('first', now, null)], now)!.kid, 'first');
  const shown = (at: number) => JSON.parse(jwks(both, at)).keys.map(({ kid }: { kid: string }) => kid);
  assert.deepEqual(shown(now + 7 * DAY - 1), ['new', 'old']);
  assert.deepEqual(shown(now + 7 * DAY), ['new']);
});
