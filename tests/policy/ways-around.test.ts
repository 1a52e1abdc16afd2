import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { policyEnvironment as environment } from '../../src/app/policy-environment.ts';
import { compilePolicy, type PolicySource, waysAround } from '../../src/policy/index.ts';

const RAW = "activity.kind in ['SIGN_RAW_PAYLOAD', 'SIGN_RAW_PAYLOADS']";

type Texts = Omit<PolicySource, 'effect'> | string;
const texts = (given: Texts) => (typeof given === 'string' ? { condition: given } : given);
const allow = (given: Texts): PolicySource => ({ effect: 'EFFECT_ALLOW', ...texts(given) });
const deny = (given: Texts): PolicySource => ({ effect: 'EFFECT_DENY', ...texts(given) });

function around(...sources: PolicySource[]) {
  const named = sources.map((source, at) => {
    const compiled = compilePolicy(source, environment);
    assert.ok(compiled.ok, JSON.stringify(source));
    return { id: `p${at}`, policy: compiled.policy };
  });
  return waysAround(named, environment);
}

const guarded = deny('eth.tx.value > 5');

test('a DENY on what is signed is warned of beside an ALLOW that lets bytes be signed unread', () => {
  const pairs: [PolicySource, PolicySource][] = [
    [allow("activity.action == 'SIGN'"), guarded],
    [allow(''), guarded],
    [allow("activity.resource == 'PRIVATE_KEY' && wallet.id == 'a'"), deny("wallet.id == 'a' && eth.tx.value > 5")],
    [allow("wallet.id in ['a', 'b']"), deny("wallet.id == 'b' && solana.tx.transfers.count() > 1")],
    [allow("activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS'"), deny('bitcoin.tx.fee > 1000')],
    [allow("activity.params.hash_function == 'HASH_FUNCTION_KECCAK256'"), guarded],
    [allow("activity.params.encoding != 'PAYLOAD_ENCODING_EIP712'"), guarded],
    [allow("activity.kind == 'SIGN_RAW_PAYLOAD'"), deny("activity.kind == 'SIGN_TRANSACTION' && eth.tx.value > 5")],
    [allow("activity.action == 'SIGN'"), deny("eth.eip_712.primary_type == 'Permit'")],
    [allow({ condition: "activity.action == 'SIGN'", consensus: 'approvers.count() >= 2' }), guarded],
  ];
  for (const [one, other] of pairs) {
    const found = around(one, other);
    assert.deepEqual(
      found.map(({ id }) => id),
      ['p1'],
      JSON.stringify([one, other]),
    );
    const [{ warning }] = found as [(typeof found)[number]];
    assert.match(warning.message, /"p0" lets SIGN_RAW_PAYLOAD and SIGN_RAW_PAYLOADS sign bytes that no policy reads/);
    assert.equal(warning.part, 'condition');
    assert.match(warning.text, /^(eth|solana|bitcoin)\.(tx|eip_712)$/);
  }
});

test('it is not warned of where nothing lets them through, or not with that key', () => {
  const sets: PolicySource[][] = [
    [guarded],
    [allow("activity.kind == 'SIGN_TRANSACTION'"), guarded],
    [allow("activity.action == 'SIGN' && eth.tx.value < 100"), guarded],
    [allow("activity.action == 'SIGN' && activity.params.encoding == 'PAYLOAD_ENCODING_EIP712'"), guarded],
    [allow("activity.action == 'EXPORT'"), guarded],
    [allow("wallet.id == 'a'"), deny("wallet.id == 'b' && eth.tx.value > 5")],
    [allow("wallet.id == 'a'"), deny("private_key.id == 'a' && eth.tx.value > 5")],
    [allow("activity.action == 'SIGN'"), deny("activity.action == 'EXPORT'")],
  ];
  for (const set of sets) assert.deepEqual(around(...set), [], JSON.stringify(set));
});

test('a DENY closes it if it denies all that is unread, to everybody, always', () => {
  const broad = allow("activity.action == 'SIGN'");
  const one = allow("activity.action == 'SIGN' && wallet.id == 'a'");
  assert.equal(around(broad, guarded, deny(RAW)).length, 0);
  assert.equal(around(broad, guarded, deny("activity.action == 'SIGN' && activity.kind != 'SIGN_TRANSACTION'")).length, 0);
  assert.equal(around(one, guarded, deny(`${RAW} && wallet.id == 'a'`)).length, 0);
  assert.equal(around(broad, guarded, deny(`${RAW} && wallet.id == 'a'`)).length, 1);
  assert.equal(around(broad, guarded, deny("activity.kind == 'SIGN_RAW_PAYLOAD'")).length, 1);
  assert.equal(around(broad, guarded, deny(`${RAW} && activity.params.encoding == 'PAYLOAD_ENCODING_HEXADECIMAL'`)).length, 1);
  assert.equal(around(broad, guarded, deny(`${RAW} && activity.params.hash_function == 'HASH_FUNCTION_NO_OP'`)).length, 1);
  assert.equal(around(broad, guarded, deny({ condition: RAW, consensus: "approvers.any(u, u.id == 'x')" })).length, 1);
  assert.equal(around(broad, guarded, deny({ condition: RAW, time: "CronSpan('0 9 * * *', '8h', 'UTC')" })).length, 1);
  const ofOne = { consensus: "approvers.any(u, u.id == 'x')" };
  assert.equal(around(broad, deny({ condition: 'eth.tx.value > 5', ...ofOne }), deny({ condition: RAW, ...ofOne })).length, 0);
});

test('the warning gives the policy that closes it, which is that of the document', () => {
  const broad = allow("activity.action == 'SIGN'");
  const [found] = around(broad, guarded);
  const condition = /^add a DENY with the condition (.*)$/.exec(found?.warning.hint ?? '')?.[1];
  assert.ok(condition !== undefined);
  assert.deepEqual(around(broad, guarded, deny(condition)), []);
  assert.ok(readFileSync(new URL('../../docs/policy-language.md', import.meta.url), 'utf8').includes(`\n${condition}\n`));
});

test('many policies are named in part', () => {
  const many = Array.from({ length: 10 }, () => allow(''));
  const [found] = around(...many, guarded);
  assert.match(found!.warning.message, /: "p0", "p1", "p2" and others let SIGN/);
});
