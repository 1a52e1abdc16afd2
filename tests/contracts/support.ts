import { readFileSync } from 'node:fs';
import {
  type Abi,
  BaseError,
  concat,
  createPublicClient,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  numberToHex,
  type PrivateKeyAccount,
  parseEther,
  type TransactionReceipt,
} from 'viem';
import { generatePrivateKey, mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { CREATE2_FACTORY, NO_SALT, safeCreate2Data, stationInitCode } from '../../src/chains/ethereum/gas-station-deployment.ts';
import { type Anvil, startAnvil } from '../support/anvil.ts';

const read = (url: URL) => readFileSync(url, 'utf8');
const artifact = (name: string) => JSON.parse(read(new URL(`../../contracts/artifacts/${name}.json`, import.meta.url)));

type Artifact = { abi: Abi; bytecode: Hex; deployedBytecode: Hex; compiler: string };

export const delegateArtifact: Artifact = artifact('GasDelegate');
export const stationArtifact: Artifact = artifact('GasStation');
export const addresses: Record<'delegate' | 'station', { address: Hex; initCodeHash: Hex }> = artifact('addresses');

/** `npm run generate` compiles the sources in `fixtures/`. */
const fixtures: Record<string, Artifact> = JSON.parse(read(new URL('fixtures.json', import.meta.url)));

/** A contract of the tests, by its name. */
export function fixture(name: string): Artifact {
  const found = fixtures[name];
  if (!found) throw new Error(`no fixture ${name}`);
  return found;
}

export const abiOf = (name: string): Abi => fixture(name).abi;

export type Call = { to: Hex; value: bigint; data: Hex };
export type Terms = { nonce: bigint; deadline: bigint };

/** Its seconds fit into 32 bits until 2106. */
export const LATER = 4_000_000_000n;

export const types = {
  Execution: [
    { name: 'nonce', type: 'uint128' },
    { name: 'deadline', type: 'uint32' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'data', type: 'bytes' },
  ],
  Call: [
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'data', type: 'bytes' },
  ],
  BatchExecution: [
    { name: 'nonce', type: 'uint128' },
    { name: 'deadline', type: 'uint32' },
    { name: 'calls', type: 'Call[]' },
  ],
  ApproveThenExecute: [
    { name: 'nonce', type: 'uint128' },
    { name: 'deadline', type: 'uint32' },
    { name: 'erc20Contract', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'approveAmount', type: 'uint256' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'data', type: 'bytes' },
  ],
  BurnNonce: [{ name: 'nonce', type: 'uint128' }],
} as const;

/** `account`: whose messages; `chainId`: where. Tests of wrong domains change them. */
export const domainOf = (account: Hex, chainId: number = foundry.id) => ({
  name: 'TKGasDelegate',
  version: '1.1',
  chainId,
  verifyingContract: account,
});

export type Message = { primaryType: keyof typeof types; message: Record<string, unknown> };

export function signMessage(signer: PrivateKeyAccount, { primaryType, message }: Message, domain = domainOf(signer.address)) {
  return signer.signTypedData({ domain, types, primaryType, message } as never);
}

export const executionOf = (call: Call, terms: Terms): Message => ({ primaryType: 'Execution', message: { ...call, ...terms } });
export const batchOf = (calls: readonly Call[], terms: Terms): Message => ({
  primaryType: 'BatchExecution',
  message: { calls, ...terms },
});

/** Signature ‖ nonce ‖ deadline ‖ data. */
export const pack = (signature: Hex, { nonce, deadline }: Terms, data: Hex = '0x'): Hex =>
  concat([signature, numberToHex(nonce, { size: 16 }), numberToHex(deadline, { size: 4 }), data]);

export const onDelegate = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: delegateArtifact.abi, functionName, args });
export const onStation = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: stationArtifact.abi, functionName, args });

/** The station's call that carries out what `signer` signs here: one call. */
export async function stationExecute(signer: PrivateKeyAccount, call: Call, terms: Terms, functionName = 'execute') {
  const signature = await signMessage(signer, executionOf(call, terms));
  return onStation(functionName, [signer.address, call.to, call.value, pack(signature, terms, call.data)]);
}

/** The same for several calls. */
export async function stationBatch(signer: PrivateKeyAccount, calls: readonly Call[], terms: Terms) {
  const signature = await signMessage(signer, batchOf(calls, terms));
  return onStation('executeBatch', [signer.address, calls, pack(signature, terms)]);
}

export type Transaction = {
  to: Hex;
  data: Hex;
  value?: bigint;
  gas?: bigint;
  from?: PrivateKeyAccount;
  authorizationList?: never;
};
export type World = Awaited<ReturnType<typeof startWorld>>;

/** The node makes a block for each transaction. It can miss the first one after its start, which the next block then has. */
const MISSED_MS = 2_000;
const RECEIPT_MS = 20_000;

