import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { policyEnvironment as environment } from '../../src/app/policy-environment.ts';
import { compilePolicy, literalWarnings, MAX_PROBLEMS, type Part, type PolicyWarning, warnings } from '../../src/policy/index.ts';

const A = `0x${'11'.repeat(20)}`;
const KEY = 'A'.repeat(44);

function warningsOf(source: string, part: Part = 'condition'): readonly PolicyWarning[] {
  const compiled = compilePolicy({ effect: 'EFFECT_DENY', [part]: source }, environment);
  assert.ok(compiled.ok, source);
  return warnings(compiled.policy, environment);
}

/** Expression, and for each warning its place, its message, and its hint. */
const cases: [expression: string, ...[text: string, message: RegExp, hint?: RegExp][]][] = [
  ["activity.action == 'SING'", ["'SING'", /^`activity\.action` is never 'SING'$/, /^did you mean 'SIGN'\?$/]],
  ["activity.action == 'sign'", ["'sign'", /never 'sign'/, /did you mean 'SIGN'\?/]],
  ["'SING' == activity.action", ["'SING'", /never/]],
  ["activity.action != 'SING'", ["'SING'", /so this is always true$/, /SIGN/]],
  ["activity.action in ['SIGN', 'EXPOT']", ["'EXPOT'", /never/, /did you mean 'EXPORT'\?/]],
  [
    "activity.resource == 'WALET' || activity.kind == 'SIGN_TRANSACTIONS'",
    ["'WALET'", /never/, /WALLET/],
    ["'SIGN_TRANSACTIONS'", /never/, /'SIGN_TRANSACTION'\?/],
  ],
  ["activity.type == 'SIGN_TRANSACTION_V2'", ["'SIGN_TRANSACTION_V2'", /never/]],
  ["activity.type == 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V3'", [`'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V3'`, /never/, /_V2/]],
  ["activity.params.type == 'TRANSACTION_TYPE_ETH'", ["'TRANSACTION_TYPE_ETH'", /never/, /'TRANSACTION_TYPE_ETHEREUM'\?/]],
  [`eth.tx.to == ' ${A}'`, [`' ${A}'`, /never/, new RegExp(`^leave out the blanks: '${A}'$`)]],
  [`eth.tx.to in ['${A}', '${A.slice(2)}']`, [`'${A.slice(2)}'`, /never/, new RegExp(`did you mean '${A}'`)]],
  [`eth.tx.to == '${A}1'`, [`'${A}1'`, /never/, /it is an Ethereum address: 0x and 40 hexadecimal digits, or ''$/]],
  ["eth.tx.to == 'vitalik.eth'", ["'vitalik.eth'", /never/]],
  ["eth.tx.type == 'EIP1559'", ["'EIP1559'", /never/, /'LEGACY', 'TYPE_1'/]],
  ["eth.tx.chain_id == 'mainnet'", ["'mainnet'", /never/, /a number/]],
  ["eth.tx.function_signature == 'transfer(address,uint256)'", ["'transfer(address,uint256)'", /never/]],
  [
    "eth.tx.data[0..10] == 'a9059cbb'",
    ["'a9059cbb'", /`eth\.tx\.data\[0\.\.10\]` is never/, /it has 10 characters, but this text has 8$/],
  ],
  [`eth.tx.data[34..74] == '${A}'`, [`'${A}'`, /never/, /40 characters, but this text has 42: leave out 0x$/]],
  ["eth.tx.blob_versioned_hashes.contains('0x01')", ["'0x01'", /never holds/]],
  [
    `solana.tx.transfers.all(t, t.to == '${KEY}') && '${A}' in solana.tx.account_keys`,
    [`'${A}'`, /`solana\.tx\.account_keys` never holds/],
  ],
  ["solana.tx.instructions[0].instruction_data_hex == 'AB'", ["'AB'", /never/, /did you mean 'ab'\?/]],
  [
    "solana.tx.instructions.filter(i, i.program_key == 'x').any(i, i.accounts.any(a, a.account_key == 'y'))",
    ["'x'", /never/],
    ["'y'", /never/],
  ],
  ["tron.tx.contract.any(c, c.type == 'TransferContrat')", ["'TransferContrat'", /`c\.type` is never/, /'TransferContract'/]],
  ["tron.tx.contract.any(c, c.to_address == 'TXYZ')", ["'TXYZ'", /never/]],
  ["bitcoin.tx.outputs.any(o, o.address == 'bc1qxyz')", ["'bc1qxyz'", /never/, /a Bitcoin address/]],
  ["wallet.id == '0198c6f0-0000-7000-8000-0000000000a'", ["'0198c6f0-0000-7000-8000-0000000000a'", /never/, /a UUID/]],
  ["wallet.id == ' hot'", ["' hot'", /never/, /leave out the blanks: 'hot'/]],
  [`wallet_account.address == '${A}0'`, [`'${A}0'`, /never/, /40 or 64/]],
  // Roots that exclude each other.
  [
    `eth.tx.to == '${A}' ||\n  solana.tx.transfers.count() > 1`,
    [
      'solana.tx.transfers.count() > 1',
      /^never true: `eth\.tx` and `solana\.tx` are never present together, .* fail$/,
      /^write a policy for each$/,
    ],
  ],
  ["wallet.id == 'a' || private_key.id == 'b'", ["private_key.id == 'b'", /`wallet` and `private_key`/]],
  [
    "eth.tx.value > 5 && eth.eip_712.primary_type == 'Permit'",
    ["eth.eip_712.primary_type == 'Permit'", /`eth\.tx` and `eth\.eip_712`/],
  ],
  ['eth.tx.value == tempo.tx.nonce', ['tempo.tx.nonce', /`eth\.tx` and `tempo\.tx`/]],
  ['solana.tx.transfers.any(t, eth.tx.value > 5)', ['eth.tx.value > 5', /`solana\.tx` and `eth\.tx`/]],
  [
    "activity.resource == 'WALLET' && eth.tx.value > 5",
    ['eth.tx.value > 5', /`activity\.resource == 'WALLET'` and `eth\.tx\.value > 5` are never true of the same activity/],
  ],
  [
    "activity.action == 'CREATE' || activity.params.user_ids.count() == 1 && activity.action == 'CREATE'",
    ["activity.action == 'CREATE'", /same activity/],
  ],
  [
    "activity.params.user_ids.count() == 1 || wallet.id == 'x'",
    ["wallet.id == 'x'", /no activity has all the values that this `\|\|` reads/],
  ],
  // Clauses that contradict each other.
  [
    "activity.kind == 'SIGN_TRANSACTION' && wallet.id == 'a' && activity.kind == 'SIGN_RAW_PAYLOAD'",
    ["activity.kind == 'SIGN_RAW_PAYLOAD'", /`activity\.kind == 'SIGN_TRANSACTION'` and .* contradict each other/],
  ],
  ["eth.tx.chain_id == 1 && eth.tx.chain_id == '137'", ["eth.tx.chain_id == '137'", /contradict/]],
  ["wallet.label == 'a' && wallet.label != 'a'", ["wallet.label != 'a'", /contradict/]],
  [
    "wallet.label in ['a', 'b'] && (wallet.label == 'c' || wallet.label == 'd')",
    ["(wallet.label == 'c' || wallet.label == 'd')", /contradict/],
  ],
  [
    "tron.tx.contract.any(c, c.type == 'TransferContract' && c.type == 'TriggerSmartContract')",
    ["c.type == 'TriggerSmartContract'", /contradict/],
  ],
  ["eth.eip_712.message['a'] == 'x' && eth.eip_712.message['a'] == 'y'", ["eth.eip_712.message['a'] == 'y'", /contradict/]],
];

