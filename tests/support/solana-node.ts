import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  type Address,
  getBase58Decoder,
  getBase58Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  lamports,
  type Transaction,
} from '@solana/kit';
import { LiteSVM } from 'litesvm';
import { SOLANA_GENESIS } from '../../src/model/caip2.ts';
import { INSTRUCTION_ERRORS, TRANSACTION_ERRORS } from './solana-errors.ts';

/** A result of litesvm that failed, or a number that names why. */
type Failure = { err(): unknown; meta(): Meta };
type Meta = {
  logs(): string[];
  computeUnitsConsumed(): bigint;
  innerInstructions(): {
    instruction(): { programIdIndex(): number; accounts(): Uint8Array; data(): Uint8Array };
    stackHeight(): number;
  }[][];
};
type TokenBalance = { accountIndex: number; mint: string; owner: string; programId: string; uiTokenAmount: { amount: string } };
/** What accounts hold, in their order. */
type Holding = { lamports: bigint[]; tokens: TokenBalance[] };
type Landed = {
  slot: bigint;
  height: bigint;
  err: unknown;
  meta: Meta;
  fee: bigint;
  accounts: readonly string[];
  header: object;
  before: Holding;
  after: Holding;
};

export type SolanaNode = {
  url: string;
  svm: LiteSVM;
  /** Methods, as they were asked. */
  asked: string[];
  /** Gives an account money. */
  airdrop(account: string, amount: bigint): void;
  /** This number of blocks passes. A blockhash expires 150 blocks after it was made. */
  advance(blocks: number): void;
  /** Removes what is older than this number of slots, as nodes do after days. */
  prune(slots: number): void;
  /** Takes transactions and lands none, until `land`. */
  hold(): void;
  land(): void;
  /** Every transaction that is in a block. */
  landed(): { signature: string; accounts: readonly string[]; succeeded: boolean }[];
  /** How many are taken and did not land. */
  held(): number;
  /** Takes the next transactions, and loses them. */
  lose(count: number): void;
  /** Keeps the state; `rollBack` restores it, as when a fork is left. */
  mark(): void;
  rollBack(): void;
  stop(): Promise<void>;
};

class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

type Errors = { index?: number; accountIndex?: number; err?(): number | { code?: number; msg?: string } };

/** As Solana’s nodes write a TransactionError. */
function errorJson(err: unknown): unknown {
  if (typeof err === 'number') return TRANSACTION_ERRORS[err];
  const { index, accountIndex, err: inner } = err as Errors;
  if (accountIndex !== undefined) return { InsufficientFundsForRent: { account_index: accountIndex } };
  if (inner === undefined) return { DuplicateInstruction: index };
  const reason = inner.call(err);
  const named =
    typeof reason === 'number'
      ? INSTRUCTION_ERRORS[reason]
      : reason.code === undefined
        ? { BorshIoError: reason.msg }
        : { Custom: reason.code };
  return { InstructionError: [index, named] };
}

const base58 = getBase58Decoder();
const TOKEN_PROGRAMS = ['TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'];

function holdingOf(svm: LiteSVM, accounts: readonly string[]): Holding {
  const lamports = accounts.map((account) => svm.getBalance(account as Address) ?? 0n);
  const tokens = accounts.flatMap((account, accountIndex): TokenBalance[] => {
    const found = svm.getAccount(account as Address);
    if (!found.exists || !TOKEN_PROGRAMS.includes(found.programAddress) || found.data.length < 165) return [];
    const data = Buffer.from(found.data);
    const [mint, owner] = [base58.decode(data.subarray(0, 32)), base58.decode(data.subarray(32, 64))];
    const uiTokenAmount = { amount: String(data.readBigUInt64LE(64)) };
    return [{ accountIndex, mint, owner, programId: found.programAddress, uiTokenAmount }];
  });
  return { lamports, tokens };
}

/** As nodes give a signature's block; the chain began at this time, and a slot lasts a second. */
const GENESIS_TIME = 1_700_000_000n;
const blockhashOf = (slot: bigint) => base58.decode(Buffer.from(slot.toString(16).padStart(64, '0'), 'hex'));
const isFailure = (result: object): result is Failure => 'err' in result;

