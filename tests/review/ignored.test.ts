import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareWithService, type Review, reviewOf } from '../../review/index.ts';
import { activities } from '../../src/activities/index.ts';

const ORGANIZATION = '0191f3c2-0000-7000-8000-000000000001';
const THEIRS = '0x00000000000000000000000000000000000000ee';
const OWN = '0x00000000000000000000000000000000000000aa';

function review(type: string, parameters: object): Review {
  const body = { type: `ACTIVITY_TYPE_${type}`, timestampMs: '1795966172374', organizationId: ORGANIZATION, parameters };
  return reviewOf(new TextEncoder().encode(JSON.stringify(body)));
}

const valuesOf = ({ facts }: Review, label: string) => facts.filter((each) => each.label === label).map(({ value }) => value);
const codesOf = ({ warnings }: Review) => warnings.map(({ code }) => code);

test('a member that an older version ignores changes no reading, and is named', () => {
  const send = { from: OWN, caip2: 'eip155:1', to: THEIRS, value: '100000000000000000000', data: '0x' };
  for (const calls of [[], [{ to: OWN, value: '1' }]]) {
    const found = review('ETH_SEND_TRANSACTION', { ...send, calls });
    assert.equal(found.title, 'Send 100 ETH');
    assert.equal(found.calls[0]!.to.toLowerCase(), THEIRS);
    assert.ok(found.warnings.some(({ code, at }) => code === 'ignored-member' && at === 'parameters.calls'));
    const said = { fingerprint: found.fingerprint, type: found.type, intent: { ethSendTransactionIntent: send } };
    assert.deepEqual(compareWithService(found, said), []);
  }
  const own = review('ETH_SEND_TRANSACTION_V2', { ...send, calls: [{ to: THEIRS, value: '1', gas: '5' }] });
  assert.deepEqual(valuesOf(own, 'value'), ['0.000000000000000001']);
  const paths = own.warnings.flatMap(({ code, at }) => (code === 'ignored-member' ? [at] : []));
  assert.deepEqual(paths, ['parameters.to', 'parameters.value', 'parameters.data', 'parameters.calls[0].gas']);

  const payload = { signWith: OWN, payload: 'aa', encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP' };
  assert.deepEqual(valuesOf(review('SIGN_RAW_PAYLOAD_V2', { ...payload, payloads: ['bb'] }), 'payload'), ['aa']);
  const first = review('SIGN_RAW_PAYLOAD', { ...payload, privateKeyId: ORGANIZATION });
  assert.deepEqual(valuesOf(first, 'signs with'), [ORGANIZATION]);
});

test('a type that is not known here is no readable request', () => {
  const found = review('ETH_SEND_TRANSACTION_V9', { from: OWN, caip2: 'eip155:1', calls: [{ to: THEIRS, value: '1' }] });
  assert.equal(found.readable, false);
  assert.deepEqual(codesOf(found), ['unknown-type']);
  assert.equal(valuesOf(found, 'calls[0].to')[0], THEIRS);
});

test('each type that the service takes is known here', () => {
  const types = activities.flatMap(({ versions, aliases = {} }) => [...versions.keys(), ...Object.keys(aliases)]);
  const unknown = types.filter((type) => codesOf(review(type.replace('ACTIVITY_TYPE_', ''), {})).includes('unknown-type'));
  assert.deepEqual(unknown, []);
  assert.ok(types.length > 160);
});

test('a policy that names no fact, or no approver, is dangerous', () => {
  const policy = { policyName: 'a', effect: 'EFFECT_ALLOW', notes: '' };
  const codes = (more: object, version = '_V3') => codesOf(review(`CREATE_POLICY${version}`, { ...policy, ...more }));
  const both = ['no-consensus', 'no-condition'];
  assert.deepEqual(codes({ selectors: [] }, ''), both);
  assert.deepEqual(codes({ condition: "1 == 1 && 'a' in ['a']", consensus: 'true || false' }), both);
  for (const text of ["'a' != 'b'", 'true != false', "1 == '1'", "!('a' == 'b')"])
    assert.deepEqual(codes({ condition: text, consensus: text }), both, text);
  assert.deepEqual(codes({ condition: 'eth.tx.value < 5', consensus: "approvers.any(user, user.id == 'x')" }), []);
});

test('a new address or number of a user is told', () => {
  const userId = ORGANIZATION;
  assert.deepEqual(codesOf(review('UPDATE_USER_EMAIL', { userId, userEmail: 'a@example.com' })), ['new-contact']);
  assert.deepEqual(codesOf(review('UPDATE_USER', { userId, userPhoneNumber: '+15550100' })), ['new-contact']);
  assert.deepEqual(codesOf(review('UPDATE_USER', { userId, userName: 'Ann' })), []);
});
