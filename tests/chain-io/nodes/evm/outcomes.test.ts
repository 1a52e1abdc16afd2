import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EvmOutcome, mayBeSent, outcomeOf, passes, together } from '../../../../src/chain-io/nodes/evm/outcomes.ts';
import { restAsked, troubleOf } from '../../../../src/chain-io/nodes/trouble.ts';

type Row = readonly [code: number, text: string];
const A = '0x6b175474e89094c44da98b954eedeac495271d0f';

/** As nodes write them. */
const SENDS: Partial<Record<EvmOutcome, Record<string, readonly Row[]>>> = {
  'already known': {
    geth: [
      [-32000, 'already known'],
      [-32000, 'known transaction: f8236a44585005362db80b7a5f041f9fa53e6051e4b5f978a06886d4fff9d452'],
    ],
    erigon: [
      [-32000, 'ALREADY_EXISTS: already known'],
      [-32000, 'INTERNAL_ERROR: existing tx with same hash'],
    ],
    nethermind: [
      [-32010, 'AlreadyKnown'],
      [-32000, 'already known'],
    ],
    besu: [[-32000, 'Known transaction']],
    reth: [[-32000, 'already known']],
    anvil: [[-32003, 'transaction already imported']],
    OpenEthereum: [[-32010, 'Transaction with the same hash was already imported.']],
    zkSync: [[-32000, `known transaction. transaction with hash 0x${'ab'.repeat(32)} is already in the system`]],
    harmony: [[-32000, 'transaction already finalized']],
  },
  'nonce too low': {
    geth: [
      [-32000, 'nonce too low'],
      [-32000, 'nonce too low: next nonce 5, tx nonce 4'],
      [-32000, `nonce too low: address ${A}, tx: 0 state: 1`],
    ],
    erigon: [[-32000, 'INTERNAL_ERROR: nonce too low']],
    nethermind: [
      [-32010, 'OldNonce, Current nonce: 5, nonce of rejected tx: 4'],
      [-32000, 'nonce too low'],
    ],
    besu: [[-32001, 'Nonce too low']],
    reth: [[-32000, 'nonce too low: next nonce 5, tx nonce 4']],
    anvil: [[-32003, 'nonce too low']],
    Arbitrum: [
      [-32000, `nonce too low: address ${A}, tx: 3 state: 7`],
      [-32000, 'invalid transaction nonce'],
    ],
    Optimism: [
      [-32000, "failed to forward tx to sequencer, please try again. Error message: 'nonce too low: next nonce 5, tx nonce 4'"],
    ],
    OpenEthereum: [[-32010, 'Transaction nonce is too low. Try incrementing the nonce.']],
    avalanche: [[-32000, `nonce too low: address ${A} current nonce (5) > tx nonce (4)`]],
    zkSync: [[-32000, 'nonce too low. allowed nonce range: 5 - 25, actual: 3']],
    // A provider that puts the node’s error inside of its own
    provider: [[-32603, 'Internal JSON-RPC error: nonce too low']],
  },
  'nonce too high': {
    geth: [
      [-32000, `nonce too high: address ${A}, tx: 9 state: 3`],
      [-32000, 'gapped-nonce tx from delegated accounts'],
    ],
    nethermind: [
      [-32010, 'NonceGap, Future nonce. Expected nonce: 5'],
      [-32010, 'NonceTooFarInFuture'],
    ],
    besu: [
      [-32006, 'Nonce too high'],
      [-32000, 'Transaction nonce is too distant from current sender nonce'],
    ],
    reth: [[-32000, 'nonce too high']],
    Arbitrum: [[-32000, `nonce too high: address ${A}, tx: 9 state: 7`]],
    zkSync: [[-32000, 'nonce too high. allowed nonce range: 5 - 25, actual: 30']],
  },
  'replacement underpriced': {
    geth: [
      [-32000, 'replacement transaction underpriced'],
      [-32000, 'replacement transaction underpriced: new tx gas fee cap 1 <= 2 queued + 100% replacement penalty'],
    ],
    erigon: [
      [-32000, 'INTERNAL_ERROR: could not replace existing tx'],
      [-32000, 'INTERNAL_ERROR: replacement transaction underpriced'],
    ],
    nethermind: [
      [-32010, 'ReplacementNotAllowed'],
      [-32010, 'OwnNonceAlreadyUsed'],
    ],
    besu: [[-32000, 'Replacement transaction underpriced']],
    anvil: [[-32003, 'replacement transaction underpriced']],
    OpenEthereum: [
      [
        -32010,
        'Transaction gas price 1wei is too low. There is another transaction with same nonce in the queue with gas price: 2wei. Try increasing the gas price or incrementing the nonce.',
      ],
    ],
  },
  underpriced: {
    geth: [
      [-32000, 'transaction underpriced'],
      [-32000, 'transaction underpriced: gas tip cap 0, minimum needed 1'],
      [-32000, `max fee per gas less than block base fee: address ${A}, maxFeePerGas: 1, baseFee: 7`],
    ],
    bor: [[-32000, 'transaction underpriced: gas tip cap 1000000000, minimum needed 25000000000']],
    erigon: [
      [-32000, 'FEE_TOO_LOW: underpriced'],
      [-32000, 'fee too low'],
    ],
    nethermind: [
      [-32010, 'FeeTooLow, MaxFeePerGas too low. MaxFeePerGas: 1, BaseFee: 7, MaxPriorityFeePerGas:1, Block number: 5'],
      [-32010, 'FeeTooLowToCompete'],
    ],
    besu: [
      [-32009, 'Gas price below configured minimum gas price'],
      [-32009, 'Gas price below current base fee'],
    ],
    reth: [
      [-32000, 'transaction underpriced'],
      [-32003, 'transaction priority fee below minimum required priority fee 1'],
    ],
    anvil: [[-32003, 'max fee per gas less than block base fee']],
    Arbitrum: [
      [-32000, `max fee per gas less than block base fee: address ${A}, maxFeePerGas: 1 baseFee: 7`],
      [-32000, 'gas price too low'],
    ],
    metis: [[-32000, 'gas price too low: 1 wei, use at least tx.gasPrice = 2 wei']],
  },
  'insufficient funds': {
    geth: [
      [-32000, 'insufficient funds for gas * price + value: balance 0, tx cost 21000, overshot 21000'],
      [-32000, `insufficient funds for gas * price + value: address ${A} have 0 want 1`],
      [-32000, 'insufficient funds for transfer'],
    ],
    erigon: [[-32000, 'INTERNAL_ERROR: insufficient funds']],
    nethermind: [[-32010, 'InsufficientFunds, Account balance: 0, cumulative cost: 21000']],
    besu: [[-32004, 'Upfront cost exceeds account balance']],
    reth: [[-32003, 'insufficient funds for gas * price + value: have 0 want 1']],
    anvil: [[-32003, 'Insufficient funds for gas * price + value']],
    Arbitrum: [[-32000, 'not enough funds for gas']],
    OpenEthereum: [
      [
        -32010,
        'Insufficient funds. The account you tried to send transaction from does not have enough funds. Required 1 and got: 0.',
      ],
    ],
  },
  'gas limit': {
    geth: [
      [-32000, 'intrinsic gas too low: gas 20000, minimum needed 21000'],
      [-32000, 'exceeds block gas limit'],
      [-32000, 'insufficient gas for floor data gas cost: gas 21000, minimum needed 30000'],
      [-32000, 'gas limit reached'],
    ],
    nethermind: [[-32010, 'GasLimitExceeded, Gas limit: 30000000, gas limit of rejected tx: 40000000']],
    besu: [
      [-32003, 'Intrinsic gas exceeds gas limit'],
      [-32005, 'Transaction gas limit exceeds block gas limit'],
    ],
    reth: [
      [-32000, 'intrinsic gas too low'],
      [-32003, 'exceeds max transaction gas limit'],
    ],
    anvil: [[-32003, 'intrinsic gas too high -- CallGasCostMoreThanGasLimit']],
  },
  'fee over cap': {
    geth: [[-32000, 'tx fee (1.05 ether) exceeds the configured cap (1.00 ether)']],
    besu: [[-32000, 'Transaction fee cap exceeded']],
  },
  reverted: {
    geth: [
      [3, 'execution reverted: nonce too low'],
      [-32000, 'execution reverted'],
    ],
    OpenEthereum: [[-32015, 'VM execution error.']],
    // Only the part before the contract’s words is the node’s
    Arbitrum: [[-32000, 'failed: execution reverted: already known']],
  },
  invalid: {
    geth: [
      [-32000, 'invalid sender'],
      [-32000, 'invalid chain id for signer: have 1 want 5'],
      [-32000, 'transaction type not supported'],
      [-32000, 'rlp: value size exceeds available input length'],
      [-32000, 'max priority fee per gas higher than max fee per gas'],
      [-32000, 'only replay-protected (EIP-155) transactions allowed over RPC'],
      [-32000, 'EIP-7702 transaction with empty auth list'],
    ],
    besu: [
      [-32002, 'Invalid signature'],
      [-32000, 'Wrong chainId'],
    ],
    reth: [[-32003, 'EIP-7702 authorization list not supported']],
    anvil: [[-32602, 'Failed to decode transaction']],
  },
  'authority busy': {
    geth: [[-32000, 'authority already reserved']],
    nethermind: [[-32010, 'DelegatorHasPendingTx']],
  },
  unavailable: {
    geth: [
      [-32601, 'the method eth_sendRawTransaction does not exist/is not available'],
      [-32000, 'txpool is full'],
      [-32000, 'in-flight transaction limit reached for delegated accounts'],
    ],
    erigon: [[-32000, 'INTERNAL_ERROR: pending sub-pool is full']],
    besu: [[-32002, 'Transaction pool not enabled. (Either txpool explicitly disabled, or node not yet in sync).']],
    Arbitrum: [
      [-32000, 'queue full'],
      [-32000, 'sequencer pending tx pool full, please try again'],
    ],
  },
  unknown: {
    anything: [
      [-32000, ''],
      [-32603, 'Internal error'],
      [-32000, 'context deadline exceeded'],
      [-32000, 'write tcp 10.0.0.1:443: broken pipe'],
      [0, 'oops'],
      [-32000, "failed to forward tx to sequencer, please try again. Error message: 'EOF'"],
    ],
  },
};

