import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foundIn, type SolanaStatus } from '../../../../src/chain-io/nodes/solana/values.ts';

const status = (commitment: SolanaStatus['commitment'], err: unknown): SolanaStatus => ({ slot: 7n, commitment, err });
const failed = status('finalized', { InstructionError: [0, 'Custom'] });

test('an outcome is agreed if every endpoint says that it is final, and none says another', () => {
  for (const [said, isAgreed] of [
    [[failed, failed], true],
    [[failed, status('finalized', undefined)], false],
    [[failed, status('confirmed', failed.err)], false],
    [[failed, undefined], false],
    [[failed], false],
    [[undefined, undefined], false],
  ] as const)
    assert.equal(
      foundIn(said, 2).isAgreed,
      isAgreed,
      JSON.stringify(said, (_, value) => String(value)),
    );
});

test('the furthest status counts, and how many endpoints answered', () => {
  assert.deepEqual(foundIn([undefined, failed, status('confirmed', undefined)], 4), {
    ...{ value: failed, answered: 3, endpoints: 4, isAgreed: false },
  });
});
