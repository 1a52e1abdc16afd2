import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samples } from '../../support/all-samples.ts';
import { type Answer, post, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused } from '../../support/refusals.ts';
import { refusedToNobody } from '../support.ts';

const instance = await sharedInstance();
const { root } = instance;

const TYPE = 'SET_PAYMENT_METHOD_V2';
const PATH = '/public/v1/submit/set_payment_method';
const sample = samples('SET_PAYMENT_METHOD') as { paymentMethodId: string; cardHolderEmail: string; cardHolderName: string };
const CARD = { number: '4242424242424242', cvv: '123', expiryMonth: '12', expiryYear: '2031' };

const stored = () => instance.engine.store.read.billingAccounts.get(root.organizationId);

test('the payment method is kept, and no last four digits are known', async () => {
  const { paymentMethodId, ...shown } = sample;
  assert.deepEqual(resultOf(await root.submit(TYPE, sample), 'setPaymentMethodResult'), { ...shown, lastFour: '' });
  const kept = (await stored())!;
  assert.deepEqual([kept.paymentMethodId, kept.paymentEmail], [paymentMethodId, sample.cardHolderEmail]);
  const uuid = { ...sample, paymentMethodId: '01234567-8901-4234-8901-234567890123' };
  assert.equal((await root.submit(TYPE, uuid)).status, 200);
});

test('everything but a body of the second version gets one answer, which says so, whoever sends it', async () => {
  const count = async () => (await instance.raw('SELECT count(*) AS n FROM activities'))[0]!.n;
  const before = await count();
  const { cardHolderEmail, cardHolderName } = sample;
  const v1 = root.bodyOf('SET_PAYMENT_METHOD', { ...CARD, cardHolderEmail, cardHolderName });
  const v2 = root.bodyOf(TYPE, sample);
  const nobody = root.as(root.keys, '00000000-0000-7000-8000-00000000dead');
  const answers: Answer[] = [
    await root.send(PATH, v1),
    await post(`${root.url}${PATH}`, v1),
    await post(`${root.url}${PATH}`, v1, { 'x-stamp': 'no stamp' }),
    await nobody.submit('SET_PAYMENT_METHOD', CARD),
    await root.send(PATH, v1.slice(0, -1)),
    await root.send(PATH, CARD.number),
    await root.submit(TYPE, { ...sample, number: CARD.number }),
    await root.submit(TYPE, { ...sample, card_number: CARD.number }),
    await root.submit(TYPE, { ...sample, [CARD.number]: null }),
    await root.submit(TYPE, { ...sample, generateAppProofs: CARD.number }),
    await root.send(PATH, JSON.stringify({ ...JSON.parse(v2), [CARD.number]: CARD.cvv })),
    await root.send(PATH, JSON.stringify({ ...JSON.parse(v2), [CARD.number]: null })),
    await root.send(PATH, v2.replace('{', `{"type":"${CARD.number}",`)),
    await root.send(PATH, v2.replace('"parameters":{', `"parameters":{"numbe\\u0072":"${CARD.number}",`)),
    await root.send(PATH, `\ufeff${v2}`),
  ];
  for (const answer of answers) {
    assert.equal(answer.status, 400);
    assert.equal(answer.text, answers[0]!.text);
    assert.equal(answer.headers.get('x-ignored-fields'), null);
  }
  assert.match(answers[0]!.text, /type: must be ACTIVITY_TYPE_SET_PAYMENT_METHOD_V2: card data is never accepted/);
  assert.equal(await count(), before);
});

test('a card number is refused in every field, and nothing is stored', async () => {
  const before = await stored();
  const numbers = [
    ...[
      CARD.number,
      '4242 4242 4242 4242',
      'card 4242-4242-4242-4242',
      '4242\u00a04242\u00a04242\u00a04242',
      '4242__4242__4242__4242',
    ],
    CARD.number.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
  ];
  for (const number of numbers)
    for (const field of ['paymentMethodId', 'cardHolderName', 'cardHolderEmail']) {
      const answer = await root.submit(TYPE, { ...sample, [field]: number });
      refused(answer, [400, 'REQUEST_INVALID', /must not have a card number/]);
      assert.ok(!answer.text.includes('4242'), answer.text);
    }
  assert.deepEqual(await stored(), before);
});

test('an address that is none, a sub-organization and a user without permission are refused', async () => {
  refused(await root.submit(TYPE, { ...sample, cardHolderEmail: 'nobody' }), [400, 'INVALID_EMAIL', /cardHolderEmail/]);
  const [below] = (await instance.newSubOrganization('Below', 1, 1)).clients;
  refused(await below!.submit(TYPE, sample), [400, 'INVALID_ACTIVITY_CALLER', /sub-organization/]);
  await refusedToNobody(instance, TYPE, sample);
});