for (const [outcome, clients] of Object.entries(SENDS))
  for (const [client, rows] of Object.entries(clients))
    for (const [code, message] of rows)
      test(`${client}: ${message.slice(0, 70) || '(no text)'} (${code}) means ${outcome}`, () =>
        assert.equal(outcomeOf({ code, message, data: undefined }), outcome));

/** What answers to an estimate say that are about the question, and whether the next one may be another. */
const ESTIMATES: Record<'passes' | 'stays', Record<string, readonly Row[]>> = {
  passes: {
    geth: [
      [-32000, 'header not found'],
      [-32000, 'missing trie node 1234 (path ) state 0x12 is not available'],
      [-32000, 'nonce too high: address 0x12, tx: 9 state: 3'],
      [-32000, 'insufficient funds for transfer'],
    ],
    nethermind: [[-32001, 'Block not found']],
    anything: [
      [-32603, 'Internal error'],
      [-32000, ''],
      [0, 'oops'],
      [-32000, 'the method eth_estimateGas is temporarily unavailable'],
    ],
  },
  stays: {
    geth: [
      [-32602, 'too many arguments, want at most 2'],
      [-32601, 'the method eth_estimateGas does not exist/is not available'],
      [-32000, 'tx fee (1.05 ether) exceeds the configured cap (1.00 ether)'],
      [-32000, 'transaction type not supported'],
    ],
    besu: [
      [-32602, 'Invalid params'],
      [-32604, 'Method not enabled'],
    ],
    'a gateway': [[-32603, 'state overrides are not supported']],
  },
};

