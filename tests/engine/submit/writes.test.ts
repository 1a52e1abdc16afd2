import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signRawPayload } from '../../../src/activities/signing/sign-raw-payload.ts';
import { agreed, sharedPair, waitsForBoth } from '../../activities/support.ts';
import { ethereumAccount, resultOf } from '../../support/client.ts';

const { instance, pair } = await sharedPair();

const TYPE = 'SIGN_RAW_PAYLOAD_V2';
const wallet = { walletName: 'W', accounts: [ethereumAccount()] };
const params = (signWith: string) => ({
  signWith,
  payload: 'deadbeef',
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_KECCAK256',
});

test('an activity that declares `writes: false` gets no writer and no outbox, whether one approval or two complete it', async (t) => {
  const contexts: object[] = [];
  const { execute } = signRawPayload;
  t.mock.method(signRawPayload, 'execute', (step: Parameters<typeof execute>[0]) => {
    contexts.push(step.ctx);
    return execute(step);
  });
  const own = resultOf(await instance.root.submit('CREATE_WALLET', wallet), 'createWalletResult');
  await instance.root.submit(TYPE, params(own.addresses[0]));
  const shared = resultOf(await agreed(pair, 'CREATE_WALLET', wallet), 'createWalletResult');
  await waitsForBoth(pair, TYPE, params(shared.addresses[0]), 'signRawPayloadResult');
  assert.equal(contexts.length, 2);
  for (const context of contexts) {
    assert.ok('read' in context);
    assert.ok(!('store' in context) && !('after' in context), Object.keys(context).join(', '));
  }
});
