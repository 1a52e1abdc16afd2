/** An example of each row of docs/spending.md, "What counts", and of each attempt to move an asset unseen. */
import { PublicKey, SystemProgram, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { TronWeb, utils } from 'tronweb';
import { encodeFunctionData, parseAbi, serializeTransaction, type TransactionSerializable } from 'viem';
import { Transaction as TempoTransaction } from 'viem/tempo';
import { evmTransfers } from '../../src/chains/ethereum/read-transfers.ts';
import { transactionTransfers } from '../../src/chains/read-transfers.ts';
import { payloadTransfers } from '../../src/chains/shared/payload-transfers.ts';
import { ANY, type Asset, covers, type Reading } from '../../src/chains/shared/transfers.ts';
import { publicKeyOf } from '../../src/crypto/curves.ts';
import { TRANSFERS_BY_KIND } from '../../src/domain/transfers/kinds.ts';
import * as psbt from './bitcoin-psbts.ts';
import { messages, typedText, witnessTypes } from './transfers-typed.ts';

type Hex = `0x${string}`;

const KEY = Buffer.from('0123456789012345678901234567890123456789012345678901234567890123', 'hex');
export const publicKey = publicKeyOf('CURVE_SECP256K1', KEY);
export const signer = { curve: 'CURVE_SECP256K1', publicKey } as const;
/** The account of the key. */
export const ME = '0x14791697260e4c9a71f18484c9f997b308e59325';
export const USDC: Hex = `0x${'33'.repeat(20)}`;
export const YOU: Hex = `0x${'44'.repeat(20)}`;
const OTHER: Hex = `0x${'55'.repeat(20)}`;
const ZERO: Hex = `0x${'00'.repeat(20)}`;
const WORD: Hex = `0x${'07'.repeat(32)}`;

export const usdc: Asset = { namespace: 'eip155', chain: '8453', standard: 'erc20', token: USDC };
export const ether: Asset = { namespace: 'eip155', chain: '8453', standard: 'native', token: '' };

export const abi = parseAbi([
  'function transfer(address,uint256)',
  'function transferWithMemo(address,uint256,bytes32)',
  'function transferFrom(address,address,uint256)',
  'function transferFromWithMemo(address,address,uint256,bytes32)',
  'function approve(address,uint256)',
  'function increaseAllowance(address,uint256)',
  'function decreaseAllowance(address,uint256)',
  'function permit(address,address,uint256,uint256,uint8,bytes32,bytes32)',
  'function permit(address,address,uint256,uint256,bytes)',
  'function permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)',
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
  'function receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)',
  'function receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
  'function cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)',
  'function approve(address,address,uint160,uint48)',
  'function multicall(bytes[])',
  'function transferAndCall(address,uint256,bytes)',
]);
// biome-ignore lint/suspicious/noExplicitAny: viem's types of overloads.
export const call = (functionName: string, ...args: any[]): Hex => encodeFunctionData({ abi, functionName, args } as any);

const MAX = 2n ** 256n - 1n;

export const evm = (given: Partial<TransactionSerializable> & Record<string, unknown>): Reading => {
  const bytes = serializeTransaction({ type: 'eip1559', chainId: 8453, nonce: 1, to: USDC, ...given } as TransactionSerializable);
  return transactionTransfers('TRANSACTION_TYPE_ETHEREUM', Buffer.from(bytes.slice(2), 'hex'), signer);
};
const onToken = (...of: Parameters<typeof call>): Reading => evm({ data: call(...of) });
export const payload = (text: string, encoding = 'PAYLOAD_ENCODING_EIP712', curve = 'CURVE_SECP256K1'): Reading =>
  payloadTransfers({ payload: text, encoding, curve: curve as 'CURVE_SECP256K1', publicKey });
const typed = (name: keyof typeof messages): Reading => payload(typedText(messages[name]));
const authorization = (address: Hex, chainId = 8453) =>
  payload(JSON.stringify({ chainId, address, nonce: 1 }), 'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION');

/** The summary that the documents show, from the viewpoint of one asset. */
export function summaryOf({ transfers, unreadable }: Reading, asset: Asset): string {
  const kinds = transfers
    .filter((each) => covers(each.asset, asset))
    .map(({ kind, repeats }) => (repeats ? `unlimited ${kind}` : kind));
  const causes = unreadable.filter((each) => covers(each, asset)).map(({ cause }) => `not readable (${cause})`);
  return [...new Set([...kinds, ...causes])].join(', ') || 'nothing';
}

/** The document's name of what is signed, an asset, and readings that must all have the same summary. */
export type Row = readonly [name: string, asset: Asset, summary: string, ...readings: Reading[]];

const evmRows: Row[] = [
  ['the value of a transaction', ether, 'transfer', evm({ value: 5n, to: YOU }), evm({ value: 5n, data: '0x12345678' })],
  ['the value of a contract creation', ether, 'transfer', evm({ value: 5n, to: undefined, data: '0x6000' })],
  ['value or tokens to the account itself', ether, 'nothing', evm({ value: 5n, to: ME })],
  [
    'the native coin of a chain where it is a token too (Arc, Celo)',
    { ...usdc, chain: '5042', token: `0x36${'0'.repeat(38)}` },
    'transfer',
    evm({ chainId: 5042, to: YOU, value: 1n }),
    evm({ type: 'legacy', chainId: undefined, to: YOU, value: 1n }),
  ],
  [
    'the gas limit at the highest price, and blobs',
    ether,
    'fee',
    evm({ gas: 21_000n, maxFeePerGas: 2n }),
    evm({ type: 'legacy', gas: 9n, gasPrice: 2n }),
  ],
  ['`transfer`, `transferWithMemo`', usdc, 'transfer', onToken('transfer', YOU, 5n), onToken('transferWithMemo', YOU, 5n, WORD)],
  [
    '`transferFrom` of the signer',
    usdc,
    'transfer',
    onToken('transferFrom', ME, YOU, 5n),
    onToken('transferFromWithMemo', ME, YOU, 5n, WORD),
  ],
  ['`transferFrom` of another account', usdc, 'nothing', onToken('transferFrom', OTHER, YOU, 5n)],
  [
    '`approve`, `increaseAllowance`, `approve` of Permit2',
    usdc,
    'approval',
    onToken('approve', YOU, 5n),
    onToken('increaseAllowance', YOU, 5n),
    evm({ to: OTHER, data: call('approve', USDC, YOU, 5n, 9) }),
  ],
  [
    'the greatest allowance',
    usdc,
    'unlimited approval',
    onToken('approve', YOU, MAX),
    evm({ to: OTHER, data: call('approve', USDC, YOU, 2n ** 160n - 1n, 9) }),
  ],
  [
    '`approve` of zero, `decreaseAllowance`, `cancelAuthorization`',
    usdc,
    'nothing',
    onToken('approve', YOU, 0n),
    onToken('decreaseAllowance', YOU, 5n),
    onToken('cancelAuthorization', ME, WORD, 27, WORD, WORD),
  ],
  [
    '`permit` of the signer, as a call',
    usdc,
    'permit',
    onToken('permit', ME, YOU, 5n, 9n, 27, WORD, WORD),
    onToken('permit', ME, YOU, 5n, 9n, '0x11'),
  ],
  [
    '`transferWithAuthorization`, `receiveWithAuthorization` of the signer, as calls',
    usdc,
    'transfer',
    ...['transferWithAuthorization', 'receiveWithAuthorization'].flatMap((name) => [
      onToken(name, ME, YOU, 5n, 0n, 9n, WORD, 27, WORD, WORD),
      onToken(name, ME, YOU, 5n, 0n, 9n, WORD, '0x11'),
    ]),
  ],
  [
    'the same of another account',
    usdc,
    'nothing',
    onToken('permit', OTHER, YOU, 5n, 9n, 27, WORD, WORD),
    onToken('transferWithAuthorization', OTHER, YOU, 5n, 0n, 9n, WORD, '0x11'),
  ],
  [
    'another call of the token, `multicall` too, and arguments that no compiler writes',
    usdc,
    'not readable (call)',
    onToken('multicall', [call('transfer', YOU, 5n)]),
    onToken('transferAndCall', YOU, 5n, '0x'),
    evm({ data: '0xa9059cbb' }),
    evm({ data: `0xa9059cbb01${call('transfer', YOU, 5n).slice(12)}` as Hex }),
  ],
  ['another call of another contract', usdc, 'nothing', evm({ to: OTHER, data: call('multicall', [call('transfer', YOU, 5n)]) })],
  [
    'another call of a contract of the chain itself, such as a bridge',
    usdc,
    'not readable (call)',
    evm({ to: `0x42${'0'.repeat(36)}10`, data: '0x32b7006d' }),
    evm({ chainId: 8453, to: `0xdec0${'0'.repeat(36)}`, data: '0x12345678' }),
  ],
  ['a call of the account itself, with data', usdc, 'not readable (call)', evm({ to: ME, data: call('transfer', YOU, 5n) })],
  [
    'each call of a batch',
    usdc,
    'transfer',
    evmTransfers({
      chainId: 8453n,
      from: ME,
      fee: 0n,
      calls: [
        { to: YOU, value: 1n, data: '0x' },
        { to: USDC, value: 0n, data: call('transfer', YOU, 5n) },
      ],
    }),
  ],
  [
    'a transaction without a chain id: on every chain',
    usdc,
    'transfer',
    evm({ type: 'legacy', chainId: undefined, data: call('transfer', YOU, 5n) }),
  ],
  ['the same on another chain', { ...usdc, chain: '1' }, 'nothing', onToken('transfer', YOU, 5n)],
  [
    'an authorization (EIP-7702), also without a chain or in a transaction',
    usdc,
    'not readable (authorization)',
    authorization(YOU),
    authorization(YOU, 0),
    evm({
      type: 'eip7702',
      to: YOU,
      authorizationList: [{ address: YOU, chainId: 8453, nonce: 1, r: WORD, s: WORD, yParity: 0 }],
    }),
  ],
  ['an authorization for the zero address', usdc, 'nothing', authorization(ZERO)],
];

const typedRows: Row[] = [
  ['`Permit` (EIP-2612)', usdc, 'permit', typed('Permit')],
  ['`Permit` of DAI', usdc, 'unlimited permit', typed('DaiPermit')],
  [
    '`TransferWithAuthorization`, `ReceiveWithAuthorization` (EIP-3009, x402)',
    usdc,
    'permit',
    typed('TransferWithAuthorization'),
    typed('ReceiveWithAuthorization'),
  ],
  ['`CancelAuthorization`', usdc, 'nothing', typed('CancelAuthorization')],
  ['`PermitSingle`, `PermitBatch` of Permit2', usdc, 'permit', typed('PermitSingle'), typed('PermitBatch')],
  [
    '`PermitTransferFrom`, `PermitBatchTransferFrom`, and both with a witness',
    usdc,
    'permit',
    typed('PermitTransferFrom'),
    typed('PermitBatchTransferFrom'),
    typed('PermitWitnessTransferFrom'),
    typed('PermitBatchWitnessTransferFrom'),
  ],
  [
    'the same types without a chain or a contract',
    usdc,
    'not readable (typed-data)',
    ...['chainId', 'verifyingContract'].flatMap((left) =>
      Object.values(messages)
        .filter(({ primaryType }) => primaryType !== 'CancelAuthorization')
        .map((each) => payload(typedText(each, left))),
    ),
  ],
  [
    'the same names with other members',
    usdc,
    'not readable (typed-data)',
    payload(typedText({ ...messages.Permit, types: { Permit: messages.Permit.types.Permit!.slice(0, 4) } })),
    payload(
      typedText({
        ...messages.PermitWitnessTransferFrom,
        types: { ...witnessTypes, TokenPermissions: [...witnessTypes.TokenPermissions].reverse() },
      }),
    ),
  ],
  [
    'other typed data',
    usdc,
    'not readable (typed-data)',
    payload(typedText({ primaryType: 'Mail', types: { Mail: [{ name: 'text', type: 'string' }] }, message: { text: 'x' } })),
    payload('{'),
  ],
  [
    'other typed data for another chain',
    { ...usdc, chain: '1' },
    'nothing',
    payload(typedText({ primaryType: 'Mail', types: { Mail: [{ name: 'text', type: 'string' }] }, message: { text: 'x' } })),
  ],
  [
    'a digest or a message',
    usdc,
    'not readable (bytes)',
    payload('00'.repeat(32), 'PAYLOAD_ENCODING_HEXADECIMAL'),
    payload('hello', 'PAYLOAD_ENCODING_TEXT_UTF8'),
    payload('00', 'PAYLOAD_ENCODING_HEXADECIMAL', 'CURVE_P256'),
  ],
];

const keyOf = (n: number) => new PublicKey(Buffer.alloc(32, n));
export const HOLDER = keyOf(1);
const [FROM, TO, MINT, PROGRAM, PAYER] = [keyOf(2), keyOf(3), keyOf(4), keyOf(5), keyOf(6)];
const TOKENS = new PublicKey('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA');
const TOKENS_2022 = new PublicKey('TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb');
const ACCOUNTS = new PublicKey('ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL');
const MEMO = new PublicKey('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr');

export const sol: Asset = { namespace: 'solana', chain: ANY, standard: 'native', token: '' };
export const mint: Asset = { namespace: 'solana', chain: ANY, standard: 'token', token: MINT.toBase58() };

type Key = PublicKey | { readonly: PublicKey };
export const ask = (programId: PublicKey, data: readonly number[], ...keys: Key[]): TransactionInstruction =>
  new TransactionInstruction({
    programId,
    data: Buffer.from(data),
    keys: keys.map((key) => {
      const pubkey = key instanceof PublicKey ? key : key.readonly;
      return { pubkey, isSigner: pubkey.equals(HOLDER), isWritable: key instanceof PublicKey };
    }),
  });

/** `payer`: HOLDER pays only if it is given. */
export function solana(instructions: readonly TransactionInstruction[], payer = PAYER): Reading {
  const message = new TransactionMessage({ payerKey: payer, recentBlockhash: TO.toBase58(), instructions: [...instructions] });
  const bytes = new VersionedTransaction(message.compileToV0Message()).serialize();
  return transactionTransfers('TRANSACTION_TYPE_SOLANA', bytes, { curve: 'CURVE_ED25519', publicKey: HOLDER.toBytes() });
}
const one = (...of: Parameters<typeof ask>) => solana([ask(...of)]);
export const u64 = (n: bigint): number[] => Array.from({ length: 8 }, (_, i) => Number((n >> BigInt(8 * i)) & 255n));
const FIVE = u64(5n);
const system = SystemProgram.programId;

const solanaRows: Row[] = [
  [
    'transfers of the System program, new accounts, withdrawals from nonce accounts',
    sol,
    'transfer',
    solana([SystemProgram.transfer({ fromPubkey: HOLDER, toPubkey: TO, lamports: 5 })]),
    solana([
      SystemProgram.transfer({ fromPubkey: FROM, basePubkey: HOLDER, toPubkey: TO, lamports: 5, seed: 's', programId: PROGRAM }),
    ]),
    solana([
      SystemProgram.createAccount({ fromPubkey: HOLDER, newAccountPubkey: TO, lamports: 5, space: 0, programId: PROGRAM }),
    ]),
    solana([SystemProgram.nonceWithdraw({ noncePubkey: FROM, authorizedPubkey: HOLDER, toPubkey: TO, lamports: 5 })]),
  ],
  [
    'lamports to the signer itself, or from others; a nonce that advances',
    sol,
    'nothing',
    solana([SystemProgram.transfer({ fromPubkey: HOLDER, toPubkey: HOLDER, lamports: 5 })]),
    solana([SystemProgram.transfer({ fromPubkey: PAYER, toPubkey: HOLDER, lamports: 5 }), ask(MEMO, [1], { readonly: HOLDER })]),
    solana([SystemProgram.nonceAdvance({ noncePubkey: FROM, authorizedPubkey: HOLDER })]),
  ],
  [
    'other instructions of the System program',
    sol,
    'not readable (program)',
    solana([SystemProgram.assign({ accountPubkey: HOLDER, programId: PROGRAM })]),
    solana([SystemProgram.nonceAuthorize({ noncePubkey: FROM, authorizedPubkey: HOLDER, newAuthorizedPubkey: TO })]),
  ],
  ['the fee of the payer, with the priority fee', sol, 'fee', solana([], HOLDER)],
  [
    'the rent of a new account of the Token program',
    sol,
    'transfer',
    one(ACCOUNTS, [], HOLDER, TO, FROM, MINT, system, TOKENS),
    one(ACCOUNTS, [1], HOLDER, TO, FROM, MINT, system, TOKENS),
  ],
  [
    'the rent of a new account of Token-2022',
    sol,
    'not readable (amount)',
    one(ACCOUNTS, [1], HOLDER, TO, FROM, MINT, system, TOKENS_2022),
  ],
  [
    '`TransferChecked`, also with a fee, and `Burn`',
    mint,
    'transfer',
    one(TOKENS, [12, ...FIVE, 6], FROM, MINT, TO, HOLDER),
    one(TOKENS_2022, [26, 1, ...FIVE, 6, ...FIVE], FROM, MINT, TO, HOLDER),
    one(TOKENS, [8, ...FIVE], FROM, MINT, HOLDER),
    one(TOKENS, [12, ...FIVE, 6], FROM, MINT, TO, PROGRAM, HOLDER),
  ],
  ['`ApproveChecked`', mint, 'approval', one(TOKENS, [13, ...FIVE, 6], FROM, MINT, TO, HOLDER)],
  [
    'a plain `Transfer` or `Approve`, which names no mint',
    mint,
    'not readable (mint)',
    one(TOKENS, [3, ...FIVE], FROM, TO, HOLDER),
    one(TOKENS_2022, [4, ...FIVE], FROM, TO, HOLDER),
  ],
  [
    '`Revoke`, and a token account that closes to the signer',
    mint,
    'nothing',
    one(TOKENS, [5], FROM, HOLDER),
    one(TOKENS, [9], FROM, HOLDER, HOLDER),
  ],
  [
    'other instructions of the token programs',
    mint,
    'not readable (program)',
    one(TOKENS, [6, 2, 1, ...Buffer.alloc(32, 9)], FROM, HOLDER),
    one(TOKENS, [9], FROM, TO, HOLDER),
    one(TOKENS, [255, 1], FROM, HOLDER),
    one(TOKENS_2022, [37, 0], FROM, HOLDER),
  ],
  [
    'an unknown program that gets the account of the signer',
    mint,
    'not readable (program)',
    one(PROGRAM, [1], HOLDER),
    one(PROGRAM, [1], { readonly: HOLDER }),
  ],
  ['the same, if it may not write to the account: coins', sol, 'nothing', solana([ask(FROM, [1], { readonly: HOLDER })])],
  [
    'an unknown program without the account of the signer',
    mint,
    'nothing',
    solana([ask(FROM, [1], TO), ask(MEMO, [1], { readonly: HOLDER })]),
  ],
  ['a message to sign', sol, 'not readable (bytes)', payload('00', 'PAYLOAD_ENCODING_HEXADECIMAL', 'CURVE_ED25519')],
];

const bitcoin: Asset = { namespace: 'bip122', chain: '000000000019d6689c085ae165831e93', standard: 'native', token: '' };
const { build, bytesOf, mine, other, payment, spendables } = psbt;
type Input = psbt.InputSpec;
const spend = (inputs: Input[], scripts: Uint8Array[], kind = 'P2WPKH', siblings: Buffer[] = []) => {
  const outputs = scripts.map((script) => ({ script, value: 90n }));
  const bytes = bytesOf(build({ inputs, outputs }));
  return transactionTransfers('TRANSACTION_TYPE_BITCOIN', bytes, psbt.signer(mine, kind), siblings);
};
const own = (name: Input['name'] = 'p2wpkh', utxo: Input['utxo'] = 'both'): Input => ({ name, of: mine, value: 100n, utxo });

const bitcoinRows: Row[] = [
  [
    'outputs to others, and the fee',
    bitcoin,
    'transfer, fee',
    spend([own()], [payment.script]),
    spend([own('p2pkh')], [payment.script], 'P2PKH'),
    spend([own('p2tr', 'claim')], [payment.script], 'P2TR'),
  ],
  [
    'outputs to the addresses of the key, or of its wallet: only the fee',
    bitcoin,
    'fee',
    ...(['p2pkh', 'p2wpkh', 'p2wshKey', 'p2tr'] as const).map((name) => spend([own()], [spendables[name](mine).output])),
    spend([own()], [spendables.p2wpkh(other).output], 'P2WPKH', [other.publicKey]),
  ],
  [
    'inputs of the signer beside those of others, in full',
    bitcoin,
    'transfer',
    spend([own(), { ...own(), of: other }], [payment.script, spendables.p2wpkh(mine).output]),
  ],
  ['amounts that are not proven', bitcoin, 'not readable (amount)', spend([own('p2wpkh', 'claim')], [payment.script])],
];

const base58 = (hex: string): string => TronWeb.address.fromHex(hex);
const A = '41'.padEnd(42, '1');
const B = '41'.padEnd(42, '2');
const trx: Asset = { namespace: 'tron', chain: '0x2b6653dc', standard: 'native', token: '' };
const usdt: Asset = { ...trx, standard: 'trc20', token: base58(`41${'ce'.repeat(20)}`) };

export function tron(type: string, value: object, fee_limit = 0): Reading {
  const contract = [
    { type, parameter: { value: { owner_address: A, ...value }, type_url: `type.googleapis.com/protocol.${type}` } },
  ];
  const raw = { contract, fee_limit, ref_block_bytes: '0000', ref_block_hash: '00'.repeat(8), expiration: 9, timestamp: 9 };
  const pb = utils.transaction.txJsonToPb({ visible: false, raw_data: raw });
  return transactionTransfers('TRANSACTION_TYPE_TRON', Buffer.from(utils.transaction.txPbToRawDataHex(pb), 'hex'), signer);
}
const trigger = (data: string, more = {}) =>
  tron('TriggerSmartContract', { contract_address: `41${'ce'.repeat(20)}`, data, ...more });

const tronRows: Row[] = [
  [
    '`TransferContract`, the TRX of a call',
    trx,
    'transfer',
    tron('TransferContract', { to_address: B, amount: 5 }),
    trigger('', { call_value: 5 }),
  ],
  ['the limit of the fee for energy', trx, 'fee', tron('TriggerSmartContract', { contract_address: B }, 7)],
  [
    'calls of TRC-20 as those of EVM tokens',
    usdt,
    'transfer',
    trigger(call('transfer', YOU, 5n).slice(2)),
    trigger(call('transferFrom', `0x${A.slice(2)}`, YOU, 5n).slice(2)),
  ],
  ['approvals of TRC-20', usdt, 'approval', trigger(call('approve', YOU, 5n).slice(2))],
  ['another call of the token', usdt, 'not readable (call)', trigger('12345678')],
  [
    'other types of contracts, permissions of the account too',
    trx,
    'not readable (call)',
    tron('FreezeBalanceV2Contract', { frozen_balance: 5, resource: 'ENERGY' }),
    tron('AccountPermissionUpdateContract', {
      owner: { type: 0, permission_name: 'owner', threshold: 1, keys: [{ address: B, weight: 1 }] },
      actives: [],
    }),
  ],
  [
    'typed data with the chain id of Tron',
    { ...usdt, token: base58(`41${'33'.repeat(20)}`) },
    'permit',
    payload(typedText({ ...messages.Permit, domain: { chainId: 728126428 } })),
  ],
];

const tempo = async (given: object): Promise<Reading> => {
  const bytes = await TempoTransaction.serialize({ type: 'tempo', chainId: 4217, nonce: 1, ...given } as never);
  return transactionTransfers('TRANSACTION_TYPE_TEMPO', Buffer.from(bytes.slice(2), 'hex'), signer);
};
const stable: Asset = { ...usdc, chain: '4217' };
const calls = [{ to: YOU }, { to: USDC, data: call('transferWithMemo', YOU, 5n, WORD) }];
const fees = { gas: 10n ** 6n, maxFeePerGas: 10n ** 9n };

const tempoRows: Row[] = [
  ['each call of a transaction of Tempo', stable, 'transfer', await tempo({ calls })],
  [
    'the fee, in the token that the transaction names',
    stable,
    'fee',
    await tempo({ ...fees, feeToken: USDC, calls: [{ to: YOU }] }),
  ],
  [
    'the fee of a transaction that names no token',
    stable,
    'not readable (fee)',
    await tempo({ ...fees, calls: [{ to: YOU }] }),
    evm({ chainId: 4217, to: YOU, ...fees }),
  ],
  ['the fee that a fee payer pays', stable, 'nothing', await tempo({ ...fees, feePayer: true, calls: [{ to: YOU }] })],
];

const { SPARK_SIGN_FROST, SPARK_PREPARE_TRANSFER, SPARK_CLAIM_TRANSFER, SPARK_PREPARE_LIGHTNING_RECEIVE } = TRANSFERS_BY_KIND;

const sparkRows: Row[] = [
  [
    'shares of signatures, and transfers of leaves',
    bitcoin,
    'not readable (amount)',
    SPARK_SIGN_FROST(),
    SPARK_PREPARE_TRANSFER(),
  ],
  ['claims, and invoices', bitcoin, 'nothing', SPARK_CLAIM_TRANSFER(), SPARK_PREPARE_LIGHTNING_RECEIVE()],
];

/** By the heading in the document. */
export const rows: Readonly<Record<string, readonly Row[]>> = {
  'EVM chains': evmRows,
  'Typed data and raw payloads': typedRows,
  Solana: solanaRows,
  Bitcoin: bitcoinRows,
  Tron: tronRows,
  Tempo: tempoRows,
  Spark: sparkRows,
};
