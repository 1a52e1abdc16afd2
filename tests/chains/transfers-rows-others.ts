/** The rows of docs/spending.md of chains besides EVM chains. */
import { PublicKey, SystemProgram, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { TronWeb, utils } from 'tronweb';
import { Transaction as TempoTransaction } from 'viem/tempo';
import { transactionTransfers } from '../../src/chains/read-transfers.ts';
import { ANY, type Asset, type Reading } from '../../src/chains/shared/transfers.ts';
import { TRANSFERS_BY_KIND } from '../../src/domain/transfers/kinds.ts';
import * as psbt from './bitcoin-psbts.ts';
import { call, evm, payload, type Row, signer, USDC, usdc, WORD, YOU } from './transfers-making.ts';
import { messages, typedText } from './transfers-typed.ts';

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

export const solanaRows: Row[] = [
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

export const bitcoinRows: Row[] = [
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

export const tronRows: Row[] = [
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
  [
    'approvals of TRC-20',
    usdt,
    'approval',
    ...[YOU, `0x${A.slice(2)}`].map((spender) => trigger(call('approve', spender, 5n).slice(2))),
  ],
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

export const tempoRows: Row[] = [
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

export const sparkRows: Row[] = [
  [
    'shares of signatures, and transfers of leaves',
    bitcoin,
    'not readable (amount)',
    SPARK_SIGN_FROST(),
    SPARK_PREPARE_TRANSFER(),
  ],
  ['claims, and invoices', bitcoin, 'nothing', SPARK_CLAIM_TRANSFER(), SPARK_PREPARE_LIGHTNING_RECEIVE()],
];