for (const [lasting, clients] of Object.entries(ESTIMATES))
  for (const [client, rows] of Object.entries(clients))
    for (const [code, message] of rows)
      test(`${client}: ${message.slice(0, 70) || '(no text)'} (${code}) ${lasting}`, () =>
        assert.equal(passes({ code, message, data: undefined }), lasting === 'passes'));

const TROUBLES: readonly (readonly [string, number, string, 'rate limited' | 'unavailable' | 'no answer' | undefined])[] = [
  [
    'Alchemy',
    429,
    'Your app has exceeded its compute units per second capacity. If you have retries enabled, you can safely ignore this message.',
    'rate limited',
  ],
  [
    'Alchemy',
    -32600,
    'Monthly capacity limit exceeded. Visit https://dashboard.alchemy.com/settings/billing to upgrade your scaling policy.',
    'rate limited',
  ],
  ['Alchemy', -32600, 'Must be authenticated!', 'unavailable'],
  ['Infura', -32005, 'daily request count exceeded, request rate limited', 'rate limited'],
  ['Infura', -32005, 'exceeded project rate limit', 'rate limited'],
  ['Infura', -32005, 'project ID request rate exceeded', 'rate limited'],
  [
    'QuickNode',
    -32007,
    '50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com',
    'rate limited',
  ],
  ['QuickNode', -32012, 'credits limited to 6000/sec', 'rate limited'],
  ['QuickNode', 429, 'The requests per second (RPS) of your requests are higher than your plan allows.', 'rate limited'],
  ['Ankr', -32029, 'Too many requests, reason: call rate limit exhausted, retry in 10s', 'rate limited'],
  ['Solana', -32005, 'Node is behind by 54393 slots', 'unavailable'],
  ['Solana', -32005, 'Node is unhealthy', 'unavailable'],
  ['Cloudflare', -32046, 'Cannot fulfill request', 'no answer'],
  ['a gateway', -32603, 'upstream request timeout', 'no answer'],
  ['geth', -32002, 'request timed out', 'no answer'],
  ['op-geth', -32000, "failed to forward tx to sequencer, please try again. Error message: 'EOF'", 'no answer'],
  ['Arbitrum', -32000, 'sequencer pending tx pool full, please try again', undefined],
  ['geth', -32601, 'the method debug_traceCall does not exist/is not available', undefined],
  ['geth', -32000, 'header not found', undefined],
  ['geth', -32000, 'missing trie node 1234 (path ) state 0x12 is not available', undefined],
  ['besu', -32604, 'Method not enabled', undefined],
  ['besu', -32005, 'Transaction gas limit exceeds block gas limit', undefined],
  ['geth', 3, 'execution reverted: rate limit exceeded', undefined],
  ['geth', -32000, 'execution reverted: too many requests', undefined],
  ['geth', -32000, 'nonce too low', undefined],
  ['geth', -32000, 'txpool is full', undefined],
];

