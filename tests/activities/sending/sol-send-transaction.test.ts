import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  VersionedTransaction,
} from '@solana/web3.js';
import {
  attemptsOf,
  FRIEND,
  idOf,
  NONE,
  newAccounts,
  sendOf,
  sharedSending,
  solanaAccount,
  TYPE,
  transaction,
  transfer,
  until,
} from '../../chain-io/sends/solana/support.ts';
import { approvedBy } from '../../e2e/authority.ts';
import { type Client, resultOf } from '../../support/client.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { agreed, newPair, waitsForBoth } from '../support.ts';

const sending = await sharedSending({ GAS_PRICES_USD: 'solana:devnet=150' });
const { instance, node, liar } = sending;
const { root } = instance;
let payer: PublicKey;
let second: PublicKey;
before(async () => {
  [payer, second] = (await newAccounts(sending, root, 2)) as [PublicKey, PublicKey];
});

const hash = () => node.svm.latestBlockhash() as string;
const BUDGET = ComputeBudgetProgram.programId.toBase58();
const programsOf = ({ message }: VersionedTransaction) =>
  message.compiledInstructions.map(({ programIdIndex }) => message.staticAccountKeys[programIdIndex]!.toBase58());

test('a transfer is filled in, signed, sent, and included', async () => {
  const before = node.svm.getBalance(FRIEND.toBase58() as never) ?? 0n;
  const id = idOf(await root.submit(TYPE, sendOf([payer], transaction({ payer }, transfer(payer, 5_000_000)))));
  const status = await until(root, id, 'INCLUDED');
  assert.deepEqual(Object.keys(status).sort(), ['solana', 'txStatus']);
  assert.equal(node.svm.getBalance(FRIEND.toBase58() as never), before + 5_000_000n);
  const [attempt] = await attemptsOf(sending, id);
  assert.equal(status.solana.signature, attempt!.hash);
  // A limit near what it used, and a price of what others paid, before its own instruction.
  assert.deepEqual(programsOf(attempt!.sent), [BUDGET, BUDGET, SystemProgram.programId.toBase58()]);
  const [limit, price] = attempt!.sent.message.compiledInstructions.map(({ data }) => Buffer.from(data));
  assert.equal(limit!.readUInt32LE(1), 450 + 45 + 1000);
  assert.equal(price!.readBigUInt64LE(1), 1000n);
});

test('version 1 takes one signer, base64 and legacy transactions, in its own shape', async () => {
  const unsigned = Buffer.from(transaction({ payer, legacy: true }, transfer(payer)), 'hex').toString('base64');
  const parameters = {
    unsignedTransaction: unsigned,
    signWith: payer.toBase58(),
    caip2: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  };
  const answer = await root.submit('SOL_SEND_TRANSACTION', parameters);
  assert.deepEqual(answer.body.activity.intent.solSendTransactionIntent, parameters);
  const { sendTransactionStatusId: id } = resultOf(answer, 'solSendTransactionResult');
  await until(root, id, 'INCLUDED');
  assert.equal((await attemptsOf(sending, id))[0]!.sent.version, 'legacy');
});

test('all names of a cluster are one network; a cluster without an RPC endpoint is refused', async () => {
  for (const caip2 of ['devnet', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG']) {
    const unsigned = transaction({ payer }, transfer(payer));
    await until(root, idOf(await root.submit(TYPE, sendOf([payer], unsigned, { caip2: `solana:${caip2}` }))), 'INCLUDED');
  }
  const elsewhere = sendOf([payer], transaction({ payer }, transfer(payer)), { caip2: 'solana:mainnet' });
  refused(await root.submit(TYPE, elsewhere), [400, 'REQUEST_INVALID', /parameters\.caip2.*RPC_URL_SOLANA_MAINNET/]);
});

test('the given transaction is stored byte for byte, and no node is asked before it is accepted', async () => {
  const budget = [
    ComputeBudgetProgram.setComputeUnitLimit({ units: 5000 }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 7 }),
  ];
  const unsigned = transaction({ payer, blockhash: hash() }, ...budget, transfer(payer));
  liar.lie({ kind: 'reset' });
  const id = idOf(await root.submit(TYPE, sendOf([payer], `0x${unsigned}`)));
  liar.truth();
  await until(root, id, 'INCLUDED');
  const [attempt] = await attemptsOf(sending, id);
  assert.equal(Buffer.from(attempt!.sent.message.serialize()).toString('hex'), unsigned.slice(2 + 128));
});