function innerOf(meta: Meta): unknown[] {
  return meta.innerInstructions().flatMap((list, index) =>
    list.length === 0
      ? []
      : [
          {
            index,
            instructions: list.map((inner) => ({
              programIdIndex: inner.instruction().programIdIndex(),
              accounts: [...inner.instruction().accounts()],
              data: base58.decode(inner.instruction().data()),
              stackHeight: inner.stackHeight(),
            })),
          },
        ],
  );
}

const SYSTEM = '11111111111111111111111111111111';

/** In answers to simulateTransaction, nodes write instructions of programs that they know with names; here those that make accounts. */
function parsedInner(meta: Meta, keys: readonly string[]): unknown[] {
  const parsed = (inner: ReturnType<Meta['innerInstructions']>[number][number]) => {
    const instruction = inner.instruction();
    const bytes = Buffer.from(instruction.data());
    const named = [...instruction.accounts()].map((i) => keys[i]);
    const programId = keys[instruction.programIdIndex()];
    const stackHeight = inner.stackHeight();
    const kind = programId === SYSTEM ? bytes.readUInt32LE(0) : undefined;
    const system = (type: string, info: object) => ({ program: 'system', programId, parsed: { type, info }, stackHeight });
    const [first, second] = named;
    if (kind === 0) {
      const owner = base58.decode(bytes.subarray(20, 52));
      const made = { lamports: bytes.readBigUInt64LE(4), space: bytes.readBigUInt64LE(12), owner };
      return system('createAccount', { source: first, newAccount: second, ...made });
    }
    if (kind === 2) return system('transfer', { source: first, destination: second, lamports: bytes.readBigUInt64LE(4) });
    if (kind === 8) return system('allocate', { account: first, space: bytes.readBigUInt64LE(4) });
    return { programId, accounts: named, data: base58.decode(bytes), stackHeight };
  };
  return meta
    .innerInstructions()
    .flatMap((list, index) => (list.length === 0 ? [] : [{ index, instructions: list.map(parsed) }]));
}

const bytesOf = (given: unknown, encoding: unknown): Uint8Array =>
  encoding === 'base64' ? Buffer.from(String(given), 'base64') : new Uint8Array(getBase58Encoder().encode(String(given)));

const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const SIGNATURE_FEE = 5000n;

type CompiledMessage = ReturnType<ReturnType<typeof getCompiledTransactionMessageDecoder>['decode']>;

/** Signatures, and what the compute budget’s instructions add. */
function feeOf(message: CompiledMessage): bigint {
  let limit = 0n;
  let price = 0n;
  let others = 0n;
  for (const { programAddressIndex, data } of (
    message as { instructions: readonly { programAddressIndex: number; data?: Uint8Array }[] }
  ).instructions) {
    const bytes = Buffer.from(data ?? []);
    if (message.staticAccounts[programAddressIndex] !== COMPUTE_BUDGET) others++;
    else if (bytes[0] === 2) limit = BigInt(bytes.readUInt32LE(1));
    else if (bytes[0] === 3) price = bytes.readBigUInt64LE(1);
  }
  const units = limit || 200_000n * others;
  return SIGNATURE_FEE * BigInt(message.header.numSignerAccounts) + (price * units + 999_999n) / 1_000_000n;
}

/** The answer to a simulation, or to a transaction that failed in one. */
const simulated = (err: unknown, meta: Meta, keys: readonly string[]) => ({
  err,
  logs: meta.logs(),
  unitsConsumed: meta.computeUnitsConsumed(),
  innerInstructions: parsedInner(meta, keys),
  accounts: null,
  returnData: null,
  loadedAccountsDataSize: 0,
});