for (const [who, code, message, trouble] of TROUBLES)
  test(`${who}: ${message.slice(0, 60)} (${code}) is ${trouble ?? 'about the request'}`, () =>
    assert.equal(troubleOf({ code, message, data: undefined }), trouble));

test('how long to wait is in a header, in the error, or nowhere, and is bounded', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  const said = (message: string, data?: unknown) => ({ code: -32005, message, data });
  assert.equal(restAsked('7', undefined, now), 7000);
  assert.equal(restAsked('Thu, 01 Jan 2026 00:00:09 GMT', undefined, now), 9000);
  assert.equal(restAsked('Thu, 01 Jan 2020 00:00:09 GMT', undefined, now), 0);
  assert.equal(restAsked('999999999', undefined, now), 300_000);
  assert.equal(restAsked('soon', undefined, now), undefined);
  assert.equal(restAsked(undefined, said('x', { rate: { backoff_seconds: 30 } }), now), 30_000);
  assert.equal(restAsked(undefined, said('x', { rate: { backoff_seconds: 0 } }), now), undefined);
  assert.equal(restAsked(undefined, said('Too many requests, retry in 10s'), now), 10_000);
  assert.equal(restAsked(undefined, undefined, now), undefined);
});

test('several answers: one that took it decides, and one that is silent stands before every refusal', () => {
  assert.equal(together(['insufficient funds', 'sent', 'unknown']), 'sent');
  assert.equal(together(['unknown', 'already known']), 'already known');
  assert.equal(together(['unknown', 'nonce too low']), 'nonce too low');
  for (const refusal of [
    'insufficient funds',
    'underpriced',
    'nonce too high',
    'gas limit',
    'invalid',
    'reverted',
    'rate limited',
    'unavailable',
  ] as const) {
    assert.equal(together([refusal, 'unknown']), 'unknown');
    assert.equal(mayBeSent(refusal), false);
  }
  assert.equal(together(['rate limited', 'unavailable', 'underpriced']), 'underpriced');
  assert.equal(together([]), 'unavailable');
  for (const outcome of ['sent', 'already known', 'nonce too low', 'unknown', 'replacement underpriced'] as const)
    assert.ok(mayBeSent(outcome));
});
