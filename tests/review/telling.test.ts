/** What a folded list of facts still shows. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Fact, tellingOf } from '../../review/index.ts';

const payee = (value: string): Fact => ({ label: 'recipient', value, kind: 'address', main: true });
const amount = (value: string, more: Partial<Fact> = {}): Fact => ({
  label: 'amount',
  value,
  kind: 'amount',
  main: true,
  ...more,
});
const text = (label: string, value = 'x'): Fact => ({ label, value, kind: 'text' });

const shown = (facts: readonly Fact[]): string[] => {
  const telling = tellingOf(facts);
  return facts.filter((fact) => telling.has(fact)).map(({ value }) => value);
};

test('amounts stay beside their payees, and equal payments are shown once', () => {
  const paid = () => [payee('T'), amount('5'), payee('M'), amount('1')];
  const facts = [...paid(), text('memo'), payee('T'), amount('5'), payee('M'), amount('1000000'), text('memo'), ...paid()];
  assert.deepEqual(shown(facts), ['T', '5', 'M', '1', 'M', '1000000']);
  const of = (token: string) => [payee('S'), amount('1000', { asset: `eip155:1/erc20:${token}` })];
  assert.deepEqual(shown([...of('0xaa'), text('memo'), ...of('0xbb'), text('memo'), ...of('0xaa')]), ['S', '1000', 'S', '1000']);
});

test('fees, amounts of outputs, the network, the signer and tokens stay; what tells nothing does not', () => {
  const facts: Fact[] = [
    { label: 'fee at most', value: 'fee', kind: 'amount' },
    { label: '3: pays', value: 'pays', kind: 'amount' },
    text('network', 'chain'),
    text('12: signs with', 'key'),
    text('token contract', 'token'),
    { ...text('limit', 'noted'), note: 'as good as unlimited' },
    { ...text('name', 'changed'), before: 'old' },
    text('memo', 'gone'),
    text('the network', 'gone'),
  ];
  assert.deepEqual(shown(facts), ['fee', 'pays', 'chain', 'key', 'token', 'noted', 'changed']);
});
