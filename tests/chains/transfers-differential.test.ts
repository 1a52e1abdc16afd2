/** The amounts of transactions that libraries made are those that they were given, and that libraries read. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCompiledTransactionMessageDecoder, getTransactionDecoder, getU64Decoder } from '@solana/kit';
import { PublicKey, SystemInstruction, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { TronWeb } from 'tronweb';
import { decodeFunctionData, hashTypedData, parseTransaction, serializeTransaction } from 'viem';
import { Transaction } from 'viem/tempo';
import { readTypedData } from '../../src/chains/ethereum/eip712.ts';
import { transactionTransfers } from '../../src/chains/read-transfers.ts';
import { payloadTransfers } from '../../src/chains/shared/payload-transfers.ts';
import type { Reading } from '../../src/chains/shared/transfers.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';
import * as psbt from './bitcoin-psbts.ts';
import { abi, call, ME, publicKey, signer, USDC, YOU } from './transfers-making.ts';
import { HOLDER, tron, u64 } from './transfers-rows-others.ts';
import { messages, type Typed, typedText } from './transfers-typed.ts';

type Hex = `0x${string}`;

const MAX = 2n ** 256n - 1n;
const EDGES = [53n, 63n, 64n, 127n, 128n, 160n, 255n].flatMap((bits) => [2n ** bits - 1n, 2n ** bits, 2n ** bits + 1n]);
const upTo = (most: bigint) =>
  fc.oneof(fc.constantFrom(...[1n, ...EDGES, MAX].filter((edge) => edge <= most)), fc.bigInt({ min: 1n, max: most }));
const hexOf = (size: number) =>
  fc.uint8Array({ minLength: size, maxLength: size }).map((b): Hex => `0x${Buffer.from(b).toString('hex')}`);
/** No precompile, and not the signer. */
const address = hexOf(20).filter((text) => !/^0x.{12}0{8}/.test(text));

const amounts = ({ transfers, unreadable }: Reading, kind?: string) => {
  assert.deepEqual(unreadable, []);
  return transfers.filter((each) => kind === undefined || each.kind === kind).map(({ amount }) => amount);
};

test('EVM: value, tokens and fee are what viem reads from the same bytes', () => {
  const functions = ['transfer', 'transferFrom', 'approve', 'increaseAllowance'] as const;
  const given = fc.record({
    to: address,
    amount: upTo(MAX),
    value: upTo(MAX),
    gas: fc.bigInt({ min: 1n, max: 2n ** 40n }),
    price: upTo(2n ** 63n),
  });
  fc.assert(
    fc.property(given, fc.constantFrom(...functions), fc.boolean(), ({ to, amount, value, gas, price }, name, isLegacy) => {
      const data = name === 'transferFrom' ? call(name, ME, to, amount) : call(name, to, amount);
      const fees = isLegacy ? { type: 'legacy' as const, gasPrice: price } : { type: 'eip1559' as const, maxFeePerGas: price };
      const unsigned = serializeTransaction({ chainId: 10, nonce: 0, to: USDC, value, gas, data, ...fees });
      const read = parseTransaction(unsigned);
      const { args } = decodeFunctionData({ abi, data: read.data! });
      const found = transactionTransfers('TRANSACTION_TYPE_ETHEREUM', Buffer.from(unsigned.slice(2), 'hex'), signer);
      assert.deepEqual(amounts(found), [read.value, args.at(-1), read.gas! * (read.gasPrice ?? read.maxFeePerGas!)]);
      const [coin, token] = found.transfers;
      assert.deepEqual([coin!.recipient, token!.recipient?.toLowerCase()], [USDC, (args.at(-2) as string).toLowerCase()]);
      assert.deepEqual(token!.asset, { namespace: 'eip155', chain: '10', standard: 'erc20', token: USDC });
      assert.equal(token!.repeats, amount === MAX && (name === 'approve' || name === 'increaseAllowance'));
    }),
    { numRuns: rounds(500) },
  );
});

/** The same message with another amount for each of its amounts. */
function withAmounts(value: unknown, next: () => bigint): unknown {
  if (Array.isArray(value)) return value.map((each) => withAmounts(each, next));
  if (typeof value !== 'object' || value === null) return value;
  const change = ([name, each]: [string, unknown]) =>
    name === 'value' || name === 'amount' ? [name, String(next())] : [name, withAmounts(each, next)];
  return Object.fromEntries(Object.entries(value).map(change));
}

