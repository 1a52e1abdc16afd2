/** An account’s nonce while an endpoint is behind a block with its authorization. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RpcError } from '../../../../../../src/chain-io/nodes/types.ts';
import { afterAuthorizations, nonceAfterAuthorization } from '../../../../../../src/chain-io/sends/evm/lane/nonces/authorized.ts';
import { ALICE, BOB } from '../../../../nodes/support.ts';

const after = (head: bigint, known: number | null, said: number) =>
  afterAuthorizations({ chain: { head: async () => head } } as never, { knownNonce: known, knownBlock: 100 } as never, said);

test('a nonce is known for 64 blocks, and only where less is said; then the chain is right', async () => {
  assert.equal(await after(99n, 3, 2), 3);
  assert.equal(await after(163n, 3, 2), 3);
  assert.equal(await after(164n, 3, 2), 2);
  assert.equal(await after(99n, 3, 4), 4);
  assert.equal(await after(99n, null, 2), 2);
});

test('an authorization counts if the block has it; without its state, if the calls succeeded', async () => {
  const authorization = await BOB.signAuthorization({ address: ALICE.address, chainId: 31337, nonce: 6 });
  const hex = await ALICE.signTransaction({
    type: 'eip7702',
    chainId: 31337,
    to: ALICE.address,
    gas: 100_000n,
    authorizationList: [authorization],
  });
  const signed = Buffer.from(hex.slice(2), 'hex');
  const lost = new RpcError('here', { code: -32000, message: 'header not found', data: undefined });
  const asked = (said: bigint | Error, succeeded: boolean, account = 'payer', bytes = signed) => {
    const nonce = async () => {
      if (said instanceof Error) throw said;
      return said;
    };
    const send = { account, fromAddress: 'user' };
    return nonceAfterAuthorization(
      { node: { nonce } } as never,
      send as never,
      { signed: bytes } as never,
      { blockNumber: 9n, succeeded } as never,
    );
  };
  assert.deepEqual([await asked(7n, false), await asked(9n, true), await asked(6n, true)], [7, 7, null]);
  assert.deepEqual([await asked(lost, true), await asked(lost, false)], [7, null]);
  assert.deepEqual([await asked(7n, true, 'user'), await asked(7n, true, 'payer', Buffer.from([2]))], [null, null]);
  await assert.rejects(asked(new Error('no endpoint answers'), true), /no endpoint answers/);
});