/** The answer of Solana’s nodes. */
function sentence(err: unknown): string {
  const texts: Record<string, string> = {
    AlreadyProcessed: 'This transaction has already been processed',
    BlockhashNotFound: 'Blockhash not found',
    AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
    InsufficientFundsForFee: 'Insufficient funds for fee',
  };
  if (typeof err === 'string') return texts[err] ?? err;
  const [index, reason] = (err as { InstructionError?: [number, unknown] }).InstructionError ?? [0, err];
  const custom = (reason as { Custom?: number }).Custom;
  const said = custom === undefined ? String(JSON.stringify(reason)) : `custom program error: 0x${custom.toString(16)}`;
  return `Error processing Instruction ${index}: ${said}`;
}

const VALID_BLOCKS = 150n;

type Options = { encoding?: string; skipPreflight?: boolean; sigVerify?: boolean; replaceRecentBlockhash?: boolean };

/** A Solana JSON-RPC node over litesvm: one chain, whose blocks pass when a transaction lands, or when they are told to. */
export async function startSolanaNode(cluster: keyof typeof SOLANA_GENESIS = 'devnet'): Promise<SolanaNode> {
  let svm = new LiteSVM();
  svm.warpToSlot(1000n);
  const asked: string[] = [];
  let height = 900n;
  let madeAt = height;
  let landed = new Map<string, Landed>();
  let kept: { svm: Uint8Array; landed: Map<string, Landed>; height: bigint; madeAt: bigint } | undefined;
  let holding = false;
  let losing = 0;
  let first = 100n;
  const held: Transaction[] = [];

  const slot = () => svm.getClock().slot;
  function advance(blocks: number): void {
    height += BigInt(blocks);
    svm.warpToSlot(slot() + BigInt(blocks));
    if (height - madeAt <= VALID_BLOCKS) return;
    svm.expireBlockhash();
    madeAt = height;
  }

  const decode = (bytes: Uint8Array): { transaction: Transaction; message: CompiledMessage } => {
    try {
      const transaction = getTransactionDecoder().decode(bytes);
      return { transaction, message: getCompiledTransactionMessageDecoder().decode(transaction.messageBytes) };
    } catch {
      throw new RpcFailure(-32602, 'failed to deserialize solana_transaction::versioned::VersionedTransaction');
    }
  };
  const signatureOf = ({ signatures }: Transaction) => base58.decode(Object.values(signatures)[0] ?? new Uint8Array(64));

  function execute(transaction: Transaction): void {
    const signature = signatureOf(transaction);
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    const { header, staticAccounts } = message;
    const before = holdingOf(svm, staticAccounts);
    const result = svm.sendTransaction(transaction) as object;
    const err = isFailure(result) ? errorJson(result.err()) : null;
    // A transaction without a funded fee payer, with an old blockhash, or mined already is in no block.
    if (typeof err === 'string' || landed.has(signature)) return;
    const meta = isFailure(result) ? result.meta() : (result as unknown as Meta);
    advance(1);
    landed.set(signature, {
      accounts: staticAccounts,
      header,
      before,
      after: holdingOf(svm, staticAccounts),
      slot: slot(),
      height,
      err,
      meta,
      fee: feeOf(message),
    });
  }

  function simulate(transaction: Transaction, { sigVerify, replaceRecentBlockhash }: Options) {
    svm.withSigverify(sigVerify === true).withBlockhashCheck(replaceRecentBlockhash !== true);
    try {
      const { staticAccounts } = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
      const result = svm.simulateTransaction(transaction) as object;
      if (isFailure(result)) return simulated(errorJson(result.err()), result.meta(), staticAccounts);
      return simulated(null, (result as unknown as { meta(): Meta }).meta(), staticAccounts);
    } finally {
      svm.withSigverify(true).withBlockhashCheck(true);
    }
  }

  function send([given, options = {}]: [string, Options?]): string {
    const { transaction } = decode(bytesOf(given, options.encoding ?? 'base58'));
    if (options.skipPreflight !== true) {
      const tried = simulate(transaction, { sigVerify: true });
      if (tried.err === 'SignatureFailure') throw new RpcFailure(-32003, 'Transaction signature verification failure');
      if (tried.err !== null) throw new RpcFailure(-32002, `Transaction simulation failed: ${sentence(tried.err)}`, tried);
    }
    if (losing > 0) losing--;
    else if (holding) held.push(transaction);
    else execute(transaction);
    return signatureOf(transaction);
  }

  function statusOf(signature: string) {
    const found = landed.get(signature);
    if (found === undefined) return null;
    const since = height - found.height;
    const confirmationStatus = since >= 32n ? 'finalized' : 'confirmed';
    const status = found.err === null ? { Ok: null } : { Err: found.err };
    return { slot: found.slot, confirmations: since >= 32n ? null : since, err: found.err, status, confirmationStatus };
  }

  const accountOf = (address: string) => {
    const account = svm.getAccount(address as Address);
    if (!account.exists) return null;
    const { lamports, programAddress, executable, data } = account;
    return {
      lamports,
      owner: programAddress,
      executable,
      data: [Buffer.from(data).toString('base64'), 'base64'],
      space: data.length,
      rentEpoch: 2n ** 64n - 1n,
    };
  };

  const withContext = (value: unknown) => ({ context: { slot: slot(), apiVersion: '3.0.0' }, value });
  const isValid = (blockhash: string) => blockhash === svm.latestBlockhash() && height <= madeAt + VALID_BLOCKS;

  // biome-ignore lint/suspicious/noExplicitAny: parameters of JSON-RPC
  const methods: Record<string, (params: any) => unknown> = {
    getGenesisHash: () => SOLANA_GENESIS[cluster],
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': '3.0.0', 'feature-set': 1 }),
    getSlot: ([options]) => (options?.commitment === 'finalized' ? slot() - 32n : slot()),
    getBlockHeight: ([options]) => (options?.commitment === 'finalized' ? height - 32n : height),
    getLatestBlockhash: () => withContext({ blockhash: svm.latestBlockhash(), lastValidBlockHeight: madeAt + VALID_BLOCKS }),
    isBlockhashValid: ([blockhash]) => withContext(isValid(blockhash)),
    getBalance: ([address]) => withContext(svm.getBalance(address) ?? 0n),
    getAccountInfo: ([address]) => withContext(accountOf(address)),
    getMultipleAccounts: ([addresses]) => withContext(addresses.map(accountOf)),
    getTokenAccountsByOwner: ([owner, { programId }, { dataSlice: slice }]) => {
      const wanted = Buffer.from(getBase58Encoder().encode(owner));
      const accounts = svm
        .getProgramAccounts(programId)
        .map(({ address, data }) => ({ address, data: Buffer.from(data) }))
        .filter(({ data }) => data.length >= 165 && data.subarray(32, 64).equals(wanted));
      return withContext(
        accounts.map(({ address, data }) => {
          const part = data.subarray(slice.offset, slice.offset + slice.length).toString('base64');
          return { pubkey: address, account: { ...accountOf(address), data: [part, 'base64'] } };
        }),
      );
    },
    getMinimumBalanceForRentExemption: ([size]) => svm.minimumBalanceForRentExemption(BigInt(size)),
    getRecentPrioritizationFees: () => [0n, 1n].map((back) => ({ slot: slot() - back, prioritizationFee: 1000n * back })),
    getFeeForMessage: ([message]) => {
      const decoded = getCompiledTransactionMessageDecoder().decode(bytesOf(message, 'base64'));
      return withContext(isValid(decoded.lifetimeToken as string) ? feeOf(decoded) : null);
    },
    simulateTransaction: ([given, options = {}]) =>
      withContext(simulate(decode(bytesOf(given, options.encoding ?? 'base58')).transaction, options)),
    sendTransaction: send as (params: unknown) => unknown,
    getSignatureStatuses: ([signatures]) => withContext(signatures.map(statusOf)),
    getTransaction: ([signature]) => {
      const found = landed.get(signature);
      if (found === undefined) return null;
      const { slot, err, fee, meta, header, accounts, before, after } = found;
      const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header as Record<string, number>;
      const counts = {
        numRequiredSignatures: numSignerAccounts,
        numReadonlySignedAccounts: numReadonlySignerAccounts,
        numReadonlyUnsignedAccounts: numReadonlyNonSignerAccounts,
      };
      return {
        slot,
        blockTime: GENESIS_TIME + slot,
        transaction: { signatures: [signature], message: { header: counts, accountKeys: accounts } },
        meta: {
          preBalances: before.lamports,
          postBalances: after.lamports,
          preTokenBalances: before.tokens,
          postTokenBalances: after.tokens,
          loadedAddresses: { writable: [], readonly: [] },
          err,
          fee,
          logMessages: meta.logs(),
          computeUnitsConsumed: meta.computeUnitsConsumed(),
          innerInstructions: innerOf(meta),
        },
      };
    },
    getBlock: ([slot]) => ({
      blockhash: blockhashOf(BigInt(slot)),
      previousBlockhash: blockhashOf(BigInt(slot) - 1n),
      parentSlot: BigInt(slot) - 1n,
      blockHeight: BigInt(slot) - 100n,
      blockTime: GENESIS_TIME + BigInt(slot),
    }),
    getFirstAvailableBlock: () => first,
    getBlockTime: ([slot]) => GENESIS_TIME + BigInt(slot),
    getSignaturesForAddress: ([account, { limit = 1000, before, until } = {} as never]) => {
      const all = [...landed].filter(([, { accounts }]) => accounts.includes(account)).reverse();
      const from = before === undefined ? 0 : all.findIndex(([signature]) => signature === before) + 1;
      // As nodes do with a signature that they lack.
      if (before !== undefined && from === 0) return [];
      const found = all.slice(from);
      // A node that does not know `until` goes on to the beginning.
      const end = found.findIndex(([signature]) => signature === until);
      return found
        .slice(0, end === -1 ? undefined : end)
        .slice(0, limit)
        .map(([signature, { slot, err }]) => ({
          signature,
          slot,
          err,
          memo: null,
          blockTime: GENESIS_TIME + slot,
          confirmationStatus: 'confirmed',
        }));
    },
    requestAirdrop: ([address, amount]) => {
      svm.airdrop(address, lamports(BigInt(amount)));
      return base58.decode(new Uint8Array(64).fill(1));
    },
  };

  function answer({ id, method, params = [] }: { id: unknown; method: string; params?: unknown }): object {
    asked.push(method);
    try {
      const found = methods[method];
      if (found === undefined) throw new RpcFailure(-32601, 'Method not found');
      return { jsonrpc: '2.0', id, result: found(params) };
    } catch (error) {
      const { code = -32603, message, data } = error as RpcFailure;
      return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
    }
  }

  /** Solana’s numbers have up to 64 bits. */
  const raw = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;
  const server = createServer(async (incoming, response: ServerResponse) => {
    const given = JSON.parse(await text(incoming));
    const body = JSON.stringify(Array.isArray(given) ? given.map(answer) : answer(given), (_, value) =>
      typeof value === 'bigint' ? raw(String(value)) : value,
    );
    response.setHeader('content-type', 'application/json');
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get svm() {
      return svm;
    },
    asked,
    airdrop: (account, amount) => void svm.airdrop(account as Address, lamports(amount)),
    advance,
    prune: (slots) => {
      first = slot() - BigInt(slots);
      landed = new Map([...landed].filter(([, one]) => one.slot >= first));
    },
    hold: () => {
      holding = true;
    },
    land: () => {
      holding = false;
      for (const transaction of held.splice(0)) execute(transaction);
    },
    landed: () => [...landed].map(([signature, { accounts, err }]) => ({ signature, accounts, succeeded: err === null })),
    held: () => held.length,
    lose: (count) => {
      losing = count;
    },
    mark: () => {
      kept = { svm: svm.toBytes(), landed: new Map(landed), height, madeAt };
    },
    rollBack: () => {
      if (kept === undefined) throw new Error('nothing was marked');
      svm = LiteSVM.fromBytes(kept.svm);
      ({ landed, height, madeAt } = { ...kept, landed: new Map(kept.landed) });
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