test('typed data: the amounts of messages, of which viem and the signature have the same digest', () => {
  const names = Object.keys(messages).filter(
    (name) => !['CancelAuthorization', 'DaiPermit'].includes(name),
  ) as (keyof typeof messages)[];
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.infiniteStream(upTo(2n ** 160n - 2n)), fc.nat({ max: 5 }), (name, stream, more) => {
      const sent: bigint[] = [];
      const next = () => sent[sent.push(stream.next().value as bigint) - 1]!;
      const { message, ...rest }: Typed = messages[name];
      const copies = (list: unknown) => (Array.isArray(list) ? Array.from({ length: more + 1 }, () => list[0]) : list);
      const longer = Object.fromEntries(Object.entries(message).map(([key, each]) => [key, copies(each)]));
      const text = typedText({ ...rest, message: withAmounts(longer, next) as object });
      const found = payloadTransfers({ payload: text, encoding: 'PAYLOAD_ENCODING_EIP712', curve: 'CURVE_SECP256K1', publicKey });
      assert.deepEqual(amounts(found, 'permit'), sent);
      for (const { asset, from, recipient, validity } of found.transfers) {
        assert.deepEqual(asset, { namespace: 'eip155', chain: '8453', standard: 'erc20', token: USDC });
        assert.deepEqual([from, recipient, validity.before], [ME, YOU, 9n]);
      }
      const digest = hashTypedData(JSON.parse(text));
      assert.equal(`0x${Buffer.from(readTypedData(text, (why) => new Error(why)).digest).toString('hex')}`, digest);
    }),
    { numRuns: rounds(500) },
  );
});