for (const [expression, ...wanted] of cases) {
  test(`warns of ${expression.replaceAll(/\s+/g, ' ')}`, () => {
    const found = warningsOf(expression);
    assert.deepEqual(
      found.map(({ text }) => text),
      wanted.map(([text]) => text),
    );
    for (const [at, [text, message, hint]] of wanted.entries()) {
      const warning = found[at]!;
      assert.match(warning.message, message);
      if (hint !== undefined) assert.match(warning.hint ?? '', hint);
      const { start, end, line, column } = warning.span;
      assert.equal(expression.slice(start, end), text);
      assert.equal(expression.split('\n')[line - 1]!.slice(column - 1, column - 1 + text.length), text);
    }
  });
}

test('says nothing of what may be meant', () => {
  const fine = [
    '',
    'false',
    "activity.action != 'EXPORT'",
    "activity.action == ''",
    "activity.resource == 'AUTH' && activity.params.session_profile_id == 'x'",
    `activity.type in ['ACTIVITY_TYPE_SIGN_TRANSACTION_V2', 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION'] && eth.tx.to == '${A}'`,
    `activity.type == 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION' && eth.tx.to == '${A.toUpperCase().replace('X', 'x')}'`,
    "eth.tx.to == '' && eth.tx.function_name == 'transfer'",
    "eth.tx.chain_id == '8453' && eth.tx.chain_id == 8453 && eth.tx.chain_id != 1",
    "eth.eip_712.message['a'] == '5' && eth.eip_712.message['a'] == '05'",
    "eth.eip_712.message['a'] == 5 && eth.eip_712.message['a'] == '5'",
    "wallet.id == 'treasury' && wallet.label == ' my wallet '",
    "wallet_account.address == 'cosmos1abc'",
    "secret.static_properties['a'] == 'b'",
    "activity.action == 'SIGN' && eth.tx.data[0..10] == '0xA9059CBB' && eth.tx.data[34..74] == '4444444444444444444444444444444444444444'",
    "bitcoin.tx.outputs.all(o, o.address == 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx' || o.address == '')",
    "solana.tx.instructions.any(i, i.accounts.any(a, a.account_key == 'ADDRESS_TABLE_LOOKUP'))",
    `wallet_account.address == '0x${'ab'.repeat(32)}' && wallet.id == 'x'`,
    "activity.params.encoding == 'PAYLOAD_ENCODING_EIP712' && activity.action == 'SIGN'",
    "['a', 'b'][0..1].contains('longer')",
  ];
  for (const expression of fine) assert.deepEqual(warningsOf(expression), [], expression);
  const people = [
    "approvers.any(u, u.id == 'ann' && u.tags.contains('ops')) && approvers.count() >= 2",
    "credentials.any(c, c.type == 'CREDENTIAL_TYPE_API_KEY_P256')",
  ];
  for (const expression of people) assert.deepEqual(warningsOf(expression, 'consensus'), [], expression);
});