test('recentBlockhash goes before the one inside', async () => {
  const unsigned = transaction({ payer, blockhash: FRIEND.toBase58() }, transfer(payer));
  const id = idOf(await root.submit(TYPE, sendOf([payer], unsigned, { recentBlockhash: hash() })));
  await until(root, id, 'INCLUDED');
  const [attempt] = await attemptsOf(sending, id);
  assert.equal(attempt!.sent.message.recentBlockhash, hash());
});

test('several signers sign, each in its slot; what others signed already stays', async () => {
  const both = transaction({ payer }, transfer(payer), transfer(second));
  await until(root, idOf(await root.submit(TYPE, sendOf([second, payer], both))), 'INCLUDED');
  const stranger = Keypair.generate();
  node.airdrop(stranger.publicKey.toBase58(), 1_000_000_000n);
  const shared = VersionedTransaction.deserialize(
    Buffer.from(transaction({ payer, blockhash: hash() }, transfer(payer), transfer(stranger.publicKey)), 'hex'),
  );
  shared.sign([stranger]);
  const signed = Buffer.from(shared.serialize());
  const id = idOf(await root.submit(TYPE, sendOf([payer], signed.toString('hex'))));
  await until(root, id, 'INCLUDED');
  const [attempt] = await attemptsOf(sending, id);
  assert.deepEqual(Buffer.from(attempt!.sent.signatures[1]!), Buffer.from(shared.signatures[1]!));
  // A signature is for the message as it is.
  const wrong = Buffer.from(signed);
  wrong[100]! ^= 1;
  refused(await root.submit(TYPE, sendOf([payer], wrong.toString('hex'))), [400, 'INVALID_TRANSACTION', /does not verify/]);
  const other = { recentBlockhash: FRIEND.toBase58() };
  refused(await root.submit(TYPE, sendOf([payer], signed.toString('hex'), other)), [
    400,
    'REQUEST_INVALID',
    /recentBlockhash.*already has other signatures/,
  ]);
});

test('one that would fail is FAILED with what the simulation saw, and is never signed', async () => {
  const id = idOf(await root.submit(TYPE, sendOf([payer], transaction({ payer }, transfer(payer, 10 ** 12)))));
  const { solana, txError, error } = await until(root, id, 'FAILED');
  assert.equal(solana, undefined);
  assert.equal(txError, 'instruction 2: custom program error 0x1');
  assert.equal(error.message, txError);
  const { source, transactionErrorJson, logs, unitsConsumed } = error.solana;
  assert.deepEqual([source, transactionErrorJson], ['simulation', '{"InstructionError":[2,{"Custom":1}]}']);
  assert.match(logs.join('\n'), /insufficient lamports/);
  assert.match(unitsConsumed, /^\d+$/);
  assert.deepEqual(await attemptsOf(sending, id), []);
});

const limited = ComputeBudgetProgram.setComputeUnitLimit({ units: 10_000 });

test('one with a budget of its own is tried out by the endpoint: FAILED with what that saw', async () => {
  const id = idOf(await root.submit(TYPE, sendOf([payer], transaction({ payer }, limited, transfer(payer, 10 ** 12)))));
  const { solana, error } = await until(root, id, 'FAILED');
  assert.equal(solana, undefined);
  const { source, rpcCode, rpcMessage, transactionErrorJson, logs, unitsConsumed } = error.solana;
  assert.deepEqual([source, rpcCode, unitsConsumed], ['preflight', -32002, '300']);
  assert.equal(transactionErrorJson, '{"InstructionError":[1,{"Custom":1}]}');
  assert.match(rpcMessage, /custom program error: 0x1/);
  assert.match(logs.join('\n'), /insufficient lamports/);
});

test('an account without money cannot pay: FAILED, and it is named', async () => {
  const [poor] = (await newAccounts(sending, root, 1, 0n)) as [PublicKey];
  for (const more of [[], [limited]]) {
    const unsigned = transaction({ payer: poor }, ...more, transfer(poor));
    const { txError } = await until(root, idOf(await root.submit(TYPE, sendOf([poor], unsigned))), 'FAILED');
    assert.equal(txError, `${poor.toBase58()} has too few coins for the fee: account not found`);
  }
});

