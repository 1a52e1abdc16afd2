import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import {
  AddressLookupTableAccount,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { address as addresses, type Network, networks, Psbt, Transaction as RawTransaction } from 'bitcoinjs-lib';
import {
  encodeFunctionData,
  parseAbi,
  recoverTransactionAddress,
  serializeTransaction,
  type TransactionSerializable,
} from 'viem';
import { approvedBy, newPolicy } from '../../e2e/authority.ts';
import { type Client, ethereumAccount, resultOf } from '../../support/client.ts';
import { sharedInstance } from '../../support/instance.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { refusedToNobody } from '../support.ts';

const instance = await sharedInstance();
let address: `0x${string}`;
let solana: string;
let keyId: string;

const { toBech32, toOutputScript } = addresses;
const TYPE = 'SIGN_TRANSACTION_V2';
const KEY = 'signTransactionResult';
const ETHEREUM = 'TRANSACTION_TYPE_ETHEREUM';
const TOKEN = '0x00000000000000000000000000000000000000bb';
const FRIEND = '0x00000000000000000000000000000000000000aa';
const abi = parseAbi(['function transfer(address to, uint256 value)', 'function burn(uint256 value)']);

before(async () => {
  const ed25519 = { ...ethereumAccount(), curve: 'CURVE_ED25519', addressFormat: 'ADDRESS_FORMAT_SOLANA' };
  const accounts = [ethereumAccount(), ed25519];
  const wallet = await instance.root.submit('CREATE_WALLET', { walletName: 'Main', accounts });
  [address, solana] = resultOf(wallet, 'createWalletResult').addresses;
  const privateKeys = [{ privateKeyName: 'Key', curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }];
  const made = await instance.root.submit('CREATE_PRIVATE_KEYS_V2', { privateKeys });
  keyId = resultOf(made, 'createPrivateKeysResultV2').privateKeys[0].privateKeyId;
});

const ethereum = (more: Partial<TransactionSerializable> = {}, signWith: string = address) => ({
  signWith,
  type: ETHEREUM,
  unsignedTransaction: serializeTransaction({ type: 'eip1559', chainId: 1, to: FRIEND, gas: 21_000n, ...more } as never),
});
const transfer = (to: string, value: bigint, more: object = {}) =>
  ethereum({
    to: TOKEN,
    data: encodeFunctionData({ abi, functionName: 'transfer', args: [to as `0x${string}`, value] }),
    ...more,
  });

const signerOf = async (signed: string) => recoverTransactionAddress({ serializedTransaction: `0x${signed}` as `0x02${string}` });
const sign = async (client: Client, parameters: unknown) =>
  resultOf(await client.submit(TYPE, parameters), KEY).signedTransaction;

test('by address and by private key id, in both versions; hex comes back without 0x', async () => {
  assert.equal(await signerOf(await sign(instance.root, ethereum())), address);
  const { signWith: _, ...rest } = ethereum();
  const old = resultOf(await instance.root.submit('SIGN_TRANSACTION', { privateKeyId: keyId, ...rest }), KEY);
  assert.deepEqual(Object.keys(old), ['signedTransaction']);
  assert.notEqual(await signerOf(old.signedTransaction), address);
  assert.equal(await sign(instance.root, ethereum({}, keyId)), old.signedTransaction);
});

test('a key whose address signs otherwise than the chain does is refused', async () => {
  const accounts = ['ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR', 'ADDRESS_FORMAT_SPARK_MAINNET'].map((addressFormat) => ({
    ...ethereumAccount(9),
    addressFormat,
  }));
  const made = await instance.root.submit('CREATE_WALLET', { walletName: 'Schnorr', accounts });
  const authorization = {
    payload: JSON.stringify({ chainId: 1, address: FRIEND, nonce: 0 }),
    encoding: 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
    hashFunction: 'HASH_FUNCTION_NO_OP',
  };
  for (const signWith of resultOf(made, 'createWalletResult').addresses) {
    const transaction = await instance.root.submit(TYPE, ethereum({}, signWith));
    refused(transaction, [400, 'INVALID_TRANSACTION', /cannot be signed with the signature scheme of ADDRESS_FORMAT_/]);
    refused(await instance.root.submit('SIGN_RAW_PAYLOAD_V2', { ...authorization, signWith }), [
      400,
      'REQUEST_INVALID',
      /is for ECDSA/,
    ]);
  }
});

/** A user who may do what the policies allow. */
async function userWith(...conditions: string[]): Promise<Client> {
  const { client, userId } = await instance.newUser('Policy user');
  for (const condition of conditions)
    resultOf(
      await instance.root.submit('CREATE_POLICY_V3', {
        policyName: `Policy ${condition.slice(0, 40)} ${userId}`,
        effect: 'EFFECT_ALLOW',
        condition,
        consensus: approvedBy(userId),
        notes: '',
      }),
      'createPolicyResult',
    );
  return client;
}

async function denied(client: Client, parameters: unknown): Promise<void> {
  refused(await client.submit(TYPE, parameters), [403, 'REQUEST_NOT_AUTHORIZED', /not authorized/]);
}

test('policies read the transaction that is signed', async () => {
  const client = await userWith(
    `activity.params.type == '${ETHEREUM}' && eth.tx.to == '${FRIEND.toUpperCase().replace('0X', '0x')}' && eth.tx.value <= 100 && eth.tx.chain_id == '1'`,
  );
  assert.equal(await signerOf(await sign(client, ethereum({ value: 100n }))), address);
  await denied(client, ethereum({ value: 101n }));
  await denied(client, ethereum({ value: 1n, chainId: 2 }));
  await denied(client, ethereum({ to: TOKEN }));
  await denied(client, ethereum({ to: null }));
});

test('a Bitcoin output is the same under every name of the key: no other network spells past a DENY', async () => {
  const accounts = ['MAINNET', 'TESTNET'].map((network) => ({
    ...ethereumAccount(3),
    addressFormat: `ADDRESS_FORMAT_BITCOIN_${network}_P2WPKH`,
  }));
  const made = await instance.root.submit('CREATE_WALLET', { walletName: 'Bitcoin', accounts });
  const names: string[] = resultOf(made, 'createWalletResult').addresses;
  const bad = toBech32(Buffer.alloc(20, 0xbd), 0, networks.regtest.bech32);
  const script = toOutputScript(names[0]!, networks.bitcoin);
  const paying = (to: string, network: Network) => {
    const psbt = new Psbt({ network }).addInput({ hash: '11'.repeat(32), index: 0, witnessUtxo: { script, value: 1000n } });
    return psbt.addOutput({ address: to, value: 900n }).toHex();
  };
  const { client, userId } = await instance.newUser('Bitcoin');
  const own = approvedBy(userId);
  await newPolicy(instance.root, { condition: "activity.kind == 'SIGN_TRANSACTION'", consensus: own });
  const condition = `bitcoin.tx.outputs.any(o, o.address == '${toBech32(Buffer.alloc(20, 0xbd), 0, networks.bitcoin.bech32)}')`;
  await newPolicy(instance.root, { effect: 'EFFECT_DENY', condition, consensus: own });
  for (const signWith of names) {
    const sent = (unsignedTransaction: string) => ({ signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_BITCOIN' });
    await denied(client, sent(paying(bad, networks.regtest)));
    await sign(client, sent(paying(names[0]!, networks.bitcoin)));
  }
});

test('a policy that asks for proven amounts lets no two requests pay a fee that neither showed', async () => {
  const account = { ...ethereumAccount(4), addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2WPKH' };
  const made = await instance.root.submit('CREATE_WALLET', { walletName: 'Fees', accounts: [account] });
  const [signWith] = resultOf(made, 'createWalletResult').addresses;
  const script = toOutputScript(signWith, networks.bitcoin);
  const previous = new RawTransaction();
  previous.addInput(Buffer.alloc(32, 1), 0);
  for (const value of [100_000n, 100_000n]) previous.addOutput(script, value);
  const worth = (claims: bigint[], nonWitnessUtxo?: Uint8Array) => {
    const psbt = new Psbt().addOutput({ script, value: 119_000n });
    for (const [index, value] of claims.entries())
      psbt.addInput({
        hash: previous.getHash(),
        index,
        witnessUtxo: { script, value },
        ...(nonWitnessUtxo && { nonWitnessUtxo }),
      });
    return { signWith, unsignedTransaction: psbt.toHex(), type: 'TRANSACTION_TYPE_BITCOIN' };
  };
  const lies = [
    [100_000n, 20_000n],
    [20_000n, 100_000n],
  ];
  const naive = await userWith(`wallet_account.address == '${signWith}' && bitcoin.tx.fee <= 1000`);
  for (const claims of lies) await sign(naive, worth(claims));

  const client = await userWith(
    `wallet_account.address == '${signWith}' && bitcoin.tx.inputs.all(i, i.amount_proven) && bitcoin.tx.fee <= 90000`,
  );
  for (const claims of lies) {
    await denied(client, worth(claims));
    await denied(client, worth(claims, previous.toBuffer()));
  }
  await denied(client, worth([100_000n, 100_000n]));
  await sign(client, worth([100_000n, 100_000n], previous.toBuffer()));
  refused(await instance.root.submit(TYPE, worth(lies[0]!, previous.toBuffer())), [
    400,
    'INVALID_TRANSACTION',
    /non_witness_utxo and witness_utxo of input 1 differ: the amounts are not the same/,
  ]);
});

test('calls are decoded by the interface of the contract, which the organization stored', async () => {
  const client = await userWith(
    `wallet_account.address == '${address}' && eth.tx.to == '${TOKEN}' && eth.tx.function_name == 'transfer' && eth.tx.contract_call_args['to'] == '${FRIEND}' && eth.tx.contract_call_args['value'] <= 1000`,
  );
  await denied(client, transfer(FRIEND, 1000n));
  const stored = await instance.root.submit('CREATE_SMART_CONTRACT_INTERFACE', {
    smartContractAddress: `0x${TOKEN.slice(2).toUpperCase()}`,
    smartContractInterface: JSON.stringify(abi),
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: 'Token',
  });
  const { smartContractInterfaceId } = resultOf(stored, 'createSmartContractInterfaceResult');
  assert.equal(await signerOf(await sign(client, transfer(FRIEND, 1000n))), address);
  await denied(client, transfer(FRIEND, 1001n));
  await denied(client, transfer(TOKEN, 1000n));
  await denied(client, ethereum({ to: TOKEN, data: encodeFunctionData({ abi, functionName: 'burn', args: [1n] }) }));

  const simulated = await instance.root.query('simulate_activity', {
    type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
    parameters: transfer(FRIEND, 7n),
  });
  assert.equal(simulated.status, 200, simulated.text);

  // A second interface that swaps the names has no effect until the first is deleted.
  const swapped = JSON.parse(JSON.stringify(abi)) as { inputs: { name: string }[] }[];
  for (const { inputs } of swapped) for (const input of inputs) input.name = input.name === 'to' ? 'from' : input.name;
  const second = await instance.root.submit('CREATE_SMART_CONTRACT_INTERFACE', {
    smartContractAddress: TOKEN,
    smartContractInterface: JSON.stringify(swapped),
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: 'Token, otherwise',
  });
  const { smartContractInterfaceId: secondId } = resultOf(second, 'createSmartContractInterfaceResult');
  assert.equal(await signerOf(await sign(client, transfer(FRIEND, 1000n))), address);
  for (const id of [smartContractInterfaceId, secondId]) {
    const gone = await instance.root.submit('DELETE_SMART_CONTRACT_INTERFACE', { smartContractInterfaceId: id });
    resultOf(gone, 'deleteSmartContractInterfaceResult');
    await denied(client, transfer(FRIEND, 1000n));
  }
});

test('a DENY by the name of a function holds for data that no compiler would write', async () => {
  const stored = await instance.root.submit('CREATE_SMART_CONTRACT_INTERFACE', {
    smartContractAddress: TOKEN,
    smartContractInterface: JSON.stringify(abi),
    type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    label: 'Token again',
  });
  resultOf(stored, 'createSmartContractInterfaceResult');
  const client = await userWith(`eth.tx.to == '${TOKEN}'`);
  const deny = resultOf(
    await instance.root.submit('CREATE_POLICY_V3', {
      policyName: 'No large transfer',
      effect: 'EFFECT_DENY',
      condition: `eth.tx.to == '${TOKEN}' && eth.tx.function_name == 'transfer' && eth.tx.contract_call_args['value'] > 10`,
      notes: '',
    }),
    'createPolicyResult',
  );
  await sign(client, transfer(FRIEND, 10n));
  await denied(client, transfer(FRIEND, 11n));
  const data = encodeFunctionData({ abi, functionName: 'transfer', args: [FRIEND, 10n] });
  // Dirty upper bytes of the address: contracts of old compilers ignore them.
  await denied(client, ethereum({ to: TOKEN, data: `${data.slice(0, 10)}ff${data.slice(12)}` as `0x${string}` }));
  resultOf(await instance.root.submit('DELETE_POLICY', deny), 'deletePolicyResult');
});

test('Solana transfers, and an instruction that an IDL describes', async () => {
  const from = new PublicKey(solana);
  const to = PublicKey.unique();
  const unsigned = (lamports: number) => {
    const transaction = new Transaction({ recentBlockhash: PublicKey.unique().toBase58(), feePayer: from });
    transaction.add(SystemProgram.transfer({ fromPubkey: from, toPubkey: to, lamports }));
    const bytes = transaction.serialize({ requireAllSignatures: false, verifySignatures: false });
    return { signWith: solana, type: 'TRANSACTION_TYPE_SOLANA', unsignedTransaction: bytes.toString('hex') };
  };
  const client = await userWith(
    `solana.tx.instructions.count() == 1 && solana.tx.transfers.all(t, t.to == '${to.toBase58()}' && t.amount < 1000)`,
  );
  const signed = Transaction.from(Buffer.from(await sign(client, unsigned(999)), 'hex'));
  assert.ok(signed.verifySignatures());
  await denied(client, unsigned(1000));

  const program = PublicKey.unique();
  const idl = {
    instructions: [
      { name: 'withdraw', accounts: [{ name: 'owner', signer: true, writable: true }], args: [{ name: 'amount', type: 'u64' }] },
    ],
    types: [],
  };
  const stored = await instance.root.submit('CREATE_SMART_CONTRACT_INTERFACE', {
    smartContractAddress: program.toBase58(),
    smartContractInterface: JSON.stringify(idl),
    type: 'SMART_CONTRACT_INTERFACE_TYPE_SOLANA',
    label: 'Vault',
  });
  resultOf(stored, 'createSmartContractInterfaceResult');
  const withdrawer = await userWith(
    `solana.tx.instructions.all(i, i.program_key == '${program.toBase58()}' && i.parsed_instruction_data.instruction_name == 'withdraw' && i.parsed_instruction_data.program_call_args['amount'] <= 5)`,
  );
  const withdraw = (amount: number) => {
    const transaction = new Transaction({ recentBlockhash: PublicKey.unique().toBase58(), feePayer: from });
    const keys = [{ pubkey: from, isSigner: true, isWritable: true }];
    // sha256("global:withdraw") begins with b712469c946da122.
    const data = Buffer.concat([Buffer.from('b712469c946da122', 'hex'), Buffer.of(amount, 0, 0, 0, 0, 0, 0, 0)]);
    transaction.add({ programId: program, keys, data });
    const bytes = transaction.serialize({ requireAllSignatures: false, verifySignatures: false });
    return { signWith: solana, type: 'TRANSACTION_TYPE_SOLANA', unsignedTransaction: bytes.toString('hex') };
  };
  assert.ok(Transaction.from(Buffer.from(await sign(withdrawer, withdraw(5)), 'hex')).verifySignatures());
  await denied(withdrawer, withdraw(6));
});

test('a Solana transaction’s plainer names, and what it loads through lookup tables', async () => {
  const from = new PublicKey(solana);
  const program = PublicKey.unique();
  const table = PublicKey.unique();
  const addresses = Array.from({ length: 4 }, () => PublicKey.unique());
  const lookup = new AddressLookupTableAccount({
    key: table,
    state: { deactivationSlot: 2n ** 64n - 1n, lastExtendedSlot: 0, lastExtendedSlotStartIndex: 0, addresses },
  });
  /** A call with entries of the table: those in `writable` may be written. */
  const calling = (entries: number[], writable: number[] = []) => {
    const loaded = entries.map((index) => ({
      pubkey: addresses[index]!,
      isSigner: false,
      isWritable: writable.includes(index),
    }));
    const keys = [{ pubkey: from, isSigner: true, isWritable: true }, ...loaded];
    const instructions = [{ programId: program, keys, data: Buffer.of(1) }];
    const recentBlockhash = PublicKey.unique().toBase58();
    const message = new TransactionMessage({ payerKey: from, recentBlockhash, instructions }).compileToV0Message([lookup]);
    const unsignedTransaction = Buffer.from(new VersionedTransaction(message).serialize()).toString('hex');
    return { signWith: solana, type: 'TRANSACTION_TYPE_SOLANA', unsignedTransaction };
  };
  const names = `solana.tx.static_account_keys[0] == '${solana}' && solana.tx.top_level_program_keys.all(p, p == '${program.toBase58()}') && solana.tx.top_level_instructions.count() == 1`;
  const key = `address_table_key == '${table.toBase58()}'`;
  const reads = await userWith(
    `${names} && solana.tx.address_table_lookup_references.all(r, r.${key} && r.index < 3 && (r.index == 1 || !r.writable))`,
  );
  await sign(reads, calling([0, 1, 2], [1]));
  await denied(reads, calling([0, 1, 2], [0]));
  await denied(reads, calling([3]));
  const one = await userWith(
    `solana.tx.instructions.all(i, i.address_table_lookups.all(l, l.${key} && l.index == 2 && !l.writable))`,
  );
  await sign(one, calling([2]));
  await denied(one, calling([2], [2]));
  // Two entries of a table are one lookup, which has no one index.
  await denied(one, calling([1, 2]));
  const each = await userWith('solana.tx.instructions.all(i, i.address_table_lookup_references.all(r, !r.writable))');
  await sign(each, calling([0, 1, 2, 3]));
  await newPolicy(instance.root, {
    effect: 'EFFECT_DENY',
    condition: 'solana.tx.instructions.any(i, i.address_table_lookups.any(l, l.index == 0))',
  });
  await denied(each, calling([0]));
  // It fails, so it denies.
  await denied(each, calling([1, 2]));
  await sign(each, calling([1]));
});

test('addresses and names in any case, where a policy asks for it', async () => {
  const client = await userWith(
    `activity.kind == CaseInsensitiveString('sign_transaction') && CaseInsensitiveString(wallet_account.address) == '${address.toUpperCase()}' && eth.tx.to == CaseInsensitiveString('${TOKEN.toUpperCase()}')`,
  );
  await sign(client, transfer(FRIEND, 1n));
  await denied(client, ethereum());
  const effect = 'EFFECT_DENY';
  const swapped = solana.replace(/[a-z]/gi, (c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase()));
  const signer = await userWith("activity.action == 'SIGN'");
  const message = { payload: 'ab', encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NOT_APPLICABLE' };
  const signed = () => signer.submit('SIGN_RAW_PAYLOAD_V2', { ...message, signWith: solana });
  await newPolicy(instance.root, { effect, condition: `wallet_account.address == '${swapped}'` });
  resultOf(await signed(), 'signRawPayloadResult');
  await newPolicy(instance.root, { effect, condition: `wallet_account.address == CaseInsensitiveString('${swapped}')` });
  refused(await signed(), [403, 'REQUEST_NOT_AUTHORIZED', /not authorized/]);
  await sign(signer, ethereum());
});

test('a transaction that cannot be read is refused, and no policy about it allows it', async () => {
  const bad = { ...ethereum(), unsignedTransaction: '02c0' };
  const unreadable = [400, 'INVALID_TRANSACTION', /^failed to parse transaction: /] as [number, string, RegExp];
  refused(await instance.root.submit(TYPE, bad), unreadable, 'parameters.unsignedTransaction');
  refused(await instance.root.submit(TYPE, { ...ethereum(), unsignedTransaction: '0x0' }), unreadable);
  refused(await instance.root.submit(TYPE, ethereum({}, solana)), [400, 'INVALID_TRANSACTION', /CURVE_SECP256K1/]);
  const signed = await sign(instance.root, ethereum());
  refused(await instance.root.submit(TYPE, { ...ethereum(), unsignedTransaction: signed }), [
    400,
    'INVALID_TRANSACTION',
    /already signed/,
  ]);
  await denied(await userWith(`eth.tx.value >= 0 || eth.tx.chain_id != 77`), bad);
  // A policy that reads nothing of the transaction allows it, so the refusal is that of the transaction.
  const client = await userWith(`activity.type == 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' && wallet_account.address == '${address}'`);
  refused(await client.submit(TYPE, bad), unreadable);
});

test('bad parameters are named, and users without permission refused', async () => {
  await refusesEach(instance.root, TYPE, [
    [
      { ...ethereum(), type: 'TRANSACTION_TYPE_DOGE' },
      'parameters.type',
      /unsupported transaction type/,
      'UNSUPPORTED_TRANSACTION_TYPE',
    ],
  ]);
  refused(await instance.root.submit(TYPE, ethereum({}, TOKEN)), [404, 'UNSPECIFIED', /signer not found/]);
  await refusedToNobody(instance, TYPE, ethereum());
});
