import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { before, test } from 'node:test';
import { ethereumAccount } from '../support/client.ts';
import { sharedInstance } from '../support/instance.ts';
import { newWallet } from './authority.ts';

const instance = await sharedInstance();
let address: string;
before(async () => {
  address = (await newWallet(instance.root)).addresses[0]!;
});

const sign = () => ({
  signWith: address,
  payload: '0xdeadbeef',
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_KECCAK256',
});

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('a submit answers with the envelope of the specification, and with the one that existing clients read', async () => {
  const body = instance.root.bodyOf('SIGN_RAW_PAYLOAD_V2', sign());
  const answer = await instance.root.send('/public/v1/submit/sign_raw_payload', body);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get('content-type'), 'application/json');
  assert.equal(answer.headers.get('access-control-allow-origin'), '*');
  assert.equal(answer.headers.get('access-control-allow-credentials'), null);

  const outer = answer.body.activity;
  const sent = JSON.parse(body);
  const fingerprint = `sha256:${createHash('sha256').update(body).digest('hex')}`;
  for (const activity of [outer, outer.result.activity]) {
    assert.match(activity.id, UUID);
    assert.equal(activity.organizationId, instance.root.organizationId);
    assert.equal(activity.status, 'ACTIVITY_STATUS_COMPLETED');
    assert.equal(activity.type, 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2');
    assert.deepEqual(activity.intent, { signRawPayloadIntentV2: sign() });
    assert.equal(activity.fingerprint, fingerprint);
    assert.equal(activity.canApprove, false);
    assert.equal(activity.canReject, false);
    assert.equal(activity.votes.length, 1);
    const [vote] = activity.votes;
    assert.match(vote.id, UUID);
    assert.equal(vote.userId, instance.credentials.userId);
    assert.equal(vote.user.userId, instance.credentials.userId);
    assert.equal(vote.user.apiKeys[0].credential.publicKey, instance.credentials.apiPublicKey);
    assert.equal(vote.activityId, activity.id);
    assert.equal(vote.selection, 'VOTE_SELECTION_APPROVED');
    assert.equal(vote.message, body);
    assert.equal(vote.publicKey, instance.credentials.apiPublicKey);
    assert.equal(vote.scheme, 'SIGNATURE_SCHEME_TK_API_P256');
    assert.match(vote.signature, /^30[0-9a-f]+$/);
    assert.match(vote.createdAt.seconds, /^\d+$/);
  }
  assert.deepEqual(Object.keys(outer).sort(), [
    'canApprove',
    'canReject',
    'createdAt',
    'fingerprint',
    'id',
    'intent',
    'organizationId',
    'result',
    'status',
    'timestampMs',
    'type',
    'updatedAt',
    'votes',
  ]);
  assert.equal(outer.timestampMs, sent.timestampMs);
  assert.match(outer.createdAt.seconds, /^\d+$/);
  assert.match(outer.updatedAt.nanos, /^\d+$/);
  assert.deepEqual(Object.keys(outer.result), ['signRawPayloadResult', 'activity']);

  const detail = outer.result.activity;
  assert.deepEqual(Object.keys(detail).sort(), [
    'canApprove',
    'canReject',
    'createdAt',
    'fingerprint',
    'id',
    'intent',
    'organizationId',
    'result',
    'status',
    'type',
    'updatedAt',
    'votes',
  ]);
  assert.equal(Object.keys(detail.intent).length, 1);
  assert.deepEqual(Object.keys(detail.result), ['signRawPayloadResult']);
  assert.deepEqual(detail.result.signRawPayloadResult, outer.result.signRawPayloadResult);
  for (const part of ['r', 's']) assert.match(detail.result.signRawPayloadResult[part], /^[0-9a-f]{64}$/);
  assert.match(detail.result.signRawPayloadResult.v, /^0[01]$/);
  assert.match(detail.createdAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
});

test('get_activity and list_activities give the outer form, without the inner one', async () => {
  const made = await instance.root.submit('SIGN_RAW_PAYLOAD_V2', sign());
  const { id } = made.body.activity;
  const got = (await instance.root.query('get_activity', { activityId: id })).body.activity;
  const { timestampMs: _, result, ...rest } = made.body.activity;
  assert.deepEqual(got, { ...rest, result: { signRawPayloadResult: result.signRawPayloadResult } });
  const [newest] = (await instance.root.query('list_activities', { paginationOptions: { limit: '1' } })).body.activities;
  assert.deepEqual(newest, got);
});

test('null members count as absent and unknown ones are ignored, and both stay in what was signed', async () => {
  const body = instance.root
    .bodyOf('SIGN_RAW_PAYLOAD_V2', { ...sign(), generateAppProofs: null, extra: { a: 1 } })
    .replace(/}$/, ',"generateAppProofs":null}');
  const { activity } = (await instance.root.send('/public/v1/submit/sign_raw_payload', body)).body;
  assert.deepEqual(activity.intent, { signRawPayloadIntentV2: sign() });
  assert.equal(activity.votes[0].message, body);
});

test('the same bytes are the same activity, and a second run needs another timestamp', async () => {
  const body = instance.root.bodyOf('SIGN_RAW_PAYLOAD_V2', sign());
  const first = await instance.root.send('/public/v1/submit/sign_raw_payload', body);
  instance.clock.advance(3 * 60 * 60 * 1000);
  const second = await instance.root.send('/public/v1/submit/sign_raw_payload', body);
  assert.deepEqual(second.body, first.body);
  const third = await instance.root.submit('SIGN_RAW_PAYLOAD_V2', sign());
  assert.notEqual(third.body.activity.id, first.body.activity.id);
  assert.deepEqual(third.body.activity.result.signRawPayloadResult, first.body.activity.result.signRawPayloadResult);
});

test('twenty identical bodies at once give one activity', async () => {
  const body = instance.root.bodyOf('CREATE_WALLET', { walletName: `Raced ${Date.now()}`, accounts: [ethereumAccount()] });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => instance.root.send('/public/v1/submit/create_wallet', body)),
  );
  const results = new Set(
    answers.map((a) => `${a.status} ${a.body.activity?.id} ${a.body.activity?.result.createWalletResult.walletId}`),
  );
  assert.equal(results.size, 1, [...results].join('\n'));
  assert.match([...results][0]!, /^200 /);
  const signed = instance.root.bodyOf('SIGN_RAW_PAYLOAD_V2', sign());
  const raced = await Promise.all(
    Array.from({ length: 20 }, () => instance.root.send('/public/v1/submit/sign_raw_payload', signed)),
  );
  assert.equal(new Set(raced.map((a) => a.text)).size, 1);
});
