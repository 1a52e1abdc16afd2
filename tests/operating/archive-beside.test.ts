import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Archiving, DAY, dayOf, startArchiving } from '../support/archiving.ts';
import { ethereumAccount, resultOf, submitPath } from '../support/client.ts';
import { engineName } from '../support/database.ts';

const TYPE = 'SIGN_RAW_PAYLOAD_V2';
const PATH = submitPath(TYPE);

let service: Archiving;
let signature: object;
const sent: { body: string; id: string; text: string }[] = [];

before(async () => {
  service = await startArchiving();
  const { root } = service;
  const wallet = await root.submit('CREATE_WALLET', { walletName: 'One', accounts: [ethereumAccount()] });
  const [signWith] = resultOf(wallet, 'createWalletResult').addresses;
  signature = { signWith, payload: '00', encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_SHA256' };
  for (let i = 0; i < 60; i++) {
    const body = root.bodyOf(TYPE, signature);
    const { text, body: answer } = await root.send(PATH, body);
    sent.push({ body, text, id: answer.activity.id });
  }
  service.toPresent();
  await root.submit('CREATE_USER_TAG', { userTagName: 'New', userIds: [] });
});
after(() => service.close());

test('PostgreSQL: while activities are archived each is found at every moment, and signatures go on', {
  skip: engineName !== 'postgres' && 'on SQLite the service is stopped meanwhile',
}, async () => {
  const { root } = service;
  let isDone = false;
  let rounds = 0;
  const ask = async () => {
    while (!isDone) {
      for (const { body, id, text } of sent) {
        const { activity } = (await root.query('get_activity', { activityId: id })).body;
        assert.deepEqual([activity?.id, activity?.votes.length], [id, 1]);
        assert.equal((await root.send(PATH, body)).text, text);
      }
      rounds += 1;
    }
  };
  const sign = async () => {
    while (!isDone) assert.equal((await root.submit(TYPE, signature)).status, 200);
  };
  const runs = async () => {
    try {
      // Two commands at once take turns.
      return await Promise.all(
        [1, 2].map(() => service.archive(['--before', dayOf(Date.now() - 5 * DAY), '--batch', '1', '--json'])),
      );
    } finally {
      isDone = true;
    }
  };
  const [outcomes] = await Promise.all([runs(), ask(), ask(), sign()]);
  assert.ok(rounds > 0);
  let total = 0;
  for (const { code, text, complaint } of outcomes) {
    assert.equal(code, 0, complaint);
    total += JSON.parse(text).activities;
  }
  assert.equal(total, sent.length + 1, 'each was archived by one of them');
});
