import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import {
  appendTransactionMessageInstructions,
  compileTransaction,
  createKeyPairSignerFromPrivateKeyBytes,
  createSolanaRpc,
  createTransactionMessage,
  getBase64Decoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { Connection, Keypair, LAMPORTS_PER_SOL, PublicKey, SystemProgram, Transaction } from '@solana/web3.js';
import { getTransferSolInstruction } from '@solana-program/system';
import { place } from '../../../../src/chain-io/nodes/read.ts';
import { heightsOf } from '../../../../src/chain-io/nodes/solana/agree.ts';
import { NoNodeError } from '../../../../src/chain-io/nodes/types.ts';
import { solanaFailure } from '../../../../src/chains/solana/failure.ts';
import { solanaNetwork } from '../../../../src/model/caip2.ts';
import { type Liar, startLiar } from '../../../support/rpc-liar.ts';
import { type SolanaNode as Server, startSolanaNode } from '../../../support/solana-node.ts';
import { solana } from '../support.ts';

let server: Server;
let liar: Liar;
let payer: KeyPairSigner;
let receiver: KeyPairSigner;
before(async () => {
  server = await startSolanaNode('devnet');
  liar = await startLiar(server.url);
  payer = await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(32).fill(7));
  receiver = await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(32).fill(8));
  server.airdrop(payer.address, 10_000_000_000n);
});
afterEach(() => liar.truth());
after(async () => {
  await liar.stop();
  await server.stop();
});

const devnet = solanaNetwork('devnet');
const opened = (...urls: string[]) => solana(devnet, ...(urls.length === 0 ? [liar.url] : urls));

type Lifetime = { blockhash: string; lastValidBlockHeight: bigint };

const messageOf = (lifetime: Lifetime, amount: bigint, from = payer) =>
  pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayerSigner(from, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime as never, message),
    (message) =>
      appendTransactionMessageInstructions(
        [getTransferSolInstruction({ source: from, destination: receiver.address, amount })],
        message,
      ),
  );

async function transferOf(lifetime: Lifetime, amount: bigint, from = payer) {
  const signed = await signTransactionMessageWithSigners(messageOf(lifetime, amount, from));
  return { signature: getSignatureFromTransaction(signed), wire: getBase64EncodedWireTransaction(signed as never) };
}

test('a transaction is filled, tried out, sent, and confirmed until it is final', async () => {
  const { node } = opened();
  const lifetime = await node.latestBlockhash();
  assert.ok(lifetime.lastValidBlockHeight > (await node.blockHeights('confirmed')).known);
  const message = getBase64Decoder().decode(compileTransaction(messageOf(lifetime, 5_000_000n)).messageBytes);
  assert.equal(await node.fee(message), 5000n);
  const { signature, wire } = await transferOf(lifetime, 5_000_000n);
  const tried = await node.simulate(wire, { verifySignatures: true });
  assert.deepEqual([tried.err, tried.unitsConsumed], [undefined, 150n]);
  assert.deepEqual(await node.statuses([signature]), [{ value: undefined, answered: 1, endpoints: 1, isAgreed: false }]);
  assert.equal((await node.send(wire, { preflight: true })).outcome, 'sent');
  const [{ value: status } = { value: undefined }] = await node.statuses([signature]);
  assert.deepEqual([status?.err, status?.commitment], [undefined, 'confirmed']);
  assert.equal(await node.balance(receiver.address), 5_000_000n);
  assert.equal((await node.account(receiver.address))?.lamports, 5_000_000n);
  assert.equal(await node.account('11111111111111111111111111111112'), undefined);
  assert.equal((await node.send(wire, { preflight: true })).outcome, 'already processed');
  server.advance(32);
  assert.equal((await node.statuses([signature]))[0]!.value?.commitment, 'finalized');
  assert.equal((await node.transaction(signature)).value?.fee, 5000n);
  assert.ok((await node.rent(100)) > 0n);
  assert.deepEqual(
    (await node.priorityFees([payer.address])).map(({ lamports }) => lamports),
    [0n, 1000n],
  );
});