test('Solana: lamports and tokens are what web3.js and kit read from the same bytes', () => {
  const [to, mint, source] = [3, 4, 5].map((n) => new PublicKey(Buffer.alloc(32, n))) as [PublicKey, PublicKey, PublicKey];
  const TOKENS = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
  const meta = (pubkey: PublicKey) => ({ pubkey, isSigner: pubkey.equals(HOLDER), isWritable: true });
  const some = fc.array(fc.tuple(fc.constantFrom(12, 13, 15, 2), upTo(2n ** 64n - 1n)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(some, fc.boolean(), (list, isLegacy) => {
      const instructions = list.map(([kind, amount]) => {
        if (kind === 2) return SystemProgram.transfer({ fromPubkey: HOLDER, toPubkey: to, lamports: amount });
        const accounts = kind === 15 ? [source, mint, HOLDER] : [source, mint, to, HOLDER];
        return { programId: TOKENS, keys: accounts.map(meta), data: Buffer.from([kind, ...u64(amount), 6]) };
      });
      const message = new TransactionMessage({ payerKey: HOLDER, recentBlockhash: to.toBase58(), instructions });
      const compiled = isLegacy ? message.compileToLegacyMessage() : message.compileToV0Message();
      const bytes = new VersionedTransaction(compiled).serialize();
      const found = transactionTransfers('TRANSACTION_TYPE_SOLANA', bytes, {
        curve: 'CURVE_ED25519',
        publicKey: HOLDER.toBytes(),
      });
      const kit = getCompiledTransactionMessageDecoder().decode(getTransactionDecoder().decode(bytes).messageBytes);
      const theirs = (kit as { instructions: readonly { data?: Uint8Array }[] }).instructions.map(
        ({ data }) => getU64Decoder().read(data!, data![0] === 2 ? 4 : 1)[0],
      );
      assert.deepEqual(amounts(found).slice(0, -1), theirs);
      assert.deepEqual(
        theirs,
        list.map(([, amount]) => amount),
      );
      const web3 = instructions.filter(({ programId }) => programId.equals(SystemProgram.programId));
      assert.deepEqual(
        found.transfers
          .filter(({ asset, kind }) => asset.standard === 'native' && kind === 'transfer')
          .map(({ recipient }) => recipient),
        web3.map((each) => SystemInstruction.decodeTransfer(each as never).toPubkey.toBase58()),
      );
    }),
    { numRuns: rounds(200) },
  );
});

test('Bitcoin: what leaves is what bitcoinjs-lib reads, less what comes back', () => {
  const { mine, other, build, bytesOf, spendables, bitcoin } = psbt;
  const satoshis = fc.bigInt({ min: 1_000n, max: 2n ** 40n });
  const names = ['p2wpkh', 'p2wshKey'] as const;
  const inputs = fc.array(
    fc.record({ name: fc.constantFrom(...names), of: fc.constantFrom(mine, mine, other), value: satoshis }),
    { minLength: 1, maxLength: 4 },
  );
  const outputs = fc.array(fc.record({ of: fc.constantFrom(mine, other), share: fc.integer({ min: 0, max: 100 }) }), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(inputs, outputs, (list, outs) => {
      const spent = [{ name: 'p2wpkh' as const, of: mine, value: 5_000n }, ...list].map((each) => ({
        ...each,
        utxo: 'both' as const,
      }));
      const total = spent.reduce((sum, { value }) => sum + value, 0n);
      const paid = outs.map(({ of, share }) => ({
        script: spendables.p2tr(of).output,
        value: (total * BigInt(share)) / BigInt(100 * outs.length),
      }));
      const bytes = bytesOf(build({ inputs: spent, outputs: paid }));
      const found = transactionTransfers('TRANSACTION_TYPE_BITCOIN', bytes, psbt.signer(mine));
      const theirs = bitcoin.Psbt.fromBuffer(bytes);
      const change = Buffer.from(spendables.p2tr(mine).output);
      const back = theirs.txOutputs.filter(({ script }) => change.equals(Buffer.from(script)));
      const own = theirs.data.inputs.filter((_, i) => spent[i]!.of === mine);
      const sum = (values: bigint[]) => values.reduce((a, b) => a + b, 0n);
      const isAlone = own.length === spent.length;
      const left = sum(own.map(({ witnessUtxo }) => witnessUtxo!.value)) - (isAlone ? sum(back.map(({ value }) => value)) : 0n);
      assert.equal(sum(amounts(found)), left > 0n ? left : 0n);
    }),
    { numRuns: rounds(200) },
  );
});

test('Bitcoin: names of one key, and keys of a wallet, that sign one after the other count at least what left', () => {
  const { mine, other, build, bytesOf, spendables } = psbt;
  const own = [
    { name: 'p2tr' as const, of: mine, format: 'P2TR' },
    { name: 'p2wpkh' as const, of: mine, format: 'P2WPKH' },
    { name: 'p2wshMultisig' as const, of: mine, format: 'P2WSH' },
    { name: 'p2wpkh' as const, of: other, format: 'P2WPKH' },
  ];
  const order = fc.shuffledSubarray(own, { minLength: 1 });
  fc.assert(
    fc.property(order, fc.integer({ min: 0, max: 100 }), (list, share) => {
      const inputs = list.map(({ name, of }) => ({ name, of, value: 1_000n, utxo: 'both' as const }));
      const back = (1_000n * BigInt(list.length * share)) / 100n;
      const outputs = [{ script: spendables.p2pkh(mine).output, value: back }];
      const bytes = bytesOf(build({ inputs, outputs }));
      const counted = list.map(({ of, format }) => {
        const siblings = [mine, other].filter((each) => each !== of).map((each) => each.publicKey);
        const found = transactionTransfers('TRANSACTION_TYPE_BITCOIN', bytes, psbt.signer(of, format), siblings);
        return amounts(found).reduce((a, b) => a + b, 0n);
      });
      assert.ok(counted.reduce((a, b) => a + b, 0n) >= 1_000n * BigInt(list.length) - back, String(counted));
    }),
    { numRuns: rounds(200) },
  );
});

test('Tron and Tempo: the amounts that tronweb and viem wrote', async () => {
  const sun = fc.oneof(fc.constantFrom(1, Number.MAX_SAFE_INTEGER), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
  const contract = `41${'ce'.repeat(20)}`;
  const given = fc.record({ amount: upTo(MAX), value: sun, limit: sun, to: address });
  await fc.assert(
    fc.asyncProperty(given, async ({ amount, value, limit, to }) => {
      const data = call('transfer', to, amount);
      const onTron = tron('TriggerSmartContract', { contract_address: contract, data: data.slice(2), call_value: value }, limit);
      assert.deepEqual(amounts(onTron), [BigInt(value), amount, BigInt(limit)]);
      assert.equal(onTron.transfers[1]!.recipient, TronWeb.address.fromHex(`41${to.slice(2)}`));
      const plain = tron('TransferContract', { to_address: contract, amount: value }, limit);
      assert.deepEqual(amounts(plain), [BigInt(value), BigInt(limit)]);
      const calls = [
        { to: USDC, data },
        { to, value: amount },
        { to: USDC, data: call('approve', to, amount) },
      ];
      const prices = { gas: 10n ** 6n, maxFeePerGas: BigInt(limit), feeToken: YOU };
      const unsigned = await Transaction.serialize({ type: 'tempo', chainId: 42431, nonce: 1, calls, ...prices } as never);
      const onTempo = transactionTransfers('TRANSACTION_TYPE_TEMPO', Buffer.from(unsigned.slice(2), 'hex'), signer);
      assert.deepEqual(amounts(onTempo), [amount, amount, amount, (BigInt(limit) * 10n ** 6n + 10n ** 12n - 1n) / 10n ** 12n]);
    }),
    { numRuns: rounds(200) },
  );
});
