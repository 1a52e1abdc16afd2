import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { json } from '../../support/oauth2.ts';
import {
  buying,
  COINBASE,
  coinbaseCredential,
  MOONPAY,
  moonpayCredential,
  onRampEnv,
  sharedOnRamps,
} from '../../support/on-ramp.ts';
import { NOBODY, refused } from '../../support/refusals.ts';

const ramps = await sharedOnRamps();
const instance = await sharedInstance(onRampEnv(ramps));
const { root } = instance;
ramps.now = instance.clock.now;

const credentials = await Promise.all([
  coinbaseCredential(instance.url),
  moonpayCredential(instance.url),
  coinbaseCredential(instance.url).then((one) => ({ ...one, sandboxMode: true })),
]);
for (const one of credentials)
  resultOf(await root.submit('CREATE_FIAT_ON_RAMP_CREDENTIAL', one), 'createFiatOnRampCredentialResult');

const begin = async (provider: string, more: object = {}, client: Client = root): Promise<string> =>
  resultOf(await client.submit('INIT_FIAT_ON_RAMP', buying(provider, more)), 'initFiatOnRampResult').onRampTransactionId;
const ask = (transactionId: string, refresh?: boolean, client: Client = root) =>
  client.query('get_onramp_transaction_status', { transactionId, refresh });

async function statusOf(transactionId: string, refresh?: boolean): Promise<string> {
  const { body, text } = await ask(transactionId, refresh);
  assert.deepEqual(Object.keys(body), ['transactionStatus'], text);
  return body.transactionStatus;
}

/** How often the provider was asked meanwhile. */
async function asked(work: () => Promise<unknown>): Promise<number> {
  const before = ramps.asked.length;
  await work();
  return ramps.asked.length - before;
}

const later = () => instance.clock.advance(3000);

const coinbaseStatus = (word: string) => ({ status: `ONRAMP_TRANSACTION_STATUS_${word}`, partner_user_ref: 'x' });

for (const [provider, outcomes] of [
  [
    COINBASE,
    [
      [[coinbaseStatus('SUCCESS')], 'COMPLETED'],
      [[coinbaseStatus('FAILED')], 'FAILED'],
      [[coinbaseStatus('FAILED'), coinbaseStatus('SUCCESS')], 'COMPLETED'],
      [[coinbaseStatus('IN_PROGRESS'), coinbaseStatus('FAILED')], 'PENDING'],
      [[coinbaseStatus('FAILED'), coinbaseStatus('IN_PROGRESS')], 'PENDING'],
      [[coinbaseStatus('CREATED')], 'PENDING'],
      [[coinbaseStatus('OF_TOMORROW')], 'PENDING'],
      [[], 'PENDING'],
    ],
  ],
  [
    MOONPAY,
    [
      [[{ status: 'completed' }], 'COMPLETED'],
      [[{ status: 'failed', failureReason: 'rejected_card' }], 'FAILED'],
      [[{ status: 'failed', failureReason: 'cancelled' }], 'CANCELLED'],
      [[{ status: 'pending' }, { status: 'failed' }], 'PENDING'],
      [[{ status: 'failed' }, { status: 'pending' }], 'PENDING'],
      [[{ status: 'failed', failureReason: 'cancelled' }, { status: 'failed' }], 'CANCELLED'],
      [[{ status: 'waitingPayment' }], 'PENDING'],
      [[{ status: 'waitingAuthorization' }], 'PENDING'],
      [[{ status: 'of tomorrow' }, 7, null], 'PENDING'],
    ],
  ],
] as const)
  test(`${provider}: its words become ours`, async () => {
    for (const [found, wanted] of outcomes) {
      const id = await begin(provider);
      ramps.purchases.set(id, found as readonly object[]);
      assert.equal(await statusOf(id), 'PENDING', 'as it was last seen');
      assert.equal(await statusOf(id, true), wanted);
      assert.equal(await statusOf(id), wanted);
      later();
      assert.equal(await asked(() => ask(id, true)), wanted === 'PENDING' ? 1 : 0, 'an outcome is final');
    }
  });

test('a purchase that nobody began yet is pending, and one in a sandbox is found there', async () => {
  assert.equal(await statusOf(await begin(MOONPAY), true), 'PENDING');
  const id = await begin(COINBASE, { sandboxMode: true });
  ramps.purchases.set(`sandbox-${id}`, [coinbaseStatus('SUCCESS')]);
  assert.equal(await statusOf(id, true), 'COMPLETED');
});

test('a provider is asked at most every three seconds about a transaction, however many ask', async () => {
  const id = await begin(MOONPAY);
  const other = await begin(MOONPAY);
  assert.equal(await asked(() => Promise.all(Array.from({ length: 10 }, () => ask(id, true)))), 1);
  assert.equal(await asked(() => ask(id, true)), 0);
  assert.equal(await asked(() => ask(other, true)), 1, 'each transaction has its own three seconds');
  later();
  assert.equal(await asked(() => ask(id, true)), 1);
  assert.equal(await asked(() => ask(id)), 0);
});

test('a failure of the provider is told, and changes nothing', async (t) => {
  t.after(() => ramps.answer(undefined));
  const id = await begin(COINBASE);
  ramps.purchases.set(id, [coinbaseStatus('SUCCESS')]);
  for (const [status, expected] of [
    [503, [503, 'UNAVAILABLE', /Coinbase is unreachable now: Coinbase answered with status 503/]],
    [401, [400, 'UNSPECIFIED', /Coinbase does not accept the keys of this organization/]],
    [400, [400, 'REQUEST_INVALID', /Coinbase refused the request with status 400/]],
  ] as const) {
    ramps.answer((_, response) => json(response, status, {}));
    refused(await ask(id, true), expected as unknown as [number, string, RegExp]);
    assert.equal(await statusOf(id, true), 'PENDING');
    later();
  }
  ramps.answer((_, response) => void response.end('no JSON'));
  refused(await ask(id, true), [400, 'REQUEST_INVALID', /did not answer with JSON/]);
  ramps.answer(undefined);
  later();
  assert.equal(await statusOf(id, true), 'COMPLETED');
});

test('a transaction of a sub-organization is asked about with the parent’s credential, also after that was replaced', async () => {
  const { organizationId, clients } = await instance.newSubOrganization('Buyer', 1, 1);
  const id = await begin(MOONPAY, {}, clients[0]);
  const { fiatOnRampCredentials } = (await root.query('list_fiat_on_ramp_credentials')).body;
  const [old] = fiatOnRampCredentials.filter((one: { onrampProvider: string }) => one.onrampProvider === MOONPAY);
  const { fiatOnrampCredentialId } = old;
  resultOf(await root.submit('DELETE_FIAT_ON_RAMP_CREDENTIAL', { fiatOnrampCredentialId }), 'deleteFiatOnRampCredentialResult');
  refused(await ask(id, true, clients[0]), [400, 'UNSPECIFIED', /neither this organization nor its parent/]);
  resultOf(await root.submit('CREATE_FIAT_ON_RAMP_CREDENTIAL', credentials[1]), 'createFiatOnRampCredentialResult');
  ramps.purchases.set(id, [{ status: 'completed' }]);
  later();
  const parent = root.as(root.keys, organizationId);
  assert.deepEqual((await ask(id, true, parent)).body, { transactionStatus: 'COMPLETED' });
  for (const [client, transactionId] of [
    [root, id],
    [clients[0]!, NOBODY],
  ] as const)
    refused(await ask(transactionId, true, client), [404, 'UNSPECIFIED', /^on-ramp transaction not found: transactionId names/]);
});
