import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, ethereumAccount, resultOf } from '../../support/client.ts';
import { amount } from '../../support/full.ts';
import { sharedInstance } from '../../support/instance.ts';
import { type OpenStream, openStream } from '../../support/streams.ts';
import { waitFor } from '../../support/wait.ts';

const instance = await sharedInstance();
const { url, root } = instance;

const hash = () => Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex');

/** Signs as an organization's user, which writes only a record. */
async function signer(client: Client): Promise<() => Promise<string>> {
  const wallet = { walletName: 'wallet', accounts: [ethereumAccount()] };
  const { addresses } = resultOf(await client.submit('CREATE_WALLET', wallet), 'createWalletResult');
  const how = { signWith: addresses[0], encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP' };
  return async () => {
    const answer = await client.submit('SIGN_RAW_PAYLOAD_V2', { ...how, payload: hash() });
    resultOf(answer, 'signRawPayloadResult');
    return answer.body.activity.id;
  };
}

test('the first stream of an organization has all that is signed after its beginning, while others sign at once', async () => {
  for (let round = 0; round < amount(2, 5); round++) {
    const { clients } = await instance.newSubOrganization(`Round ${round}`, 1, 1);
    const sign = await signer(clients[0]!);
    let isDone = false;
    const others = Array.from({ length: 4 }, async () => {
      while (!isDone) await sign();
    });
    const stream = await openStream(url, clients[0]!);
    const ids = await Promise.all(Array.from({ length: 8 }, sign));
    isDone = true;
    await Promise.all(others);
    await waitFor('all', () => ids.every((id) => stream.activities().includes(id)));
    assert.equal(new Set(stream.activities()).size, stream.activities().length);
    stream.close();
  }
});

test('a stream that is cut again and again misses nothing and tells nothing twice', async () => {
  const sign = await signer(root);
  const whole = await openStream(url, root);
  const ids: string[] = [];
  let isDone = false;
  const signing = Array.from({ length: 4 }, async () => {
    while (!isDone) ids.push(await sign());
  });
  const got: string[] = [];
  let lastId = whole.messages[0]!.id;
  const take = (stream: OpenStream) => {
    got.push(...stream.activities());
    lastId = stream.lastId();
    stream.close();
  };
  for (let i = 0; i < amount(8, 20); i++) {
    const stream = await openStream(url, root, { lastId });
    assert.equal(stream.messages[0]!.event, 'ready');
    await waitFor('something', () => stream.activities().length > i % 3);
    take(stream);
  }
  isDone = true;
  await Promise.all(signing);
  await waitFor('the whole', () => ids.every((id) => whole.activities().includes(id)));
  const last = await openStream(url, root, { lastId });
  const left = whole.activities().length - got.length;
  await waitFor('the rest', () => last.activities().length === left);
  take(last);
  assert.deepEqual(got, whole.activities());
  whole.close();
});
