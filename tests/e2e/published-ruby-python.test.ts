import assert from 'node:assert/strict';
import { createPrivateKey, ECDH, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { test } from 'node:test';
import { recoverMessageAddress } from 'viem';
import { freshTimestamp, newKeys } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';

/** Requests of the published clients in Ruby and Python, as their sources make them: tests/vectors/clients/SOURCE.md. */

const instance = await sharedInstance();
const { organizationId, userId, apiPublicKey, apiPrivateKey } = instance.credentials;

type Recorded = {
  headers: [name: string, value: string][];
  stamp: string;
  requests: Record<string, { path: string; body: string }>;
};

const filled = (text: string, values: Record<string, string>): string =>
  text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? assert.fail(`{{${name}}} has no value`));

/** As DER, in hex. */
function signatureOf(body: string): string {
  const point = ECDH.convertKey(apiPublicKey, 'prime256v1', 'hex', undefined, 'uncompressed') as Buffer;
  const part = (from: number) => point.subarray(from, from + 32).toString('base64url');
  const d = Buffer.from(apiPrivateKey, 'hex').toString('base64url');
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: part(1), y: part(33), d } });
  return sign('sha256', Buffer.from(body), key).toString('hex');
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
type Answer = { status: number; ignored: unknown; body: any };

/** Its headers go out as they are given: names, spelling and order. */
function exchange(path: string, headers: string[], body: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${instance.url}${path}`, { method: 'POST', headers, agent: false }, (response) => {
      response.setEncoding('utf8');
      let text = '';
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode!, ignored: response.headers['x-ignored-fields'], body: JSON.parse(text) }),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function clientOf(file: string) {
  const { headers, stamp, requests } = JSON.parse(
    readFileSync(new URL(`../vectors/clients/${file}.json`, import.meta.url), 'utf8'),
  ) as Recorded;
  const sent = new Set<string>();
  return {
    async send(name: string, more: Record<string, string> = {}): Promise<Answer> {
      sent.add(name);
      const { path, body: template } = requests[name]!;
      const timestampMs = freshTimestamp(instance.clock.now());
      const body = filled(template, { organizationId, userId, timestampMs, ...more });
      const stamped = filled(stamp, { publicKey: apiPublicKey, signature: signatureOf(body) });
      const values = {
        host: new URL(instance.url).host,
        stamp: Buffer.from(stamped).toString('base64url'),
        length: String(Buffer.byteLength(body)),
      };
      const lines = headers.flatMap(([key, value]) => [key, filled(value, values)]);
      return exchange(path, lines, body);
    },
    /** Whether each request of the file was sent. */
    all: () => assert.deepEqual([...sent].toSorted(), Object.keys(requests).toSorted()),
  };
}

const succeeded = ({ status, ignored, body }: Answer) => {
  assert.deepEqual([status, ignored], [200, undefined], JSON.stringify(body));
  return body;
};

function completed(answer: Answer) {
  const { activity } = succeeded(answer);
  assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED', JSON.stringify(activity));
  return activity;
}

test('Ruby: who am I, a wallet, a signature, a sub-organization', async () => {
  const { send, all } = clientOf('ruby');
  assert.equal(succeeded(await send('whoami')).userId, userId);
  const made = completed(await send('create_wallet'));
  assert.equal(made.intent.createWalletIntent.walletName, 'Café of Ruby');
  const [address] = made.result.createWalletResult.addresses;
  const byModel = completed(await send('create_wallet by a model and a hash'));
  assert.deepEqual(Object.keys(byModel.intent.createWalletIntent), ['walletName', 'accounts', 'mnemonicLength']);
  assert.equal(byModel.result.createWalletResult.addresses.length, 1);
  const shown = succeeded(await send('get_activity', { activityId: byModel.id })).activity;
  assert.deepEqual(shown.intent, byModel.intent);
  const { r, s, v } = completed(await send('sign_raw_payload', { address })).result.signRawPayloadResult;
  const signature = `0x${r}${s}${v === '00' ? '1b' : '1c'}` as const;
  assert.equal(await recoverMessageAddress({ message: 'Harbour says hello', signature }), address);
  const sub = completed(await send('create_sub_organization', { newPublicKey: newKeys().publicKey }));
  assert.match(sub.result.createSubOrganizationResultV4.wallet.addresses[0], /^T/);
  all();
});

test('Python: queries, an API key, a wallet, a signature, and an organization that is not there', async () => {
  const { send, all } = clientOf('python');
  assert.equal(succeeded(await send('get_whoami')).organizationId, organizationId);
  assert.equal(succeeded(await send('get_organization')).organizationData.organizationId, organizationId);
  assert.ok(succeeded(await send('get_users')).users.some((user: { userId: string }) => user.userId === userId));
  const made = completed(await send('create_wallet'));
  assert.equal(made.intent.createWalletIntent.walletName, 'Café of Python');
  const { walletId, addresses } = made.result.createWalletResult;
  const { wallets } = succeeded(await send('get_wallets'));
  assert.ok(wallets.some((wallet: { walletId: string }) => wallet.walletId === walletId));
  const signed = completed(await send('sign_raw_payload', { address: addresses[0] }));
  assert.match(signed.result.signRawPayloadResult.r, /^[0-9a-f]{64}$/);
  const polled = succeeded(await send('get_activity', { activityId: signed.id })).activity;
  assert.deepEqual(polled.result.signRawPayloadResult, signed.result.signRawPayloadResult);
  const key = { newPublicKey: newKeys().publicKey };
  assert.equal(completed(await send('create_api_keys', key)).result.createApiKeysResult.apiKeyIds.length, 1);
  const elsewhere = await send('create_api_keys elsewhere', key);
  const none = '00000000-0000-0000-0000-000000000000';
  assert.deepEqual([elsewhere.status, elsewhere.body.message], [404, `no organization found with the given ID: ${none}`]);
  all();
});
