/** The service of the bench on a chain, a user who sends, and another user who signs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cpuSeconds } from '../cpu.ts';
import type { Measured } from '../load.ts';
import { measuredBy, startLoad, type Target } from '../loader.ts';
import { addPeople, guestsOf } from '../logins.ts';
import { createAccount } from '../prepare.ts';
import { freshFolder, startOn } from '../servers.ts';
import { readCredentials } from '../stamp.ts';
import type { Workload } from '../types.ts';
import { signRawPayload } from '../workloads.ts';
import type { Chain } from './chain.ts';
import type { Answers } from './windows.ts';
import { CAIP2, GIVEN } from './workloads.ts';

/** Signatures that go on until they are ended, or have run out. */
export type Signing = { isOver(): boolean; end(): Promise<Answers> };

export type Service = {
  port: number;
  pid: number;
  credentialsFile: string;
  /** Gives a new account funds. Its address. */
  newSender(): Promise<string>;
  /** Loads the service with sends of an account, or with signatures of another organization. Throws if a request fails. */
  load(from: string, load: { workload: Workload; connections: number; count: number }): Promise<Measured>;
  /** Resolves when the warm-up has ended. */
  signs(load: { connections: number; seconds: number; warmup: number; rate: number }): Promise<Signing>;
  cpu(): number;
  stop(): Promise<void>;
};

/** Processor seconds of a process; not a number where /proc does not tell. */
export const cpuOf = (pid: number): number => cpuSeconds([pid]) ?? Number.NaN;

export async function startSending(program: string, chain: Chain, nodeUrl = chain.url, databaseUrl?: string): Promise<Service> {
  const { folder, remove } = freshFolder();
  const setting = `RPC_URL_${CAIP2.toUpperCase().replace(':', '_')}`;
  const { port, pid, stop } = await startOn(folder, databaseUrl, program, { [setting]: nodeUrl });
  const credentialsFile = join(folder, 'root-credentials.json');
  const root = readCredentials(credentialsFile);

  const target = (file: string, signWith: string, workload: Workload): Target => ({
    ports: [port],
    pids: [pid],
    credentialsFile: file,
    signWith,
    workload,
  });

  let senders = 0;
  let other: Promise<{ file: string; address: string }> | undefined;
  async function another() {
    await addPeople({ credentialsFile, ports: [port], pids: [pid], signWith: '', stop }, 1, databaseUrl);
    const person = (await guestsOf(credentialsFile)).people[0]!;
    const file = join(folder, 'other-credentials.json');
    writeFileSync(file, JSON.stringify(person), { mode: 0o600 });
    return { file, address: await createAccount(port, person, signRawPayload.account) };
  }

  return {
    port,
    pid,
    credentialsFile,
    async newSender() {
      const address = await createAccount(port, root, GIVEN.account, `Sender ${senders++}`);
      await chain.fund(address);
      return address;
    },
    load: (from, { workload, ...load }) => measuredBy(startLoad(target(credentialsFile, from, workload), load)),
    async signs(load) {
      other ??= another();
      const { file, address } = await other;
      const program = startLoad(target(file, address, signRawPayload), load, '--list');
      let over = false;
      const done = measuredBy(program).finally(() => {
        over = true;
      });
      await Promise.race([program.said, done]);
      // The caller gets a failure when it ends this.
      done.catch(() => {});
      return {
        isOver: () => over,
        async end() {
          program.end();
          return (await done).answers!;
        },
      };
    },
    cpu: () => cpuOf(pid),
    async stop() {
      await stop();
      remove();
    },
  };
}
