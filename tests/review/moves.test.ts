/** What moves comes first: recipients and amounts, with whole tokens as the service says, and the token contract after them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFunctionData, parseAbi } from 'viem';
import { type Ask, aboutOf, type Review, reviewOf, saidOf, summaryOf, walk } from '../../review/index.ts';
import { bodyOf, corpus } from './corpus.ts';

const OWN = '0x5555555555555555555555555555555555555555';
const TOKEN = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const [ANN, BEN] = ['0x1111111111111111111111111111111111112222', '0x3333333333333333333333333333333333334444'] as const;
const ID = '0191f3c2-0000-7000-8000-00000000000a';
const ERC20 = parseAbi(['function transfer(address to, uint256 amount)', 'function approve(address spender, uint256 amount)']);
const USDC = {
  caip19: `eip155:1/erc20:${TOKEN.toLowerCase()}`,
  symbol: 'USDC',
  decimals: 6,
  name: 'USD Coin',
  stable: true,
};

const transfer = (to: string, amount: bigint) =>
  encodeFunctionData({ abi: ERC20, functionName: 'transfer', args: [to as `0x${string}`, amount] });

const sends = (parameters: object, type = 'ETH_SEND_TRANSACTION') =>
  bodyOf({ type: `ACTIVITY_TYPE_${type}`, parameters: { from: OWN, caip2: 'eip155:1', ...parameters } });

/** A review beside a service with these assets. It refuses other queries. */
async function beside(body: Uint8Array, assets?: readonly object[], interfaces: object[] = []): Promise<Review> {
  const asked: object[] = [];
  const ask: Ask = async (name, parameters) => {
    if (name === 'list_smart_contract_interfaces') return { smartContractInterfaces: interfaces };
    if (name !== 'list_supported_assets' || assets === undefined) throw new Error('refused');
    asked.push(parameters);
    return { assets };
  };
  const { options } = await saidOf(reviewOf(body), ID, ask);
  if (assets !== undefined) assert.deepEqual(asked, [{ caip2: 'eip155:1' }]);
  return reviewOf(body, options);
}

const lines = ({ facts }: Review): string[] =>
  facts.map(
    ({ label, value, unit = '', whole, note, main }) =>
      `${main ? '* ' : ''}${label}: ${whole === undefined ? '' : `${whole} · `}${value} ${unit}${note ? ` (${note})` : ''}`,
  );

test('a token transfer begins with its recipient and amount, in whole tokens where the service knows them', async () => {
  const body = sends({ to: TOKEN, data: transfer(ANN, 4_200_000_000n) });
  const known = lines(await beside(body, [USDC]));
  assert.deepEqual(known.slice(0, 3), [
    `* recipient: ${ANN} `,
    '* amount: 4,200 USDC (as the service says: 6 decimals) · 4,200,000,000 smallest units',
    `token contract: ${TOKEN} `,
  ]);
  const unknown = '* amount: 4,200,000,000 smallest units (decimals unknown, so whole tokens are not shown)';
  const broken = [
    { ...USDC, decimals: '6' },
    { ...USDC, decimals: 1e9 },
    { ...USDC, symbol: 5 },
    { ...USDC, symbol: 'US\u202eDC' },
    { ...USDC, symbol: `USDC\n` },
    { ...USDC, symbol: 'U'.repeat(33) },
    { ...USDC, caip19: USDC.caip19.replace(':1/', ':2/') },
    5,
  ];
  for (const assets of [undefined, [], ...broken.map((asset) => [asset as object])])
    assert.equal(lines(await beside(body, assets))[1], unknown);
  // Nothing that is sent along is no amount to look at.
  const { facts, title } = await beside(body, [USDC]);
  assert.equal(facts.find(({ label }) => label === 'value')?.kind, 'number');
  assert.equal(title, `Send 4,200,000,000 smallest units of the token ${TOKEN}`);
});

test('an allowance names its spender first, and one without a limit has no whole tokens', async () => {
  const approve = (amount: bigint) => encodeFunctionData({ abi: ERC20, functionName: 'approve', args: [ANN, amount] });
  const some = lines(await beside(sends({ to: TOKEN, data: approve(1_500_000n) }), [USDC]));
  assert.deepEqual(some.slice(0, 2), [
    `* spender: ${ANN} `,
    '* may take: 1.5 USDC (as the service says: 6 decimals) · 1,500,000 smallest units',
  ]);
  const all = await beside(sends({ to: TOKEN, data: approve(2n ** 256n - 1n) }), [USDC]);
  assert.match(lines(all)[1]!, /^\* may take: 115,792,\S+ smallest units \(as good as unlimited\)$/);
});

test('a batch lists the recipients inside it, and those of a delegate call are none', async () => {
  const multi = parseAbi(['function executeBatch((address target, uint256 value, bytes data)[] calls)']);
  const calls = [
    { target: TOKEN, value: 0n, data: transfer(ANN, 1n) },
    { target: BEN, value: 10n ** 18n, data: '0x' },
  ] as const;
  const review = await beside(sends({ to: OWN, data: encodeFunctionData({ abi: multi, args: [calls] }) }), [USDC]);
  assert.deepEqual(
    lines(review).filter((line) => line.startsWith('* ')),
    [
      `* recipient: ${ANN} `,
      '* amount: 0.000001 USDC (as the service says: 6 decimals) · 1 smallest units',
      `* recipient: ${BEN} `,
      '* amount: 1 ETH',
    ],
  );
  assert.equal(summaryOf(review).to, 'to 0x1111…2222 and 1 more');
  const safe = parseAbi(['function execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation)']);
  const delegate = encodeFunctionData({ abi: safe, args: [TOKEN, 0n, transfer(ANN, 1n), 1] });
  assert.deepEqual(
    reviewOf(sends({ to: OWN, data: delegate })).facts.filter(({ main }) => main),
    [],
  );
  const many = Array.from({ length: 60 }, () => calls[1]);
  const long = reviewOf(sends({ to: OWN, data: encodeFunctionData({ abi: multi, args: [many] }) }));
  assert.equal(long.facts.filter(({ main }) => main).length, 100);
  assert.ok(lines(long).includes('and: 10 more, among the calls below '));
  assert.deepEqual([summaryOf(long).to, aboutOf(long).amount], ['to 0x3333…4444', '1 ETH and 59 more']);
});