test('what an endpoint refuses is told apart, with what it saw', async () => {
  const { node } = opened();
  const lifetime = await node.latestBlockhash();
  const poor = await transferOf(lifetime, 10n ** 17n);
  const refused = await node.send(poor.wire, { preflight: true });
  assert.equal(refused.outcome, 'simulation failed');
  const { message, solana } = solanaFailure(refused.answers[0]!.failure!);
  assert.equal(message, 'instruction 0: custom program error 0x1');
  assert.deepEqual(
    [solana.source, solana.rpcCode, solana.transactionErrorJson, solana.unitsConsumed],
    ['preflight', -32002, '{"InstructionError":[0,{"Custom":1}]}', '150'],
  );
  assert.match(solana.logs.join('\n'), /insufficient lamports/);
  const stranger = await createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(32).fill(99));
  assert.equal(
    (await node.send((await transferOf(lifetime, 1n, stranger)).wire, { preflight: true })).outcome,
    'insufficient funds',
  );
  const { wire } = await transferOf(lifetime, 1_000_001n);
  const bytes = Buffer.from(wire, 'base64');
  bytes[5]! ^= 1;
  assert.equal((await node.send(bytes.toString('base64'), { preflight: true })).outcome, 'invalid');
  assert.equal((await node.send('AAAA')).outcome, 'invalid');
  server.advance(151);
  assert.equal((await node.send(wire, { preflight: true })).outcome, 'blockhash not found');
  assert.ok((await node.blockHeights('confirmed')).known > lifetime.lastValidBlockHeight);
  assert.equal((await node.simulate(wire)).err, 'BlockhashNotFound');
  assert.equal((await node.simulate(wire, { replaceBlockhash: true })).err, undefined);
  assert.equal(await node.fee(getBase64Decoder().decode(compileTransaction(messageOf(lifetime, 1n)).messageBytes)), undefined);
});

test('a transaction that fails on chain is landed with its error', async () => {
  const { node } = opened();
  const { signature, wire } = await transferOf(await node.latestBlockhash(), 10n ** 17n);
  assert.equal((await node.send(wire)).outcome, 'sent');
  const [found] = await node.statuses([signature]);
  assert.deepEqual(found!.value?.err, { InstructionError: [0, { Custom: 1 }] });
  const { value } = await node.transaction(signature);
  assert.match(value!.logs.join('\n'), /insufficient lamports/);
});

test('a transaction that was taken and lost is nowhere, and lands when it is sent again', async () => {
  const { node } = opened();
  const { signature, wire } = await transferOf(await node.latestBlockhash(), 2_000_000n);
  server.lose(1);
  assert.equal((await node.send(wire)).outcome, 'sent');
  assert.equal((await node.statuses([signature]))[0]!.value, undefined);
  server.hold();
  assert.equal((await node.send(wire)).outcome, 'sent');
  assert.equal((await node.statuses([signature]))[0]!.value, undefined);
  server.land();
  assert.equal((await node.statuses([signature]))[0]!.value?.err, undefined);
});

test('a fork that is left takes a transaction with it', async () => {
  const { node } = opened();
  const before = await node.balance(receiver.address);
  server.mark();
  const { signature, wire } = await transferOf(await node.latestBlockhash(), 3_000_000n);
  await node.send(wire);
  assert.equal(await node.balance(receiver.address), before + 3_000_000n);
  server.rollBack();
  assert.equal((await node.statuses([signature]))[0]!.value, undefined);
  assert.equal(await node.balance(receiver.address), before);
  assert.equal((await node.send(wire, { preflight: true })).outcome, 'sent');
  assert.equal(await node.balance(receiver.address), before + 3_000_000n);
});

test('a lost answer is perhaps sent; a node that is behind did nothing', async () => {
  const { node } = opened();
  const { signature, wire } = await transferOf(await node.latestBlockhash(), 4_000_000n);
  liar.lie({ kind: 'error', code: -32005, message: 'Node is behind by 54393 slots', data: { numSlotsBehind: 54393 } });
  assert.equal((await node.send(wire)).outcome, 'unavailable');
  liar.lie({ kind: 'drop' });
  assert.equal((await node.send(wire)).outcome, 'unknown');
  liar.truth();
  assert.equal((await node.statuses([signature]))[0]!.value?.commitment, 'confirmed');
  assert.equal((await node.send(wire, { preflight: true })).outcome, 'already processed');
});

test('an endpoint of another cluster is refused; one of no public cluster stands in, and is warned of', async () => {
  const mainnet = await startSolanaNode('mainnet');
  try {
    const { node, lines } = opened(mainnet.url);
    await assert.rejects(
      node.latestBlockhash(),
      (error) => error instanceof NoNodeError && error.failures[0]!.trouble === 'wrong chain',
    );
    assert.match(JSON.stringify(lines), /answers for mainnet, not devnet/);
    const own = await startLiar(server.url);
    own.lie(
      { kind: 'status', status: 200, body: '{"jsonrpc":"2.0","id":1,"result":"7q4Xz1uEkeGTkUMGUuCnFLSMUfRdCMWPCrjZhDjbfxSG"}' },
      { methods: ['getGenesisHash'] },
    );
    const standing = opened(own.url);
    assert.ok((await standing.node.blockHeights('confirmed')).known > 0n);
    assert.deepEqual(
      standing.lines.map(({ level }) => level),
      ['warn'],
    );
    await own.stop();
  } finally {
    await mainnet.stop();
  }
});

