/** The load generator (bench/load.ts) as a process of its own. */
import { fileURLToPath } from 'node:url';
import type { Measured } from './load.ts';
import { type Program, startProgram } from './servers.ts';
import type { Servers, Workload } from './types.ts';

/** The processes to load. `database`: the first process of the database's server. */
export type Target = Omit<Servers, 'stop'> & { workload: Workload; database?: number | undefined };

/** With `--count`, or `--warmup`, `--seconds` and a rate, which is the workload's unless given. */
export type Load = { connections: number; rate?: number } & ({ count: number } | { warmup: number; seconds: number });

const PROGRAM = fileURLToPath(new URL('load.ts', import.meta.url));

export function startLoad(target: Target, load: Load, ...more: ('--list' | '--wait')[]): Program {
  const { ports, pids, credentialsFile, signWith, workload, database } = target;
  return startProgram([
    PROGRAM,
    `--ports=${ports.join(',')}`,
    `--pids=${pids.join(',')}`,
    `--credentials=${credentialsFile}`,
    `--sign-with=${signWith}`,
    `--workload=${workload.name}`,
    `--connections=${load.connections}`,
    `--rate=${load.rate ?? workload.rate}`,
    ...('count' in load ? [`--count=${load.count}`] : [`--warmup=${load.warmup}`, `--seconds=${load.seconds}`]),
    ...(database === undefined ? [] : [`--database=${database}`]),
    ...more,
  ]);
}

/** Its figures, when it has ended. Throws if a request failed. */
export async function measuredBy(program: Program): Promise<Measured> {
  const measured = JSON.parse((await program.output).trim().split('\n').at(-1)!) as Measured;
  if (measured.errors > 0) throw new Error(`${measured.errors} requests failed; the first: ${measured.firstError}`);
  return measured;
}
