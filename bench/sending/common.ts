import type { Workload } from '../types.ts';
import { type Chain, startChain, unstuck } from './chain.ts';
import { type Service, startSending } from './service.ts';
import { at } from './windows.ts';

export type Options = {
  program: string;
  burst: number;
  rounds: number;
  /** Of another organization, beside signatures. */
  sendsPerSecond: number;
  /** Of a fresh one; undefined: SQLite. */
  databaseUrl(): Promise<string | undefined>;
  say(text: string): void;
};

export const feesOf = (workload: Workload): string => workload.name.split('/')[1]!;

export const median = <T>(rows: readonly T[], of: (row: T) => number): number => at(rows.map(of), 0.5);

/** A service on a chain of its own, for one measurement. */
export function on<T>(
  { program, databaseUrl, say }: Options,
  blockTime: number | undefined,
  use: (service: Service, chain: Chain) => Promise<T>,
): Promise<T> {
  return unstuck(say, async () => {
    const chain = await startChain(blockTime);
    try {
      const service = await startSending(program, chain, chain.url, await databaseUrl());
      try {
        return await use(service, chain);
      } finally {
        await service.stop();
      }
    } finally {
      await chain.stop();
    }
  });
}
