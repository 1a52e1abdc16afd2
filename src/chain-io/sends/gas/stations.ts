import type { Clock } from '../../../base/clock.ts';
import { ApiError, Unreachable } from '../../../base/errors.ts';
import type { Station } from '../../../engine/ports.ts';
import type { EvmNode } from '../../nodes/evm/node.ts';
import { NoNodeError, RpcError } from '../../nodes/types.ts';
import { asUnreachable } from '../no-node.ts';

type Hex = `0x${string}`;

/** The addresses of the contracts of contracts/README.md, on every chain that has them. */
export const DEFAULT_STATION: Station = {
  station: '0x2b1612adf687fa8005d14003bfc0e993b984e63c',
  delegate: '0xcdfa68fad812d9c0cc7070c1f4d10a6120c9f7ba',
};

type Settings = { on: ReadonlyMap<string, Station>; elsewhere: Station | undefined };

export const stationAt = ({ on, elsewhere }: Settings, caip2: string): Station => on.get(caip2) ?? elsewhere ?? DEFAULT_STATION;

/** `TK_GAS_DELEGATE()` and `eip712Domain()`. */
const ITS_DELEGATE: Hex = '0xcf26488a';
const DOMAIN: Hex = '0x84b0196e';

const WORD = 64;
const word = (output: Hex, i: number): string => output.slice(2 + i * WORD, 2 + (i + 1) * WORD);

/** A text in an ABI's answer, located by its offset. */
function textAt(output: Hex, i: number): string | undefined {
  const at = BigInt(`0x${word(output, i) || '0'}`) * 2n;
  if (at > 4096n) return undefined;
  const digits = output.slice(2 + Number(at));
  const length = Number(`0x${digits.slice(0, WORD) || '0'}`);
  if (length > 64) return undefined;
  return Buffer.from(digits.slice(WORD, WORD + 2 * length), 'hex').toString('utf8');
}

async function answer(node: EvmNode, to: Hex, data: Hex): Promise<Hex | undefined> {
  const made = await node.call({ to, data });
  return 'output' in made ? made.output : undefined;
}

/** Why the contracts at these addresses cannot be used. Undefined if they can. Throws NoNodeError and RpcError. */
export async function problemOf(node: EvmNode, { station, delegate }: Station): Promise<string | undefined> {
  const [stationCode, delegateCode] = await Promise.all([node.code(station), node.code(delegate)]);
  const missing = [
    ...(delegateCode === '0x' ? [`delegate ${delegate}`] : []),
    ...(stationCode === '0x' ? [`gas station ${station}`] : []),
  ];
  if (missing.length > 0) return `there is no ${missing.join(' and no ')}`;
  const [its, domain] = await Promise.all([answer(node, station, ITS_DELEGATE), answer(node, delegate, DOMAIN)]);
  if (its === undefined || its.length !== 2 + WORD || `0x${its.slice(-40)}` !== delegate)
    return `the contract at ${station} is not a gas station of the delegate ${delegate}`;
  if (domain === undefined || textAt(domain, 1) !== 'TKGasDelegate' || textAt(domain, 2) !== '1.1')
    return `the contract at ${delegate} is not a delegate with the message domain TKGasDelegate 1.1`;
  return undefined;
}

/** How long a problem is remembered: it may be fixed at any time. */
const WRONG_FOR_MS = 3000;

export type Stations = { of(node: EvmNode): Promise<Station> };

async function look(settings: Settings, node: EvmNode): Promise<Station> {
  const { caip2 } = node;
  const station = stationAt(settings, caip2);
  let problem: string | undefined;
  try {
    problem = await problemOf(node, station);
  } catch (error) {
    if (error instanceof NoNodeError) throw asUnreachable(error);
    if (error instanceof RpcError) throw new Unreachable(`no RPC endpoint of ${caip2} answers now`);
    throw error;
  }
  if (problem === undefined) return station;
  throw new ApiError(
    'SPONSORSHIP_UNAVAILABLE',
    `batches and sponsored sends need contracts on ${caip2}: ${problem}. The operator deploys them with countersign chain deploy-station --network ${caip2}, or names others in GAS_STATIONS`,
  );
}

/** Looks at the code once for each network. Throws SPONSORSHIP_UNAVAILABLE, and `Unreachable` if no node answers. */
export function stations(settings: Settings, elapsed: Clock): Stations {
  const found = new Map<string, { station: Promise<Station>; until: number }>();
  return {
    of(node) {
      const kept = found.get(node.caip2);
      if (kept !== undefined && elapsed.now() < kept.until) return kept.station;
      const looking = { station: look(settings, node), until: Number.POSITIVE_INFINITY };
      found.set(node.caip2, looking);
      looking.station.catch((error: unknown) => {
        looking.until = error instanceof ApiError ? elapsed.now() + WRONG_FOR_MS : Number.NEGATIVE_INFINITY;
      });
      return looking.station;
    },
  };
}
