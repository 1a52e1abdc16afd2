/** What signs beside a measurement, and which share of the processor each side takes. */
import type { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuSeconds, mainSeconds } from '../cpu.ts';
import type { Measured } from '../load.ts';
import { startProgram } from '../servers.ts';
import { type Request, send } from './organizations.ts';

/** `others`: receivers, readers, and the sender of events. They share the processor with the service on one machine. */
export type Beside = { signaturesPerSecond: number; p99Ms: number; serviceCores: number; mainCores: number; othersCores: number };

export type At = { port: number; pid: number; credentials: string; signWith: string; others: readonly number[] };

/** Of the organization that signs beside. */
const CONNECTIONS = 8;

export async function besides(at: At, seconds: number, run: () => Promise<void>): Promise<Beside> {
  const load = startProgram([
    fileURLToPath(new URL('../load.ts', import.meta.url)),
    `--ports=${at.port}`,
    `--credentials=${at.credentials}`,
    `--sign-with=${at.signWith}`,
    `--connections=${CONNECTIONS}`,
    '--warmup=1',
    `--seconds=${seconds - 2}`,
    '--rate=3000',
    `--pids=${at.pid}`,
    '--wait',
  ]);
  await load.said;
  const others = [...at.others, process.pid];
  const before = { service: cpuSeconds([at.pid])!, main: mainSeconds(at.pid), others: cpuSeconds(others)! };
  const began = performance.now();
  load.go();
  await run();
  const coresOf = (now: number, then: number) => ((now - then) / (performance.now() - began)) * 1000;
  const cores = {
    serviceCores: coresOf(cpuSeconds([at.pid])!, before.service),
    mainCores: coresOf(mainSeconds(at.pid), before.main),
    othersCores: coresOf(cpuSeconds(others)!, before.others),
  };
  const [, figures] = (await load.output).split('\n');
  const measured = JSON.parse(figures!) as Measured;
  if (measured.errors > 0) throw new Error(`${measured.errors} signatures failed: ${measured.firstError}`);
  return { signaturesPerSecond: measured.requestsPerSecond, p99Ms: measured.p99Ms, ...cores };
}

/** Sends each request at its moment, whether or not those before it were answered. */
export async function paced(port: number, agent: Agent, requests: readonly Request[], perSecond: number): Promise<void> {
  const began = performance.now();
  await Promise.all(
    requests.map(async (request, i) => {
      const wait = began + (i * 1000) / perSecond - performance.now();
      if (wait > 0) await sleep(wait);
      await send(port, agent, request);
    }),
  );
}

const sorted = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);
export const shareOf = (values: readonly number[], share: number): number => {
  const all = sorted(values);
  return all[Math.min(all.length - 1, Math.floor(all.length * share))]!;
};
export const median = (rounds: readonly Beside[]): Beside =>
  rounds.toSorted((a, b) => a.signaturesPerSecond - b.signaturesPerSecond)[Math.floor(rounds.length / 2)]!;

export const besideRow = (name: string, { signaturesPerSecond, p99Ms, serviceCores, mainCores, othersCores }: Beside): string =>
  `  ${name.padEnd(22)}${signaturesPerSecond.toFixed(0).padStart(8)} signatures/s beside, p99 ${p99Ms.toFixed(1)} ms; cores: ` +
  `service ${serviceCores.toFixed(2)} (main thread ${mainCores.toFixed(2)}), the bench's others ${othersCores.toFixed(2)}`;
