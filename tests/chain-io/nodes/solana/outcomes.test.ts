import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  mayLand,
  outcomeOfError,
  type SolanaOutcome,
  solanaOutcomeOf,
  solanaTogether,
} from '../../../../src/chain-io/nodes/solana/outcomes.ts';
import { describeError, solanaFailure } from '../../../../src/chains/solana/failure.ts';
import { rounds } from '../../../support/full.ts';
import fc from '../../../support/properties.ts';

const preflight = (err: unknown) => ({ err, logs: [], unitsConsumed: 0 });

/** As Solana’s nodes write them. */
const SENDS: readonly (readonly [code: number, text: string, data: unknown, SolanaOutcome])[] = [
  [
    -32002,
    'Transaction simulation failed: This transaction has already been processed',
    preflight('AlreadyProcessed'),
    'already processed',
  ],
  [-32002, 'Transaction simulation failed: This transaction has already been processed', undefined, 'already processed'],
  [-32002, 'Transaction simulation failed: Blockhash not found', preflight('BlockhashNotFound'), 'blockhash not found'],
  [-32002, 'Transaction simulation failed: Blockhash not found', undefined, 'blockhash not found'],
  [
    -32002,
    'Transaction simulation failed: Attempt to debit an account but found no record of a prior credit.',
    preflight('AccountNotFound'),
    'insufficient funds',
  ],
  [
    -32002,
    'Transaction simulation failed: Insufficient funds for fee',
    preflight('InsufficientFundsForFee'),
    'insufficient funds',
  ],
  [
    -32002,
    'Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1',
    preflight({ InstructionError: [0, { Custom: 1 }] }),
    'simulation failed',
  ],
  [
    -32002,
    'Transaction simulation failed: Transaction results in an account (1) with insufficient funds for rent',
    preflight({ InsufficientFundsForRent: { account_index: 1 } }),
    'simulation failed',
  ],
  [-32002, 'Transaction simulation failed: something new', undefined, 'simulation failed'],
  [-32003, 'Transaction signature verification failure', undefined, 'invalid'],
  [-32602, 'invalid transaction: Transaction failed to sanitize accounts offsets correctly', undefined, 'invalid'],
  [
    -32602,
    'base64 encoded solana_sdk::transaction::VersionedTransaction too large: 1684 bytes (max: encoded/raw 1644/1232)',
    undefined,
    'invalid',
  ],
  [-32015, 'Transaction version (0) is not supported by the requesting client.', undefined, 'invalid'],
  [-32601, 'Method not found', undefined, 'unavailable'],
  [-32603, 'Internal error', undefined, 'unknown'],
  [0, '', undefined, 'unknown'],
];

for (const [code, message, data, outcome] of SENDS)
  test(`${message.slice(0, 90) || '(no text)'} (${code}) means ${outcome}`, () =>
    assert.equal(solanaOutcomeOf({ code, message, data }), outcome));

test('several answers: a silent endpoint stands before every refusal', () => {
  assert.equal(solanaTogether(['blockhash not found', 'sent']), 'sent');
  assert.equal(solanaTogether(['blockhash not found', 'simulation failed']), 'simulation failed');
  for (const refusal of [
    'simulation failed',
    'insufficient funds',
    'blockhash not found',
    'invalid',
    'rate limited',
    'unavailable',
  ] as const) {
    assert.equal(solanaTogether([refusal, 'unknown']), 'unknown');
    assert.equal(mayLand(refusal), false);
  }
  assert.equal(outcomeOfError(null), 'sent');
});

test('a failure is told in words, with what its program says', () => {
  assert.equal(describeError('AccountInUse'), 'account in use');
  assert.equal(describeError({ InsufficientFundsForRent: { account_index: 3 } }), 'insufficient funds for rent (account 3)');
  assert.equal(describeError({ InstructionError: [2, 'InvalidAccountData'] }), 'instruction 2: invalid account data');
  assert.equal(describeError({ InstructionError: [2, { Custom: 6001 }] }), 'instruction 2: custom program error 0x1771');
  assert.equal(describeError(undefined), undefined);
  const { message, solana } = solanaFailure({
    source: 'execution',
    err: { InstructionError: [2, { Custom: 6001 }] },
    logs: [
      'Program log: AnchorError thrown in a.rs:1. Error Code: TooLate. Error Number: 6001. Error Message: The sale is over.',
      'Program x failed',
    ],
    unitsConsumed: 2n ** 63n,
    innerInstructions: [{ index: 2, instructions: [{ programIdIndex: 4, accounts: [0], data: 'x', stackHeight: 2n }] }],
  });
  assert.equal(message, 'instruction 2: custom program error 0x1771: The sale is over');
  assert.deepEqual(
    [solana.unitsConsumed, solana.transactionErrorJson],
    ['9223372036854775808', '{"InstructionError":[2,{"Custom":6001}]}'],
  );
  assert.match(solana.innerInstructionsJson!, /"stackHeight":"2"/);
  assert.equal(solanaFailure({ source: 'rpc', rpcCode: -32603, rpcMessage: 'odd\u0000' }).message, 'odd ');
});

test('fuzz: whatever an error is, it is told, and bounded', () => {
  const odd = fc.oneof(
    fc.jsonValue(),
    fc.record({ InstructionError: fc.array(fc.jsonValue(), { maxLength: 3 }) }),
    fc.record({ InstructionError: fc.tuple(fc.nat(), fc.jsonValue()) }),
  );
  fc.assert(
    fc.property(odd, fc.array(fc.string(), { maxLength: 5 }), fc.string(), (err, logs, rpcMessage) => {
      const { message, solana } = solanaFailure({ source: 'preflight', err, logs, rpcMessage });
      assert.ok(message.length > 0 && message.length <= 600 && !/\p{Cc}/u.test(message));
      if (solana.transactionErrorJson !== undefined)
        assert.deepEqual(JSON.parse(solana.transactionErrorJson), JSON.parse(JSON.stringify(err)));
      outcomeOfError(err);
    }),
    { numRuns: rounds(1000) },
  );
  const { solana } = solanaFailure({
    source: 'preflight',
    err: { x: 'y'.repeat(20_000) },
    logs: Array(1000).fill('z'.repeat(5000)),
  });
  assert.deepEqual([solana.transactionErrorJson, solana.logs.length, solana.logs[0]!.length], [undefined, 256, 1024]);
});