const accountAt = (i: number) => `0x${String(i).padStart(40, '0')}`;

/** Token transfers, in a batch. */
const batchTo = (accounts: readonly string[]) => {
  const calls = accounts.map((to) => ({ to: TOKEN, value: '0', data: transfer(to, 1n) }));
  return reviewOf(sends({ calls }, 'ETH_SEND_TRANSACTION_V2'));
};

test('accounts beyond those that are listed are counted in the row and in the line', () => {
  const hidden = batchTo([...Array.from({ length: 50 }, () => OWN), ANN]);
  assert.ok(lines(hidden).includes(`* recipient: ${ANN} `));
  assert.deepEqual([summaryOf(hidden).to, aboutOf(hidden).to], ['to 0x5555…5555 and 1 more', `${OWN} and 1 more`]);
  const many = batchTo(Array.from({ length: 70 }, (_, i) => accountAt(i + 1)));
  assert.ok(lines(many).includes('and: 20 more, among the calls below '));
  const { to, amount } = aboutOf(many);
  assert.deepEqual([to, amount], [`${accountAt(1)} and 69 more`, '1 smallest units and 69 more']);
  assert.equal(summaryOf(many).to, 'to 0x0000…0001 and 69 more');
});

/** Accounts that known functions pay or let take, by the calls. */
function paidIn({ calls }: Review): Set<string> {
  const found = new Set<string>();
  for (const [, { function: text = '', named, data, isDelegate, arguments: given }] of walk(calls))
    if (!named && data === undefined && !isDelegate && !/^(?:exec|schedule)/.test(text))
      for (const { name, type, value } of given)
        if (type === 'address' && /^(?:to|spender|operator)$/.test(name)) found.add(value);
  return found;
}

const countedIn = (to: string): number => (to === '' ? 0 : 1 + Number(/ and (\d+) more$/.exec(to)?.[1] ?? 0));

test('each account that a known function pays or lets take is named or counted', () => {
  const reviews = corpus.map((entry) => [entry.name, reviewOf(bodyOf(entry))] as const);
  const hidden = ['the 51st', batchTo([...Array.from({ length: 50 }, () => OWN), ANN])] as const;
  let seen = 0;
  for (const [name, review] of [...reviews, hidden]) {
    const paid = paidIn(review);
    const named = new Set(review.facts.flatMap(({ main, kind, value }) => (main && kind === 'address' ? [value] : [])));
    seen += paid.size;
    assert.deepEqual(
      [...paid].filter((account) => !named.has(account)),
      [],
      name,
    );
    for (const to of [summaryOf(review).to, aboutOf(review).to]) assert.equal(countedIn(to), named.size, name);
  }
  assert.ok(seen > 30, `${seen}`);
});

test('a call that is not decoded says so, and so does data inside a call that an interface names', async () => {
  const unknown = reviewOf(sends({ to: OWN, data: '0x12345678' }));
  assert.equal(unknown.readable, false);
  assert.match(unknown.warnings[0]!.text, /^This call is not decoded, so what it moves cannot be seen here: /);
  const abi = parseAbi(['function run(bytes[] steps, uint256 count)']);
  const data = (steps: `0x${string}`[]) => sends({ to: OWN, data: encodeFunctionData({ abi, args: [steps, 1n] }) });
  const said = [{ smartContractAddress: OWN, smartContractInterface: JSON.stringify(abi) }];
  const codes = async (body: Uint8Array) =>
    (await beside(body, undefined, said)).warnings.map(({ code, level }) => `${level} ${code}`);
  assert.deepEqual(await codes(data([transfer(ANN, 1n)])), ['amber named-by-service', 'amber data-inside']);
  assert.deepEqual(await codes(data(['0x'])), ['amber named-by-service']);
});

test('a nonce of the signed bytes says what a rejected earlier one does', () => {
  const noteOf = (parameters: object) =>
    reviewOf(sends({ to: ANN, value: '1', ...parameters })).facts.find(({ label }) => label === 'nonce')?.note;
  assert.equal(noteOf({}), undefined);
  assert.equal(noteOf({ nonce: '7' }), `It uses nonce 7 of ${OWN}; a rejected earlier nonce leaves later ones waiting`);
});

test('a row of a list tells requests with one title apart, and marks danger', () => {
  const row = (parameters: object) => summaryOf(reviewOf(sends(parameters)));
  const [one, other] = [row({ to: ANN, value: '1' }), row({ to: BEN, value: '1' })];
  assert.equal(one.title, other.title);
  assert.deepEqual([one.to, one.danger, other.to], ['to 0x1111…2222', '', 'to 0x3333…4444']);
  assert.equal(row({ to: OWN, data: '0x12345678' }).danger, 'Not readable');
  const unlimited = encodeFunctionData({ abi: ERC20, functionName: 'approve', args: [ANN, 2n ** 256n - 1n] });
  assert.deepEqual(
    [row({ to: TOKEN, data: unlimited }).danger, row({ to: TOKEN, data: unlimited }).to],
    ['Danger', 'spender 0x1111…2222'],
  );
});