/** A user who may do what the condition says. */
async function userWith(condition: string): Promise<Client> {
  const { client, userId } = await instance.newUser('Policy user');
  const policy = { policyName: `Policy ${userId}`, effect: 'EFFECT_ALLOW', condition, consensus: approvedBy(userId), notes: '' };
  resultOf(await root.submit('CREATE_POLICY_V3', policy), 'createPolicyResult');
  return client;
}

test('policies read the transaction that will be signed', async () => {
  const client = await userWith(
    `solana.tx.transfers.all(t, t.to == '${FRIEND.toBase58()}' && t.amount < 9000000) && solana.tx.program_keys.count() == 2 && solana.tx.recent_blockhash != '${NONE}' && solana.tx.account_keys[0] == '${payer.toBase58()}' && wallet_account.address == '${payer.toBase58()}'`,
  );
  const denied = [403, 'REQUEST_NOT_AUTHORIZED', /not authorized|permissions/] as const;
  await until(root, idOf(await client.submit(TYPE, sendOf([payer], transaction({ payer }, transfer(payer))))), 'INCLUDED');
  const most = transaction({ payer }, transfer(payer, 9_000_000));
  refused(await client.submit(TYPE, sendOf([payer], most)), [...denied]);
  // Every signer must be allowed.
  const both = transaction({ payer }, transfer(payer), transfer(second));
  refused(await client.submit(TYPE, sendOf([payer, second], both)), [...denied]);
  // What cannot be read allows nothing.
  refused(await client.submit(TYPE, sendOf([payer], '00')), [...denied]);
});

test('each of several signers is decided about by itself', async () => {
  const client = await userWith(`wallet_account.address in ['${payer.toBase58()}', '${second.toBase58()}']`);
  const both = transaction({ payer }, transfer(payer), transfer(second));
  await until(root, idOf(await client.submit(TYPE, sendOf([payer, second], both))), 'INCLUDED');
});

test('waits for the second root user, and is filled in when it is decided', async () => {
  const pair = await newPair(instance, 'Pair');
  const accounts = [solanaAccount(0)];
  const made = await agreed(pair, 'CREATE_WALLET', { walletName: 'Own', accounts });
  const [address] = made.body.activity.result.createWalletResult.addresses;
  node.airdrop(address, 1_000_000_000n);
  const own = new PublicKey(address);
  const parameters = sendOf([own], transaction({ payer: own }, transfer(own)));
  const { sendTransactionStatusId } = await waitsForBoth(pair, TYPE, parameters, 'solSendTransactionResultV2');
  await until(pair.clients[0], sendTransactionStatusId, 'INCLUDED');
});

test('without a node that answers, nothing is left, and the same body may come again', async () => {
  const body = root.bodyOf(TYPE, sendOf([payer], transaction({ payer }, transfer(payer))));
  const path = '/public/v1/submit/sol_send_transaction';
  await liar.listen(false);
  const answer = await root.send(path, body);
  assert.deepEqual(
    [answer.status, answer.body.message],
    [503, 'no RPC endpoint of solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1 answers now: send the same body again'],
  );
  await liar.listen(true);
  await until(root, idOf(await root.send(path, body)), 'INCLUDED');
});

test('bad parameters are named', () => {
  const good = sendOf([payer], transaction({ payer }, transfer(payer)));
  const own = payer.toBase58();
  return refusesEach(root, TYPE, [
    [{ ...good, signWiths: ['me'] }, 'parameters.signWiths[0]', /Solana address/],
    [{ ...good, signWiths: [own, own] }, 'parameters.signWiths[1]', /must not name .* twice/],
    [{ ...good, signWiths: [own, second.toBase58()] }, 'parameters.signWiths[1]', /must be a signer of the transaction/],
    [{ ...good, caip2: undefined }, 'parameters.caip2', /must be|is required/],
    [{ ...good, caip2: 'solana:testnet' }, 'parameters.caip2', /CAIP-2.*: this service cannot serve solana:testnet/],
    [{ ...good, caip2: 'eip155:1' }, 'parameters.caip2', /CAIP-2/],
    [{ ...good, sponsor: 'yes' }, 'parameters.sponsor', /must be/],
    [{ ...good, recentBlockhash: 'x' }, 'parameters.recentBlockhash', /must be a blockhash/],
    [{ ...good, recentBlockhash: '0'.repeat(40) }, 'parameters.recentBlockhash', /32 bytes in base58/],
    [{ ...good, recentBlockhash: NONE }, 'parameters.recentBlockhash', /all zeros/],
  ]);
});

