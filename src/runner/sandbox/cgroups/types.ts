import type { Limits } from '../types.ts';

/** The limits that the kernel keeps for a group of processes. */
export type GroupLimits = Omit<Limits, 'tmpBytes'>;

/** The processes of one app. */
export interface Group {
  /** A process joins the group by writing its number into each. */
  readonly joinFiles: readonly string[];
  pids(): number[];
  counts(): { oomKills: number; refusedForks: number };
  /** Kills every process of the group once, and lets none fork. */
  kill(): void;
  /** False while the group has processes. */
  remove(): boolean;
}

export interface Cgroups {
  readonly version: 1 | 2;
  create(name: string, limits: GroupLimits): Group;
  /** The groups that exist, also those of other runners. */
  names(): string[];
  existing(name: string): Group;
}

/** Each period has 100 ms of every processor. */
export const CPU_PERIOD_US = 100_000;

/** The kernel refuses less. */
const LEAST_QUOTA_US = 1_000;

/** The time of a period that a group has. */
export const cpuQuotaUs = (cpus: number): number => Math.max(Math.round(cpus * CPU_PERIOD_US), LEAST_QUOTA_US);
