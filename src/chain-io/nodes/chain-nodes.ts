import type { Clock } from '../../base/clock.ts';
import type { Asset } from '../../model/asset.ts';
import { type Network, parseCaip2 } from '../../model/caip2.ts';
import { nativeCoin } from '../../model/native-coin.ts';
import { type Balances, balances } from './balances.ts';
import { type Endpoint, endpointAt } from './endpoint.ts';
import { type Endpoints, endpointsOf } from './endpoints.ts';
import { type EvmNode, evmDialect, evmNode } from './evm/node.ts';
import { recentAnswer } from './recent-answer.ts';
import { requestSlots, type TakeSlot } from './request-slots.ts';
import { type SolanaNode, solanaDialect, solanaNode } from './solana/node.ts';
import type { Log, Trouble } from './types.ts';

export type ChainNode = EvmNode | SolanaNode;

/** The networks that are served. */
export type ChainNodes = {
  /** Undefined for an invalid name, or for a network without an RPC URL. Solana’s aliases are known. */
  chainNode(caip2: string): ChainNode | undefined;
  /** The assets of a served network whose balances are shown: its native coin, then tokens. */
  assets(node: ChainNode): readonly Asset[];
  readonly balances: Balances;
  /** The slot of a request that asks for the transactions of a history. */
  readonly histories: TakeSlot;
  /** Canonical CAIP-2 names. */
  readonly networks: readonly string[];
  /** The networks whose transactions are watched, by canonical names. */
  readonly scanned: readonly string[];
  /**
   * Asks endpoints in the background for their network, so that a wrong URL is known before it is used. Returns the places of
   * endpoints known to be of another network, such as `eip155:1 #2`.
   */
  look(): string[];
  /** Ends all work under way. */
  close(): Promise<void>;
};

declare module '../../engine/ports.ts' {
  interface NodesPort extends ChainNodes {}
}

/** Counters by network. `endpoint`: its place among those of the network, because hosts may have keys in their names. */
export type NodeCounts = {
  broadcast(caip2: string, outcome: string): void;
  trouble(caip2: string, endpoint: string, trouble: Trouble): void;
};

/** Hosts may have keys in their names. */
const placeOf = (caip2: string, names: readonly string[], name: string) => `${caip2} #${names.indexOf(name) + 1}`;

const NOT_COUNTED: NodeCounts = { broadcast() {}, trouble() {} };

type Parts = {
  /** What the operator named, by the network's canonical name. */
  tokens?: ReadonlyMap<string, readonly Asset[]>;
  scanned?: readonly string[];
  settings: readonly { network: Network; urls: readonly string[] }[];
  elapsed: Clock;
  machine: Clock;
  log: Log;
  /** How long an endpoint has for an answer. */
  milliseconds?: number;
  counts?: NodeCounts;
  /** Puts something around an endpoint. `place`: such as `eip155:1 #2`. */
  endpoint?: ((endpoint: Endpoint, place: string) => Endpoint) | undefined;
};

/** The same node, with the outcomes of its broadcasts counted. */
function counted<N extends ChainNode>(node: N, { broadcast }: NodeCounts): N {
  const send = node.send as (...args: unknown[]) => ReturnType<N['send']>;
  return {
    ...node,
    async send(...args: unknown[]) {
      const sent = await send(...args);
      broadcast(node.caip2, sent.outcome);
      return sent;
    },
  };
}

/** Prices are asked for at most this often, however many transactions are made. */
const PRICES_MS = 1000;

/** Hosts, numbered where one occurs twice. */
function namesOf(urls: readonly string[]): string[] {
  const hosts = urls.map((url) => new URL(url).host);
  return hosts.map((host, i) => (hosts.indexOf(host) === hosts.lastIndexOf(host) ? host : `${host} (${i + 1})`));
}

/** A native coin that the operator named replaces the one that is known here. */
function assetsOf(network: Network, named: readonly Asset[]): readonly Asset[] {
  const native = named.find(({ token }) => token === undefined) ?? nativeCoin(network);
  return [...(native === undefined ? [] : [native]), ...named.filter(({ token }) => token !== undefined)];
}

/** The bound of a response about balances, of which 64 may be under way: 500 Solana accounts take 180 KiB. */
const HOLDINGS_BYTES = 2 << 20;

type Opened = { all: readonly Endpoints[]; node: ChainNode; look(): string[] };

/** No endpoint is asked before a node is used, or `look` is called. */
export function chainNodes({ settings, tokens, scanned = [], counts = NOT_COUNTED, endpoint, ...parts }: Parts): ChainNodes {
  const { elapsed, machine, log, milliseconds } = parts;
  const opened = settings.map(({ network, urls }): Opened => {
    const names = namesOf(urls);
    const at = (url: string, i: number, mostBytes: number | undefined): Endpoint => {
      const plain = endpointAt(url, names[i]!, { machine, milliseconds, mostBytes });
      return endpoint === undefined ? plain : endpoint(plain, placeOf(network.caip2, names, plain.name));
    };
    const open = (mostBytes?: number): Endpoints =>
      endpointsOf({
        caip2: network.caip2,
        endpoints: urls.map((url, i) => at(url, i, mostBytes)),
        dialect: network.kind === 'eip155' ? evmDialect(network.chainId) : solanaDialect(network.cluster),
        elapsed,
        log,
        troubled: (name, trouble) => counts.trouble(network.caip2, placeOf(network.caip2, names, name), trouble),
      });
    const endpoints = open();
    // A node that is too slow for 500 balances or a whole block, or limits such requests, still takes sends.
    const aside = { holdings: open(HOLDINGS_BYTES), scans: open() };
    const all = [endpoints, aside.holdings, aside.scans];
    const look = () => endpoints.look().map((name) => placeOf(network.caip2, names, name));
    if (network.kind === 'solana') return { all, look, node: counted(solanaNode(network, endpoints, aside), counts) };
    const node = counted(evmNode(network, endpoints, aside), counts);
    return { all, look, node: { ...node, prices: recentAnswer(elapsed, PRICES_MS, node.prices) } };
  });
  const nodes = new Map(opened.map(({ node }) => [node.caip2, node]));
  const assets = new Map(settings.map(({ network }) => [network.caip2, assetsOf(network, tokens?.get(network.caip2) ?? [])]));
  return {
    assets: ({ caip2 }) => assets.get(caip2) ?? [],
    balances: balances(),
    histories: requestSlots('requests for histories'),
    chainNode: (caip2) => nodes.get(parseCaip2(caip2)?.caip2 ?? ''),
    networks: [...nodes.keys()],
    scanned,
    look: () => opened.flatMap(({ look }) => look()),
    async close() {
      for (const { all } of opened) for (const endpoints of all) endpoints.close();
    },
  };
}