test('a list goes on only at an endpoint that knows where it ended', async () => {
  const { node } = opened();
  const sent: string[] = [];
  for (const amount of [6_000_001n, 6_000_002n]) {
    const { signature, wire } = await transferOf(await node.latestBlockhash(), amount);
    assert.equal((await node.send(wire)).outcome, 'sent');
    server.advance(1);
    sent.push(signature);
  }
  const pageBefore = (before: string) => node.scans.signatures([{ account: payer.address, until: '', before, limit: 1 }], 5_000);
  const [page] = await pageBefore(sent[1]!);
  assert.deepEqual(
    page!.map(({ signature }) => signature),
    [sent[0]],
  );
  const { signature: unknown } = await transferOf(await node.latestBlockhash(), 6_000_003n);
  await assert.rejects(pageBefore(unknown), NoNodeError);
  const { signatures, from, to } = await node.scans.kept(payer.address, 2, 5_000);
  assert.deepEqual(
    signatures.map(({ signature }) => signature),
    sent.toReversed(),
  );
  // Blocks of the test server are a second apart.
  assert.ok(to! - from! === Number((await node.scans.finalizedSlots()).most) - 100, `${from} ${to}`);
});

test('published clients talk to the test server', async () => {
  const rpc = createSolanaRpc(server.url);
  const { value: latest } = await rpc.getLatestBlockhash().send();
  const { signature, wire } = await transferOf(latest, 6_000_000n);
  assert.equal(await rpc.sendTransaction(wire as never, { encoding: 'base64' }).send(), signature);
  const { value: statuses } = await rpc.getSignatureStatuses([signature]).send();
  assert.equal(statuses[0]?.confirmationStatus, 'confirmed');
  assert.ok((await rpc.getBalance(payer.address).send()).value > 0n);
  const connection = new Connection(server.url, 'confirmed');
  const from = Keypair.fromSeed(new Uint8Array(32).fill(9));
  server.airdrop(from.publicKey.toBase58(), BigInt(LAMPORTS_PER_SOL));
  const transaction = new Transaction().add(
    SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: new PublicKey(receiver.address), lamports: 7_000_000 }),
  );
  const sent = await connection.sendTransaction(transaction, [from]);
  assert.equal((await connection.getSignatureStatus(sent)).value?.confirmationStatus, 'confirmed');
  assert.equal(await connection.getBalance(from.publicKey), LAMPORTS_PER_SOL - 7_005_000);
  await assert.rejects(
    connection.sendTransaction(
      new Transaction().add(
        SystemProgram.transfer({
          fromPubkey: from.publicKey,
          toPubkey: new PublicKey(receiver.address),
          lamports: 10 * LAMPORTS_PER_SOL,
        }),
      ),
      [from],
    ),
    /custom program error: 0x1/,
  );
});

test('no endpoint alone says how far the chain is', () => {
  const said = (...heights: number[]) => {
    const { least, known, sure, isAll } = heightsOf(heights.map(BigInt), 3);
    return [Number(least), Number(known), Number(sure), isAll];
  };
  assert.deepEqual(said(900), [900, 900, 900, false]);
  assert.deepEqual(said(905, 900, 903), [900, 905, 905, true]);
  // An endpoint that lies, and one whose blocks do not advance.
  assert.deepEqual(said(900, 10 ** 12, 903), [900, 903, 903, true]);
  assert.deepEqual(said(5, 900, 903), [5, 903, 903, true]);
  assert.deepEqual(said(10 ** 12, 900), [900, 10 ** 12, 900, false]);
  assert.deepEqual(said(1, 10 ** 12, 900), [1, 10 ** 12, 1, true]);
});

test('whether a blockhash counts is asked of every endpoint; a height that no chain has is no answer', async () => {
  const { node } = opened(server.url, liar.url);
  const { blockhash } = await node.latestBlockhash();
  assert.deepEqual(await node.blockhashCounts(blockhash), { isValid: true, isAll: true });
  liar.lie({ kind: 'error', code: -32601, message: 'Method not found' }, { methods: ['isBlockhashValid'] });
  assert.deepEqual(await node.blockhashCounts(blockhash), { isValid: true, isAll: false });
  server.advance(151);
  assert.deepEqual(await node.blockhashCounts(blockhash), { isValid: false, isAll: false });
  assert.equal(place(1000), 1000n);
  assert.throws(() => place(2n ** 60n), /no height of a block/);
});