test('which names are near a known one', () => {
  const near = (source: string) => warningsOf(source).map(({ unknown }) => unknown?.near);
  for (const [source, wanted] of [
    ["activity.kind == 'SIGN_TRANSCTION'", 'SIGN_TRANSACTION'],
    ["activity.kind == 'sign_transaction'", 'SIGN_TRANSACTION'],
    ["activity.kind == 'SignTransaction'", 'SIGN_TRANSACTION'],
    ["activity.kind == ' SIGN_TRANSACTION'", 'SIGN_TRANSACTION'],
    ["activity.kind == 'SIGN_TRANSACTION_V2'", 'SIGN_TRANSACTION'],
    ["activity.action != 'SING'", 'SIGN'],
    ["activity.type == 'ACTIVITY_TYPE_SIGN_TRANSCTION_V2'", 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2'],
    ["activity.params.encoding == 'PAYLOAD_ENCODING_EIP721'", 'PAYLOAD_ENCODING_EIP712'],
    ["bitcoin.tx.outputs.any(o, o.address_type == 'p2wpkh')", 'P2WPKH'],
    // A later release may have them.
    ["activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V3'", undefined],
    ["activity.type == 'ACTIVITY_TYPE_CREATE_WALLET_V2'", undefined],
    ["eth.tx.type == 'TYPE_5'", undefined],
    ["activity.resource == 'CONTRACT'", undefined],
    ["activity.action == 'BUY'", undefined],
  ] as const)
    assert.deepEqual(near(source), [wanted], source);
});

test('looks at the consensus too', () => {
  const [warning] = warningsOf("credentials.any(c, c.type == 'CREDENTIAL_TYPE_PASSKEY')", 'consensus');
  assert.equal(warning?.part, 'consensus');
  assert.equal(warning?.text, "'CREDENTIAL_TYPE_PASSKEY'");
});

test('the examples of the document are warned of only where it says so', () => {
  const text = readFileSync(new URL('../../docs/policy-language.md', import.meta.url), 'utf8');
  const blocks = [...text.matchAll(/^```(condition|consensus|time)\n(.*?)\n```$/gms)];
  const warned = blocks.filter(([, part, source]) => warningsOf(source!, part as Part).length > 0).map(([, , source]) => source);
  assert.deepEqual(warned, ["wallet.id == 'id-of-wallet' || private_key.id == 'id-of-key'"]);
});

test('warnings are bounded in number and in length', () => {
  const many = `activity.action in [${Array.from({ length: 1500 }, (_, at) => `'X${at}'`).join(', ')}]`;
  assert.equal(warningsOf(many).length, MAX_PROBLEMS);
  const [long] = warningsOf(`activity.action == '${'x'.repeat(10_000)}'`);
  assert.ok(long!.message.length < 200);
});

test('a limit on each call of a batch is warned of, where a batch may exceed it and the total is not read', () => {
  const texts = (condition: string) => warningsOf(condition).map(({ text, hint }) => `${text}: ${hint}`);
  for (const limit of ['eth.tx.value > 5', '5 < eth.tx.value', 'eth.tx.value <= wallet_account.path_indexes.count()'])
    assert.deepEqual(texts(`activity.action == 'SIGN' && ${limit}`), [`${limit}: compare \`eth.txs.total_value\``]);
  const scope = "activity.kind == 'APPROVE_ACTIVITY' || (vote.selection == 'VOTE_SELECTION_APPROVED' && eth.tx.value < 5)";
  assert.deepEqual(
    literalWarnings(scope, 'condition', environment).map(({ hint }) => hint),
    ['compare `eth.txs.total_value`'],
  );
  for (const fine of [
    'eth.tx.value > 0',
    'eth.tx.value == 5',
    'eth.txs.total_value > 5',
    'eth.tx.value > 5 || eth.txs.total_value > 5',
    "activity.kind == 'SIGN_TRANSACTION' && eth.tx.value > 5",
  ])
    assert.deepEqual(texts(fine), []);
});
