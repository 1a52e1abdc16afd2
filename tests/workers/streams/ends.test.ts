import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { household, tokenFor } from '../../activities/otp/support.ts';
import { attested } from '../../support/attested.ts';
import { type Answer, apiKey, type Client, newKeys, post, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { sharedMail } from '../../support/mail.ts';
import { type OpenStream, openStream, readStream, STREAM, ticketOf } from '../../support/streams.ts';
import { waitFor } from '../../support/wait.ts';

/** The end of a credential ends its streams within two seconds. */
const mail = await sharedMail();
const instance = await sharedInstance({ ...mail.env, TRUSTED_PROXIES: '127.0.0.1' });
const { root, url, clock } = instance;
const HOUR = 3_600_000;
const MINUTE = 60_000;

const done = (answer: Answer): void => assert.equal(answer.body.activity?.status, 'ACTIVITY_STATUS_COMPLETED', answer.text);

/** The stream ends soon, by this change and no earlier. */
async function endsBy(stream: OpenStream, change: () => unknown): Promise<void> {
  assert.equal(stream.isOpen(), true);
  await change();
  const from = performance.now();
  assert.deepEqual(JSON.parse((await stream.message('end')).data), { reason: 'revoked' });
  assert.ok(performance.now() - from < 2_000, `${performance.now() - from} ms`);
  await waitFor('the end', () => !stream.isOpen());
}

const bearer = (ticket: string, more: Record<string, string> = {}) =>
  readStream(url + STREAM, { authorization: `Bearer ${ticket}`, ...more });

const newSession = async (client: Client): Promise<string> =>
  resultOf(await client.submit('CREATE_READ_ONLY_SESSION', {}), 'createReadOnlySessionResult').session;

async function bySession(session: string): Promise<OpenStream> {
  const body = JSON.stringify({ organizationId: root.organizationId });
  const answer = await post(`${url}/public/v1/query/create_stream_ticket`, body, { 'x-session': session });
  const stream = await bearer(answer.body.ticket);
  await stream.message('ready');
  return stream;
}

describe('a stream ends with', () => {
  test('its user', async () => {
    const { client, userId } = await instance.newUser('Leaves');
    const stays = await openStream(url, root);
    await endsBy(await openStream(url, client), async () => done(await root.submit('DELETE_USERS', { userIds: [userId] })));
    assert.equal(stays.isOpen(), true, 'others go on');
    stays.close();
  });

  test('its API key, and a ticket of that key opens none', async () => {
    const { client, userId } = await instance.newUser('Loses a key');
    const keys = newKeys();
    const made = await root.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(keys)] });
    const { apiKeyIds } = resultOf(made, 'createApiKeysResult');
    const kept = await openStream(url, client);
    const late = await ticketOf(client.as(keys));
    await endsBy(await openStream(url, client.as(keys)), async () =>
      done(await root.submit('DELETE_API_KEYS', { userId, apiKeyIds })),
    );
    await assert.rejects(bearer(late), /^Error: 401 .*the credential of the ticket has ended/);
    assert.equal(kept.isOpen(), true, 'of the same user');
    kept.close();
  });

  test('the time of its API key', async () => {
    const { client, userId } = await instance.newUser('Expires');
    const keys = newKeys();
    const apiKeys = [apiKey(keys, { expirationSeconds: '300' })];
    done(await root.submit('CREATE_API_KEYS_V2', { userId, apiKeys }));
    await endsBy(await openStream(url, client.as(keys)), () => clock.advance(301_000));
  });

  test('the key that made its session', async () => {
    const { client, userId } = await instance.newUser('Has a session');
    const keys = newKeys();
    const made = await root.submit('CREATE_API_KEYS_V2', { userId, apiKeys: [apiKey(keys)] });
    const { apiKeyIds } = resultOf(made, 'createApiKeysResult');
    const stream = await bySession(await newSession(client.as(keys)));
    await endsBy(stream, async () => done(await root.submit('DELETE_API_KEYS', { userId, apiKeyIds })));
  });

  test('its session, which newer ones replaced', async () => {
    const { client } = await instance.newUser('Has sessions');
    const stream = await bySession(await newSession(client));
    await endsBy(stream, async () => {
      for (let i = 0; i < 10; i++) await newSession(client);
    });
  });

  test('the time of its session', async () => {
    const { client } = await instance.newUser('Session ends');
    const session = await newSession(client);
    clock.advance(HOUR - 5 * MINUTE);
    await endsBy(await bySession(session), () => clock.advance(6 * MINUTE));
  });

  test('the feature that lets its stamps count', async () => {
    const email = 'stream@example.com';
    const { own, organizationId } = await household(instance, { userEmail: email });
    const keys = newKeys();
    const token = await tokenFor(root.as(root.keys, organizationId), mail, email, keys);
    const client = attested(own, keys, { verificationToken: token });
    const { body, text } = await client.query('create_stream_ticket');
    assert.ok(body.ticket, text);
    const stream = await bearer(body.ticket);
    await stream.message('ready');
    const feature = { name: 'FEATURE_NAME_OTP_EMAIL_AUTH' };
    await endsBy(stream, async () => done(await own.submit('REMOVE_ORGANIZATION_FEATURE', feature)));
  });

  test('its organization, also for a user of the parent', async () => {
    const { clients, organizationId } = await instance.newSubOrganization('Gone', 1, 1);
    const above = await openStream(url, root.as(root.keys, organizationId));
    await endsBy(await openStream(url, clients[0]!), async () =>
      done(await clients[0]!.submit('DELETE_SUB_ORGANIZATION', { deleteWithoutExport: true })),
    );
    await above.message('end');
  });

  test('its address, if an allow-list no longer has it', async () => {
    const { client, keys } = await instance.newUser('Moves');
    const near = client.from('192.0.2.1');
    const ticket = await ticketOf(near);
    const stream = await bearer(ticket, { 'x-forwarded-for': '192.0.2.1' });
    await stream.message('ready');
    const rules = (...cidrs: string[]) => cidrs.map((cidr) => ({ cidr, label: cidr }));
    const admin = root.from('203.0.113.9');
    done(await admin.submit('SET_IP_ALLOWLIST', { enabled: true, rules: rules('192.0.2.0/24', '203.0.113.0/24') }));
    assert.equal(stream.isOpen(), true);
    await endsBy(stream, async () =>
      done(await admin.submit('SET_IP_ALLOWLIST', { publicKey: keys.publicKey, rules: rules('203.0.113.0/24') })),
    );
    done(await admin.submit('REMOVE_IP_ALLOWLIST', {}));
  });
});
