import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Hex, keccak256, parseTransaction, recoverTransactionAddress, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { ApiError } from '../../src/base/errors.ts';
import { authorizationDigest } from '../../src/chains/ethereum/eip7702.ts';
import { type NewTransaction, newTransaction } from '../../src/chains/ethereum/new-transaction.ts';
import { readSignedTransaction } from '../../src/chains/ethereum/signed-transaction.ts';
import { signDigest } from '../../src/crypto/curves.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';

const SECRET = Buffer.alloc(32, 0x46);
const account = privateKeyToAccount(toHex(SECRET));
const sign = (digest: Uint8Array) => signDigest('CURVE_SECP256K1', SECRET, digest);

const amount = (bits: number) => fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n });
const hex = (bytes: { minLength: number; maxLength: number }) => fc.uint8Array(bytes).map((made) => toHex(made));
const address = hex({ minLength: 20, maxLength: 20 });

const fees = fc.oneof(
  fc.record({ kind: fc.constant('legacy' as const), gasPrice: amount(200) }),
  fc
    .tuple(amount(200), amount(200))
    .map(([a, b]) => ({ kind: 'eip1559' as const, maxFeePerGas: a > b ? a : b, maxPriorityFeePerGas: a > b ? b : a })),
);
const authorization = fc.record({ chainId: amount(53), address, nonce: amount(53) });
const transaction = fc.record({
  chainId: fc.bigInt({ min: 1n, max: (1n << 53n) - 1n }),
  nonce: amount(53),
  gas: amount(63),
  to: address,
  value: amount(256),
  data: hex({ minLength: 0, maxLength: 200 }),
  fees,
  authorizations: fc.array(authorization, { maxLength: 3 }),
});

type Made = Omit<NewTransaction, 'authorizations'> & { authorizations: { chainId: bigint; address: Hex; nonce: bigint }[] };

function signed({ authorizations, ...rest }: Made) {
  const given = rest.fees.kind === 'legacy' ? [] : authorizations;
  const list = given.map((one) => ({ ...one, signature: sign(authorizationDigest(one)) }));
  const { digest, signed } = newTransaction({ ...rest, authorizations: list });
  return { ...signed(sign(digest)), list: given };
}

test('the written transaction is the one that another library reads, and reading it gives it back', async () => {
  await fc.assert(
    fc.asyncProperty(transaction, async (made) => {
      const { bytes, hash, list } = signed(made as Made);
      const serialized = toHex(bytes) as `0x02${string}`;
      const theirs = parseTransaction(serialized) as Record<string, unknown>;
      const type = made.fees.kind === 'legacy' ? 'legacy' : list.length > 0 ? 'eip7702' : 'eip1559';
      assert.equal(theirs.type, type);
      assert.equal(hash, keccak256(serialized));
      assert.equal(await recoverTransactionAddress({ serializedTransaction: serialized }), account.address);
      const of = (name: string) => BigInt((theirs[name] as bigint | number | undefined) ?? 0);
      const { fields, from, name, hash: again } = readSignedTransaction(bytes);
      assert.deepEqual([from, again], [account.address.toLowerCase(), hash]);
      assert.equal(name, { legacy: 'LEGACY', eip1559: 'TYPE_2', eip7702: 'TYPE_4' }[type]);
      assert.deepEqual(
        [of('chainId'), of('nonce'), of('gas'), of('value'), theirs.to, theirs.data ?? '0x'],
        [made.chainId, made.nonce, made.gas, made.value, made.to, made.data],
      );
      assert.deepEqual(
        [fields.chainId, fields.nonce, fields.gas, fields.value, fields.to, fields.data],
        [made.chainId, made.nonce, made.gas, made.value, made.to, made.data],
      );
      for (const fee of ['gasPrice', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const)
        assert.equal(fields[fee] ?? 0n, of(fee), fee);
      assert.deepEqual(
        fields.authorizationList ?? [],
        list.map(({ address, chainId, nonce }) => ({ address, chain_id: chainId, nonce })),
      );
    }),
    { numRuns: rounds(150) },
  );
});

test('bytes that are changed are refused, or are somebody else’s; nothing is ever thrown but a refusal', () => {
  const changed = fc.tuple(transaction, fc.nat(), fc.integer({ min: 1, max: 255 }), fc.constantFrom('flip', 'cut', 'add'));
  fc.assert(
    fc.property(changed, ([made, at, by, how]) => {
      const { bytes } = signed(made as Made);
      const position = at % bytes.length;
      const other = how === 'cut' ? bytes.slice(0, position) : Uint8Array.from([...bytes, ...(how === 'add' ? [by] : [])]);
      if (how === 'flip') other[position]! ^= by;
      try {
        assert.notEqual(readSignedTransaction(other).from, account.address.toLowerCase());
      } catch (error) {
        assert.ok(error instanceof ApiError, String(error));
      }
    }),
    { numRuns: rounds(400) },
  );
});

test('any bytes are read or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.constantFrom(1, 2, 4, 0xc0, 0xf8), (bytes, first) => {
      try {
        readSignedTransaction(Uint8Array.of(first, ...bytes));
      } catch (error) {
        assert.ok(error instanceof ApiError, String(error));
      }
    }),
    { numRuns: rounds(500) },
  );
});
