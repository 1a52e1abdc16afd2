/** One line of what a vote is about, for buttons and dialogs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Abi, encodeFunctionData, parseAbi } from 'viem';
import { aboutOf, aboutText, type Fact, reviewOf, saidOf } from '../../review/index.ts';
import { payeesOf } from '../../review/paid.ts';
import { instructionCall } from '../../review/solana/instruction.ts';
import { bodyOf, corpus } from './corpus.ts';

const reviewed = (name: string) => reviewOf(bodyOf(corpus.find((entry) => entry.name === name)!));

test('the line has what is sent, how much, to whom, and the beginning of the fingerprint, each once', () => {
  for (const [name, ...parts] of [
    ['a payment of ether', '1.5 ETH', '0x4444444444444444444444444444444444444444'],
    ['a token transfer', '0x3333333333333333333333333333333333333333', '0x4444444444444444444444444444444444444444'],
    [
      'an unlimited approval',
      'an amount as good as unlimited',
      '0x3333333333333333333333333333333333333333',
      '0x4444444444444444444444444444444444444444',
    ],
    ['a payment of SOL', '1.5 SOL'],
    ['a digest', 'cannot be read whole'],
    ['a tag in the other spelling', 'Treasurers'],
  ] as const) {
    const review = reviewed(name);
    const text = aboutText(aboutOf(review));
    for (const part of [...parts, `fingerprint ${review.fingerprint.slice(7, 15)}…`])
      assert.equal(text.split(part).length, 2, `${part} in ${text}`);
  }
});

test('the line counts what each instruction of Solana moves or lets others take', () => {
  const known = 'CktRuQ2mttgRGkXJtyksdKHjUdc2C4TgDzyB98oEzy8';
  for (const [name, amount, to] of [
    ['a payment of SOL beside a new account', '0.001 SOL and 1 more', `${known} and 1 more`],
    ['a payment of SOL beside a delegate', '0.001 SOL and 1 more', `${known} and 1 more`],
    ['a payment of SOL beside another owner of a token account', '0.001 SOL', `${known} and 1 more`],
    ['a withdrawal from a nonce account', '1,000 SOL', known],
    ['a closed token account', 'all SOL of 8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR', known],
  ] as const) {
    const { amount: said, to: payees } = aboutOf(reviewed(name));
    assert.deepEqual([said, payees], [amount, to], name);
  }
});

test('an instruction that the service names is marked, and is no send and no budget', () => {
  const entry = corpus.find(({ name }) => name === 'an instruction of Solana that the service names')!;
  const [program, text] = Object.entries(entry.interfaces!)[0]!;
  for (const name of ['claim', 'x TransferChecked', 'ComputeBudget SetComputeUnitLimit', 'System Transfer']) {
    const contractInterfaces = new Map([[program, text.replace('claim', name)]]);
    const { title, warnings } = reviewOf(bodyOf(entry), { contractInterfaces });
    assert.equal(title, `Run ${name} (named by the service) of ${program} on Solana`);
    assert.ok(warnings.some(({ code }) => code === 'named-by-service'));
  }
});

test('no interface of the service names an instruction of a program that is known here', () => {
  const system = '11111111111111111111111111111111';
  const parsed = { instruction_name: 'refresh', discriminator: '03', named_accounts: {}, program_call_args: {} };
  const rest = { accounts: [], address_table_lookups: [], address_table_lookup_references: [] };
  const made = instructionCall({
    ...rest,
    program_key: system,
    instruction_data_hex: '03000000ff',
    parsed_instruction_data: parsed,
  });
  assert.deepEqual([made.function, made.warnings.map(({ level }) => level)], [undefined, ['red']]);
});

test('payees of a lookup table count each, since each may be another one', () => {
  const paid = (value: string): Fact => ({ label: 'recipient', value, kind: 'address', main: true });
  const payees = (...values: string[]) => payeesOf(values.map(paid)).more;
  assert.equal(payees('ADDRESS_TABLE_LOOKUP', 'ADDRESS_TABLE_LOOKUP', 'a', 'a'), 2);
});

test('change that comes back is no payee, and a long text is cut', () => {
  const review = reviewed('a payment of bitcoins with change');
  const change = review.facts.find(({ note }) => note?.startsWith('comes back'))!;
  assert.ok(!aboutText(aboutOf(review)).includes(change.value));
  const body = bodyOf({
    type: 'ACTIVITY_TYPE_CREATE_USER_TAG',
    parameters: { userTagName: `a\n${'b'.repeat(10_000)}`, userIds: [] },
  });
  const text = aboutText(aboutOf(reviewOf(body)));
  assert.ok(text.length < 250 && !text.includes('\n'), text);
});

test('the line has the amount of the bytes, whatever the service says of the token', async () => {
  const body = bodyOf(corpus.find((entry) => entry.name === 'calls on Tempo')!);
  const alone = reviewOf(body);
  const { asset } = alone.facts.find((each) => each.asset !== undefined)!;
  const good = `0x${'44'.repeat(20)}`;
  for (const symbol of ['USDC', `USDC, to ${good}`, `USDC, to ${good}, fingerprint 1234abcd…${' '.repeat(80)}`])
    for (const decimals of [0, 6, 36]) {
      const ask = async () => ({ assets: [{ caip19: asset, symbol, decimals }] });
      const { options } = await saidOf(alone, alone.organizationId, ask);
      assert.deepEqual(aboutOf(reviewOf(body, options)), aboutOf(alone));
    }
  assert.match(aboutOf(alone).amount, /^[\d,]+ smallest units/);
});

test('the line has nothing of what the service says about a policy', () => {
  const policyId = '0191f3c2-0000-7000-8000-00000000000a';
  const body = bodyOf({ type: 'ACTIVITY_TYPE_UPDATE_POLICY_V2', parameters: { policyId } });
  const policy = { policyId, policyName: 'Other', effect: 'EFFECT_DENY', condition: 'false', consensus: 'false', time: '' };
  assert.deepEqual(aboutOf(reviewOf(body, { now: { policies: [policy] } })), aboutOf(reviewOf(body)));
});

test('a function that the service names is no payment, and its name leaves the place of the contract and the amount', () => {
  const to = `0x${'33'.repeat(20)}` as const;
  for (const name of ['transfer', 'a'.repeat(200)]) {
    const abi: Abi = parseAbi([`function ${name}(address to, uint256 amount, bytes32 note)`]);
    const args = [`0x${'44'.repeat(20)}`, 5n, `0x${'00'.repeat(32)}`];
    const data = encodeFunctionData({ abi, functionName: name, args });
    const parameters = { from: to, caip2: 'eip155:1', to, value: '1000000000000000000', data };
    const of = (given: object) =>
      reviewOf(bodyOf({ type: 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION', parameters: { ...parameters, ...given } }), {
        contractInterfaces: new Map([[to, JSON.stringify(abi)]]),
      });
    const title = `Call ${name.slice(0, 40)} (named by the service) of ${to}`;
    assert.ok(aboutOf(of({})).what.startsWith(`${title}, with 1 ETH`));
    const review = of({ value: '0' });
    assert.equal(review.title, title);
    assert.deepEqual(
      review.warnings.map(({ code, level }) => [code, level]),
      [['named-by-service', 'amber']],
    );
  }
});
