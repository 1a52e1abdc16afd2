import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { withNodes } from '../app/chain-nodes-of.ts';
import { toHex } from '../base/bytes.ts';
import { CommandFailed } from '../base/command-failed.ts';
import { type EvmFees, feesFor } from '../chain-io/nodes/evm/fees.ts';
import type { EvmNode } from '../chain-io/nodes/evm/node.ts';
import type { EvmReceipt } from '../chain-io/nodes/evm/values.ts';
import { NoNodeError, RpcError } from '../chain-io/nodes/types.ts';
import { DEFAULT_STATION, problemOf, stationAt } from '../chain-io/sends/gas/stations.ts';
import { ethereumAccount } from '../chains/ethereum/address.ts';
import { CREATE2_FACTORY, NO_SALT, safeCreate2Data, stationInitCode } from '../chains/ethereum/gas-station-deployment.ts';
import { newTransaction } from '../chains/ethereum/new-transaction.ts';
import { type Config, ConfigError } from '../config.ts';
import { publicKeyOf, signDigest } from '../crypto/curves.ts';
import type { Station } from '../engine/ports.ts';
import { formatPrice } from '../model/gas.ts';

type Hex = `0x${string}`;

/** The account that pays. `address`: lower case. */
type Deployer = { key: Buffer; address: Hex };

export type Deployment = {
  network: string;
  /** Each contract: `there` before, `deployed` now, or `missing` after a dry run. */
  contracts: {
    name: 'delegate' | 'station';
    address: string | null;
    state: 'there' | 'deployed' | 'missing';
    transaction: string | null;
  }[];
  /** The account that pays. Null if no payment was needed. */
  deployer: string | null;
  /** The most that the missing contracts may cost, in coins. */
  costAtMost: string;
  /** The setting to add, if the addresses are not the usual ones. */
  setting: string | null;
};

type Options = {
  network: string;
  /** Of the account that pays: any account will do, because the addresses do not depend on it. */
  key: Buffer | undefined;
  /** By the deployer's own transactions, where the factory is missing. */
  plain: boolean;
  dryRun: boolean;
  say(line: string): void;
  /** How long to wait for each receipt. */
  patienceMs?: number;
};

type Name = 'delegate' | 'station';

/** Measured (contracts/README.md), with a tenth more. For the transaction itself the node's estimate counts. */
const GAS: Readonly<Record<Name, bigint>> = { delegate: 1_960_000n, station: 825_000n };

const PATIENCE_MS = 300_000;
const LOOK_EVERY_MS = 500;

const artifact = (name: string): { bytecode: Hex } =>
  JSON.parse(readFileSync(new URL(`../../contracts/artifacts/${name}.json`, import.meta.url), 'utf8'));

const coins = formatPrice;

const feeOf = (fees: EvmFees): bigint => (fees.kind === 'legacy' ? fees.gasPrice : fees.maxFeePerGas);

const deployerOf = (key: Buffer): Deployer => ({
  key,
  address: `0x${toHex(ethereumAccount(publicKeyOf('CURVE_SECP256K1', key)))}`,
});

/** The transaction that deploys one. */
function contentOf(name: Name, delegate: Hex, plain: boolean): { to: Hex; data: Hex } {
  const code =
    name === 'delegate' ? artifact('GasDelegate').bytecode : stationInitCode(artifact('GasStation').bytecode, delegate);
  return plain ? { to: '0x', data: code } : { to: CREATE2_FACTORY, data: safeCreate2Data(NO_SALT, code) };
}

async function receiptOf(node: EvmNode, hash: Hex, patienceMs: number): Promise<EvmReceipt> {
  for (let waited = 0; waited < patienceMs; waited += LOOK_EVERY_MS) {
    const { value } = await node.receipt(hash);
    if (value !== undefined) return value;
    await sleep(LOOK_EVERY_MS);
  }
  throw new CommandFailed(
    `the transaction ${hash} was sent but not mined within ${patienceMs / 1000} seconds: run the same command again when it is mined`,
  );
}

type Sending = { node: EvmNode; deployer: Deployer; fees: EvmFees; patienceMs: number };

async function send(
  { node, deployer, fees, patienceMs }: Sending,
  name: Name,
  { to, data }: { to: Hex; data: Hex },
): Promise<EvmReceipt> {
  const from = deployer.address;
  const estimated = await node.estimateGas({ from, data, ...(to === '0x' ? {} : { to }) });
  if ('refused' in estimated) throw new CommandFailed(`the ${name} cannot be deployed: ${estimated.refused.message}`);
  const [nonce, mined] = await Promise.all([node.nonce(from, 'pending'), node.nonce(from, 'latest')]);
  if (nonce > mined) throw new CommandFailed(`a transaction of ${from} is pending: run the same command again when it is mined`);
  const gas = (estimated.gas * 11n) / 10n;
  const made = newTransaction({ chainId: node.chainId, nonce, gas, fees, to, value: 0n, data });
  const { bytes, hash } = made.signed(signDigest('CURVE_SECP256K1', deployer.key, made.digest));
  const { outcome, answers } = await node.send(`0x${Buffer.from(bytes).toString('hex')}`);
  if (!['sent', 'already known', 'unknown'].includes(outcome))
    throw new CommandFailed(
      `the transaction that deploys the ${name} was refused: ${answers.map(({ endpoint, text }) => `${endpoint}: ${text}`).join('; ')}`,
    );
  const receipt = await receiptOf(node, hash, patienceMs);
  if (!receipt.succeeded) throw new CommandFailed(`the transaction ${hash} that deploys the ${name} failed`);
  return receipt;
}

