import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ethereumAccount, post, resultOf, stampOf } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { NOBODY } from '../support/refusals.ts';

/** Refusals say what is needed to correct the request. */

const instance = await sharedInstance();

const wallet = { walletName: 'Main', accounts: [] };

test('a time in another unit is recognized', async () => {
  const now = instance.clock.now();
  const lastYear = now - 365 * 24 * 60 * 60 * 1000;
  const times: [string, number | bigint][] = [now, lastYear].flatMap((time) => [
    ['seconds', Math.round(time / 1000)],
    ['microseconds', time * 1000],
    ['nanoseconds', BigInt(time) * 1_000_000n],
  ]);
  for (const [unit, time] of times) {
    const answer = await instance.root.submit('CREATE_WALLET', wallet, { timestampMs: String(time) });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.body.message, new RegExp(`timestampMs: looks like ${unit}: it must be milliseconds`));
    assert.equal(answer.body.details[1].fieldViolations[0].field, 'timestampMs');
  }
  const old = await instance.root.submit('CREATE_WALLET', wallet, { timestampMs: '1' });
  assert.match(old.body.message, /request timestamp is too old: .* the clock of the service's machine says \d+/);
  assert.equal(old.body.details[1].fieldViolations[0].field, 'timestampMs');
});

test('a body that is not the one that was stamped', async () => {
  const body = instance.root.bodyOf('CREATE_WALLET', wallet);
  const stamp = stampOf(instance.root.keys, body);
  const answer = await post(`${instance.url}/public/v1/submit/create_wallet`, JSON.stringify(JSON.parse(body), null, 1), {
    'x-stamp': stamp,
  });
  assert.equal(answer.status, 401);
  assert.match(answer.body.message, /could not verify api key signature: a stamp covers the exact bytes of the body/);
});

test('a wrong name says which ones there are, and which was meant', async () => {
  const account = { ...ethereumAccount(), addressFormat: 'ADDRESS_FORMAT_ETHERUM' };
  const answer = await instance.root.submit('CREATE_WALLET', { walletName: 'Typo', accounts: [account] });
  assert.match(
    answer.body.message,
    /accounts\[0\]\.addressFormat: invalid address format: must be one of ADDRESS_FORMAT_UNCOMPRESSED, /,
  );
  assert.match(answer.body.message, /ADDRESS_FORMAT_SPARK_REGTEST; did you mean ADDRESS_FORMAT_ETHEREUM\?/);
  const made = await instance.root.submit('CREATE_WALLET', { walletName: 'Signs', accounts: [ethereumAccount()] });
  const signWith = resultOf(made, 'createWalletResult').addresses[0];
  const sign = { signWith, payload: '00', encoding: 'HEX', hashFunction: 'HASH_FUNCTION_KECCAK' };
  const { message } = (await instance.root.submit('SIGN_RAW_PAYLOAD_V2', sign)).body;
  assert.match(message, /encoding: invalid payload encoding: must be one of PAYLOAD_ENCODING_HEXADECIMAL, /);
  assert.match(
    message,
    /hashFunction: invalid hash function: must be one of HASH_FUNCTION_NO_OP, .* mean HASH_FUNCTION_KECCAK256\?/,
  );
});

test('a missing resource has a stable code beside the published one', async () => {
  const answer = await instance.root.query('get_wallet', { walletId: NOBODY });
  assert.equal(answer.status, 404);
  assert.deepEqual(
    answer.body.details.map((detail: Record<string, unknown>) => detail.turnkeyErrorCode ?? detail.code),
    ['UNSPECIFIED', 'NOT_FOUND'],
  );
});

test('a vote that is refused names the activity that waits', async () => {
  const pair = await instance.newSubOrganization('Pair', 2, 2);
  const user = { userName: 'Other', apiKeys: [], authenticators: [], oauthProviders: [], userTags: [] };
  const body = pair.clients[0]!.bodyOf('CREATE_USERS_V4', { users: [user] });
  const waiting = await pair.clients[0]!.send('/public/v1/submit/create_users', body);
  const { fingerprint, id } = waiting.body.activity;
  await pair.clients[1]!.submit('REJECT_ACTIVITY', { fingerprint });
  const late = await pair.clients[1]!.submit('APPROVE_ACTIVITY', { fingerprint });
  assert.equal(late.status, 403, late.text);
  const own = late.body.details.at(-1).activityId;
  const { activity } = (await pair.clients[0]!.query('get_activity', { activityId: own })).body;
  assert.equal(activity.intent.approveActivityIntent.fingerprint, fingerprint);
  assert.notEqual(own, id);
});
