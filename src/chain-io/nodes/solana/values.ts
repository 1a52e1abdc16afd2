import { list, object, optional, place, text, whole } from '../read.ts';
import type { LookUp } from '../types.ts';

/** How sure a node must be. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

export type SolanaBlockhash = { readonly blockhash: string; readonly lastValidBlockHeight: bigint; readonly slot: bigint };

export type SolanaSimulation = {
  /** A TransactionError as JSON; undefined if it succeeds. */
  readonly err: unknown;
  readonly logs: readonly string[];
  readonly unitsConsumed: bigint | undefined;
  readonly innerInstructions: unknown;
};

export type SolanaStatus = {
  readonly slot: bigint;
  readonly err: unknown;
  readonly commitment: Commitment;
};

/** `isAgreed`: every endpoint says that it is final, with the same outcome. */
export type SolanaFound = LookUp<SolanaStatus> & { readonly isAgreed: boolean };

export type SolanaAccount = {
  readonly lamports: bigint;
  readonly owner: string;
  readonly data: Uint8Array;
  readonly executable: boolean;
};

/** A landed transaction, with the parts that explain its failure. */
export type SolanaLanded = SolanaSimulation & { readonly slot: bigint; readonly fee: bigint };

export const COMMITMENTS: readonly Commitment[] = ['processed', 'confirmed', 'finalized'];

/** `{ context, value }`, the form of most answers. */
export const valueIn = (result: unknown): unknown => object(result).value;

const logsOf = (logs: unknown): string[] => (optional(list)(logs) ?? []).map(text);

export function readBlockhash(result: unknown): SolanaBlockhash {
  const { context, value } = object(result);
  const { blockhash, lastValidBlockHeight } = object(value);
  return { blockhash: text(blockhash), lastValidBlockHeight: place(lastValidBlockHeight), slot: place(object(context).slot) };
}

function readOutcome({ err, logs, unitsConsumed, innerInstructions }: Record<string, unknown>): SolanaSimulation {
  return {
    err: err ?? undefined,
    logs: logsOf(logs),
    unitsConsumed: optional(whole)(unitsConsumed),
    innerInstructions: innerInstructions ?? undefined,
  };
}

export const readSimulation = (result: unknown): SolanaSimulation => readOutcome(object(valueIn(result)));

/** Old nodes have no `confirmationStatus`: without a count of confirmations it is final. */
function readStatus(value: unknown): SolanaStatus {
  const { slot, err, confirmations, confirmationStatus } = object(value);
  const named = COMMITMENTS.find((one) => one === confirmationStatus);
  return {
    slot: place(slot),
    err: err ?? undefined,
    commitment: named ?? (confirmations === null || confirmations === undefined ? 'finalized' : 'processed'),
  };
}

export function readStatuses(count: number, result: unknown): (SolanaStatus | undefined)[] {
  const statuses = list(valueIn(result));
  if (statuses.length !== count) throw new Error('the number of statuses differs from the number of signatures');
  return statuses.map(optional(readStatus));
}

export function readAccount(value: unknown): SolanaAccount {
  const { lamports, owner, data, executable } = object(value);
  const [bytes] = list(data);
  return {
    lamports: whole(lamports),
    owner: text(owner),
    data: new Uint8Array(Buffer.from(text(bytes), 'base64')),
    executable: executable === true,
  };
}

export function readLanded(value: unknown): SolanaLanded {
  const { slot, meta } = object(value);
  const { err, logMessages, computeUnitsConsumed, innerInstructions, fee } = object(meta);
  return {
    ...readOutcome({ err, logs: logMessages, unitsConsumed: computeUnitsConsumed, innerInstructions }),
    slot: place(slot),
    fee: whole(fee),
  };
}

const isFinalAs = (value: SolanaStatus, { commitment, err }: SolanaStatus): boolean =>
  commitment === 'finalized' && (err === undefined) === (value.err === undefined);

const further = (a: SolanaStatus, b: SolanaStatus): SolanaStatus =>
  COMMITMENTS.indexOf(b.commitment) > COMMITMENTS.indexOf(a.commitment) ? b : a;

/** One signature, by the answers of some of the endpoints. */
export function foundIn(said: readonly (SolanaStatus | undefined)[], endpoints: number): SolanaFound {
  const known = said.filter((status) => status !== undefined);
  const value = known.length === 0 ? undefined : known.reduce(further);
  const isAgreed = value !== undefined && known.length === endpoints && known.every((status) => isFinalAs(value, status));
  return { value, answered: said.length, endpoints, isAgreed };
}

export const readPriorityFees = (result: unknown): { slot: bigint; lamports: bigint }[] =>
  list(result).map((one) => {
    const { slot, prioritizationFee } = object(one);
    return { slot: whole(slot), lamports: whole(prioritizationFee) };
  });