const reader = (anvil: Anvil) => createPublicClient({ chain: foundry, transport: http(anvil.url), pollingInterval: 10 });

/** A chain with both contracts at the addresses that the artefacts say, and an account that pays for the gas. */
export async function startWorld(...more: string[]) {
  const anvil = await startAnvil(...more);
  const transport = http(anvil.url);
  const node = reader(anvil);
  const admin = createTestClient({ chain: foundry, mode: 'anvil', transport });
  const paymaster = mnemonicToAccount('test test test test test test test test test test test junk');
  const wallet = createWalletClient({ chain: foundry, transport, account: paymaster });

  async function receiptOf(hash: Hex): Promise<TransactionReceipt> {
    const missed = setTimeout(() => void admin.mine({ blocks: 1 }).catch(() => {}), MISSED_MS);
    try {
      return await node.waitForTransactionReceipt({ hash, timeout: RECEIPT_MS });
    } finally {
      clearTimeout(missed);
    }
  }

  /** Sends a transaction that the paymaster pays for, unless `from` does, and waits until it is in a block, successful or not. */
  async function send({ from, ...transaction }: Transaction): Promise<TransactionReceipt> {
    const hash = await wallet.sendTransaction({ gas: 5_000_000n, ...transaction, account: from ?? paymaster } as never);
    return receiptOf(hash);
  }

  /** As above, for one that must succeed. */
  async function must(transaction: Transaction): Promise<TransactionReceipt> {
    const receipt = await send(transaction);
    if (receipt.status !== 'success') throw new Error(`the transaction failed: ${await reasonOf(transaction)}`);
    return receipt;
  }

  /** The bytes that a call fails with; undefined if it does not fail. */
  async function reasonOf({ from, ...transaction }: Transaction): Promise<Hex | undefined> {
    try {
      await node.call({ gas: 5_000_000n, ...transaction, account: from ?? paymaster.address });
      return undefined;
    } catch (error) {
      if (!(error instanceof BaseError)) throw error;
      const cause = error.walk((each) => typeof (each as { data?: unknown }).data === 'string');
      if (cause) return (cause as unknown as { data: Hex }).data;
      if (/reverted|revert/.test(error.message)) return '0x';
      throw error;
    }
  }

  async function deploy(name: string, args: readonly unknown[] = []): Promise<Hex> {
    const { abi, bytecode } = fixture(name);
    const hash = await wallet.deployContract({ abi, bytecode, args } as never);
    const { contractAddress } = await receiptOf(hash);
    return contractAddress!;
  }

  /** What a new account signs so that it runs the code of `delegate`. */
  const authorize = (account: PrivateKeyAccount, delegate: Hex, nonce = 0): Promise<never> =>
    account.signAuthorization({ chainId: foundry.id, address: delegate, nonce }) as never;

  /** A new account with an ether that runs the delegate's code. It sent nothing: the paymaster brought its authorization. */
  async function delegated(value = parseEther('1')): Promise<PrivateKeyAccount> {
    const account = privateKeyToAccount(generatePrivateKey());
    await admin.setBalance({ address: account.address, value });
    const authorization = await authorize(account, addresses.delegate.address);
    await must({ to: paymaster.address, data: '0x', authorizationList: [authorization] as never });
    return account;
  }

  const nonceOf = (account: Hex) =>
    node.readContract({ abi: delegateArtifact.abi, address: account, functionName: 'nonce' }) as Promise<bigint>;
  const view = (name: string, address: Hex, functionName: string, args: readonly unknown[] = []) =>
    node.readContract({ abi: abiOf(name), address, functionName, args }) as Promise<never>;

  await admin.setCode({ address: CREATE2_FACTORY, bytecode: fixture('Factory').deployedBytecode });
  const initCodes = [delegateArtifact.bytecode, stationInitCode(stationArtifact.bytecode, addresses.delegate.address)];
  for (const initCode of initCodes) await must({ to: CREATE2_FACTORY, data: safeCreate2Data(NO_SALT, initCode) });
  return {
    anvil,
    node,
    admin,
    wallet,
    paymaster,
    delegate: addresses.delegate.address,
    station: addresses.station.address,
    send,
    must,
    reasonOf,
    deploy,
    authorize,
    delegated,
    nonceOf,
    view,
    stop: () => anvil.stop(),
  };
}

export const newAccount = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey());

/** The four bytes of an error without arguments. */
export const ERRORS = {
  InvalidNonce: '0x756688fe',
  DeadlineExceeded: '0x559895a3',
  BatchSizeInvalid: '0xde21ae18',
  NotSelf: '0x29c3b7ee',
  ExecutionFailed: '0xacfdb444',
  ApprovalFailed: '0x8164f842',
  ApprovalTo0Failed: '0xe12092fc',
  ApprovalReturnFalse: '0xf572481d',
  InvalidOffset: '0x01da1572',
  NotDelegated: '0x9ccd6d76',
  ReentrantCall: '0x37ed32e8',
} as const;