test('signers that are missing or unknown, and transactions that are none', async () => {
  const [one] = (await newAccounts(sending, root, 1)) as [PublicKey];
  const both = transaction({ payer }, transfer(payer), transfer(one));
  const missing = new RegExp(`signWiths: must name every signer .* ${one.toBase58()} must also sign`);
  refused(await root.submit(TYPE, sendOf([payer], both)), [400, 'REQUEST_INVALID', missing]);
  const { signWiths, ...rest } = sendOf([payer], both);
  refused(await root.submit('SOL_SEND_TRANSACTION', { ...rest, signWith: signWiths[0] }), [
    400,
    'REQUEST_INVALID',
    /parameters\.signWith: .*Version 2 of this activity accepts several/,
  ]);
  const nobody = Keypair.generate().publicKey;
  const theirs = sendOf([nobody], transaction({ payer: nobody }, transfer(nobody)));
  refused(await root.submit(TYPE, theirs), [404, 'UNSPECIFIED', new RegExp(nobody.toBase58())]);
  const message = transaction({ payer }, transfer(payer)).slice(2 + 128);
  for (const [text, why] of [
    ['not a transaction!', /must be hex or base64/],
    [message, /only a message/],
    ['00', /failed to parse/],
  ] as const)
    refused(await root.submit(TYPE, sendOf([payer], text)), [400, 'INVALID_TRANSACTION', why]);
  const advance = SystemProgram.nonceAdvance({ noncePubkey: one, authorizedPubkey: payer });
  const noNonce = transaction({ payer }, advance, transfer(payer));
  refused(await root.submit(TYPE, sendOf([payer], noNonce)), [
    400,
    'REQUEST_INVALID',
    /recentBlockhash: must be the value of the durable/,
  ]);
});

test('the very same transaction may come again after it failed', async () => {
  const [poor] = (await newAccounts(sending, root, 1, 0n)) as [PublicKey];
  const same = sendOf([poor], transaction({ payer: poor, blockhash: hash() }, limited, transfer(poor)));
  await until(root, idOf(await root.submit(TYPE, same)), 'FAILED');
  node.airdrop(poor.toBase58(), 1_000_000_000n);
  await until(root, idOf(await root.submit(TYPE, same)), 'INCLUDED');
});

test('the very same transaction is sent once', async () => {
  const budget = ComputeBudgetProgram.setComputeUnitLimit({ units: 9_000 });
  const same = sendOf([payer], transaction({ payer, blockhash: hash() }, budget, transfer(payer)));
  const first = idOf(await root.submit(TYPE, same));
  await until(root, first, 'INCLUDED');
  const again = idOf(await root.submit(TYPE, same));
  const { txError } = await until(root, again, 'FAILED');
  assert.match(txError, new RegExp(`sent before, as ${first}`));
});

test('rent is not paid in advance unless the operator says how much: an organization that asked for it is told so', async () => {
  const tokens = new TransactionInstruction({
    programId: new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL'),
    keys: [{ pubkey: payer, isSigner: true, isWritable: true }],
    data: Buffer.of(1),
  });
  const unsigned = transaction({ payer }, tokens);
  const config = { orgWindowLimitUsd: '1', subOrgWindowLimitUsd: '1', windowDurationMinutes: '60' };
  const solanaConfig = { rentPrefundEnabled: true };
  resultOf(await root.submit('UPSERT_GAS_USAGE_CONFIG', { ...config, solanaConfig }), 'upsertGasUsageConfigResult');
  refused(await root.submit(TYPE, sendOf([payer], unsigned, { sponsor: true })), [
    400,
    'INVALID_TRANSACTION',
    /this service does not pay rent: the operator can set GAS_RENT_LAMPORTS/,
  ]);
});