async function requireFunds(node: EvmNode, { address }: Deployer, cost: bigint): Promise<void> {
  const balance = await node.balance(address);
  if (balance < cost)
    throw new CommandFailed(
      `${address} has ${coins(balance)} coins on ${node.caip2}, and needs up to ${coins(cost)}. Send it coins, and run the same command again`,
    );
}

/** Contracts that are not this project's are checked, and left alone. */
async function lookAtOthers(node: EvmNode, station: Station): Promise<Deployment> {
  const problem = await problemOf(node, station);
  if (problem !== undefined)
    throw new CommandFailed(
      `GAS_STATIONS names other contracts on ${node.caip2}, but ${problem}. Correct its entry, or remove it to deploy the contracts of this project`,
    );
  const contracts = (['delegate', 'station'] as const).map((name) => ({
    name,
    address: station[name],
    state: 'there' as const,
    transaction: null,
  }));
  return { network: node.caip2, contracts, deployer: null, costAtMost: '0', setting: null };
}

async function missingOf(node: EvmNode, { plain }: Options): Promise<Name[]> {
  if (plain) return ['delegate', 'station'];
  const names = ['delegate', 'station'] as const;
  const [factory, ...codes] = await Promise.all(
    [CREATE2_FACTORY, ...names.map((name) => DEFAULT_STATION[name])].map((at) => node.code(at)),
  );
  const missing = names.filter((_, i) => codes[i] === '0x');
  if (factory === '0x' && missing.length > 0)
    throw new CommandFailed(
      `${node.caip2} has no Immutable CREATE2 factory at ${CREATE2_FACTORY}: deploy the factory there first, or use --plain, which gives other addresses`,
    );
  return missing;
}

async function deploy(node: EvmNode, options: Options): Promise<Deployment> {
  const { dryRun, key, plain, say, patienceMs = PATIENCE_MS } = options;
  const deployer = key && deployerOf(key);
  const missing = await missingOf(node, options);
  const fees = feesFor(await node.prices());
  const cost = missing.reduce((sum, name) => sum + GAS[name], 0n) * feeOf(fees);
  const at: Record<Name, Hex | undefined> = plain ? { delegate: undefined, station: undefined } : { ...DEFAULT_STATION };
  const contracts: Deployment['contracts'] = [];
  if (missing.length > 0 && !dryRun) {
    if (deployer === undefined)
      throw new CommandFailed(
        `no account pays: set DEPLOYER_KEY_FILE to a file with the private key of an account with up to ${coins(cost)} coins on ${node.caip2}. "openssl rand -hex 32" makes a new key`,
      );
    await requireFunds(node, deployer, cost);
  }
  for (const name of ['delegate', 'station'] as const) {
    let transaction: string | null = null;
    const isMissing = missing.includes(name);
    if (isMissing && !dryRun) {
      say(`deploying the ${name} …`);
      const content = contentOf(name, at.delegate ?? '0x', plain);
      const receipt = await send({ node, deployer: deployer!, fees, patienceMs }, name, content);
      at[name] ??= receipt.contractAddress;
      transaction = receipt.hash;
    }
    contracts.push({
      name,
      address: at[name] ?? null,
      state: isMissing ? (dryRun ? 'missing' : 'deployed') : 'there',
      transaction,
    });
  }
  if (!dryRun || missing.length === 0) {
    const problem = await problemOf(node, at as Station);
    if (problem !== undefined) throw new CommandFailed(`${node.caip2}: ${problem}`);
  }
  const setting = plain && !dryRun ? `GAS_STATIONS=${node.caip2}=${at.station}/${at.delegate}` : null;
  const payer = missing.length === 0 ? null : (deployer?.address ?? null);
  return { network: node.caip2, contracts, deployer: payer, costAtMost: coins(cost), setting };
}

/** Deploys the missing parts of the gas station and its delegate, and waits until they are deployed. */
export async function deployStation(config: Config, options: Options): Promise<Deployment> {
  const { network } = options;
  const deployed = withNodes(config, async (nodes) => {
    const node = nodes.chainNode(network);
    if (node === undefined) {
      const id = /^eip155:(\d{1,20})$/.exec(network)?.[1] ?? 'N';
      throw new ConfigError(`${network} has no RPC endpoint here: set RPC_URL_EIP155_${id}, see docs/sending.md`);
    }
    if (node.kind !== 'eip155') throw new ConfigError(`${network} needs no gas station: only EVM chains (eip155:N) need one`);
    const station = stationAt(config.stations, node.caip2);
    return station === DEFAULT_STATION ? deploy(node, options) : lookAtOthers(node, station);
  });
  return deployed.catch((error: unknown) => {
    if (!(error instanceof NoNodeError || error instanceof RpcError)) throw error;
    throw new CommandFailed(`${error.message}. Run the same command again when a node answers: deployed contracts stay`);
  });
}
