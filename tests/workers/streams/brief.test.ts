/** Brief streams: they name what changed, and nothing is written for them. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Client, ethereumAccount, resultOf } from '../../support/client.ts';
import { startInstance } from '../../support/instance.ts';
import { type OpenStream, openStream, readStream, STREAM, ticketOf } from '../../support/streams.ts';
import { waitFor } from '../../support/wait.ts';

const instance = await startInstance();
after(() => instance.close());
const { root, url } = instance;

type Changed = { id: string; status: string; updatedAt: object };

const open = (client: Client): Promise<OpenStream> => openStream(url, client, { brief: true });
const news = ({ messages }: OpenStream): Changed[][] =>
  messages.filter(({ event }) => event === 'changes').map(({ data }) => JSON.parse(data).activities);
const statusesOf = (stream: OpenStream, id: string): string[] =>
  news(stream)
    .flat()
    .flatMap((one) => (one.id === id ? one.status.replace('ACTIVITY_STATUS_', '') : []));

let made = 0;
async function act(client: Client): Promise<{ id: string; fingerprint: string }> {
  const { body, text } = await client.submit('CREATE_USER_TAG', { userTagName: `tag ${made++}`, userIds: [] });
  assert.ok(body.activity, text);
  return body.activity;
}

/** Signatures have no limit, and write only their record. */
async function signer(client: Client): Promise<() => Promise<string>> {
  const wallet = { walletName: 'wallet', accounts: [ethereumAccount()] };
  const { addresses } = resultOf(await client.submit('CREATE_WALLET', wallet), 'createWalletResult');
  const how = { signWith: addresses[0], encoding: 'PAYLOAD_ENCODING_TEXT_UTF8', hashFunction: 'HASH_FUNCTION_SHA256' };
  return async () => {
    const { body, text } = await client.submit('SIGN_RAW_PAYLOAD_V2', { ...how, payload: `payment ${made++}` });
    assert.ok(body.activity, text);
    return body.activity.id;
  };
}

async function newest(client: Client): Promise<string[]> {
  const { body } = await client.query('list_activities', { paginationOptions: { limit: '100' } });
  return body.activities.map(({ id }: { id: string }) => id);
}

test('a brief stream names a request that waits, is voted on and ends, and says that others were made', async () => {
  const { clients } = await instance.newSubOrganization('Three', 3, 3);
  const [asker, second, third] = clients as [Client, Client, Client];
  const stream = await open(asker);
  const [{ event, id: resumable, data }] = stream.messages as [(typeof stream.messages)[number]];
  assert.deepEqual([event, resumable, data], ['ready', '', '{}']);
  const { id, fingerprint } = await act(asker);
  await waitFor('the request', () => statusesOf(stream, id).length === 1);
  await second.submit('APPROVE_ACTIVITY', { fingerprint });
  await waitFor('the vote', () => statusesOf(stream, id).length === 2);
  await third.submit('APPROVE_ACTIVITY', { fingerprint });
  await waitFor('the end', () => statusesOf(stream, id).length === 3);
  assert.deepEqual(statusesOf(stream, id), ['CONSENSUS_NEEDED', 'CONSENSUS_NEEDED', 'COMPLETED']);
  const { body } = await asker.query('get_activity', { activityId: id });
  assert.deepEqual(news(stream).flat().at(-1)?.updatedAt, body.activity.updatedAt);
  assert.deepEqual(
    new Set(news(stream).flatMap((some) => some.map((one) => one.id))),
    new Set([id]),
    'the votes are activities that ended at once',
  );
  stream.close();
});

test('a message tells by the version of the facts whether a policy may have changed, or users signed alone', async () => {
  const { clients } = await instance.newSubOrganization('Facts', 1, 1);
  const client = clients[0]!;
  const sign = await signer(client);
  const stream = await open(client);
  const versions = () =>
    stream.messages.filter(({ event }) => event === 'changes').map(({ data }) => JSON.parse(data).factsVersion);
  const after = async (change: () => Promise<unknown>) => {
    const before = versions().length;
    await change();
    await waitFor('its message', () => versions().length > before);
    return versions().at(-1);
  };
  const first = await after(sign);
  assert.match(first, /^\d+$/);
  assert.equal(await after(sign), first);
  const policy = { policyName: 'New', effect: 'EFFECT_DENY', condition: 'false', notes: '' };
  assert.notEqual(await after(() => client.submit('CREATE_POLICY_V3', policy)), first);
  stream.close();
});

test('nothing is written for brief streams, and another organization has no news of them', async () => {
  const { clients } = await instance.newSubOrganization('Quiet', 1, 1);
  const below = await open(clients[0]!);
  const above = await open(root);
  const byParent = await open(root.as(root.keys, clients[0]!.organizationId));
  await act(clients[0]!);
  for (const stream of [below, byParent]) await stream.message('changes');
  assert.deepEqual([news(below), news(byParent)], [[[]], [[]]]);
  await act(root);
  await above.message('changes');
  assert.deepEqual([news(above).length, news(below).length], [1, 1]);
  const rows = await instance.raw(
    'SELECT 1 FROM webhook_events UNION ALL SELECT 1 FROM stream_events UNION ALL SELECT 1 FROM stream_interests UNION ALL SELECT 1 FROM organizations WHERE listeners <> 0',
  );
  assert.deepEqual(rows, []);
  const { body, status } = await root.query('create_stream_ticket', { brief: true, subOrganizations: true });
  assert.deepEqual([status, body.details[1].fieldViolations[0].field], [400, 'brief']);
  for (const stream of [below, above, byParent]) stream.close();
});

test('a client that reads the list at each message sees all, also what came while it was away', async () => {
  const { clients } = await instance.newSubOrganization('Busy', 1, 1);
  const client = clients[0]!;
  const sign = await signer(client);
  let isDone = false;
  const ids: string[] = [];
  const others = Array.from({ length: 4 }, async () => {
    while (!isDone) ids.push(await sign());
  });
  const seen = new Set<string>();
  for (let round = 0; round < 4; round++) {
    const stream = await open(client);
    let read = 0;
    const readOn = async () => {
      while (read < stream.messages.length) {
        read = stream.messages.length;
        for (const id of await newest(client)) seen.add(id);
      }
    };
    await waitFor('two looks', async () => {
      await readOn();
      return news(stream).length > 1;
    });
    if (round === 3) {
      isDone = true;
      await Promise.all(others);
      await waitFor('the last ones', async () => {
        await readOn();
        return ids.slice(-20).every((id) => seen.has(id));
      });
    }
    stream.close();
  }
});

test('a brief stream ends with its user, and a stranger or a user who is gone gets none', async () => {
  const { client, userId } = await instance.newUser('Leaves');
  const stream = await open(client);
  const late = await ticketOf(client, { brief: true });
  await root.submit('DELETE_USERS', { userIds: [userId] });
  assert.equal((await stream.message('end')).data, '{"reason":"revoked"}');
  const told = stream.messages.length;
  await act(root);
  await assert.rejects(
    readStream(url + STREAM, { authorization: `Bearer ${late}` }),
    /^Error: 401 .*the credential of the ticket has ended/,
  );
  assert.equal(stream.messages.length, told);
  const { clients } = await instance.newSubOrganization('Stranger', 1, 1);
  const { status } = await root.as(clients[0]!.keys).query('create_stream_ticket', { brief: true });
  assert.equal(status, 401);
});
