/** What several files of the benchmark name. */
import type { WorkName } from './floor-works.ts';
import type { Credentials, NewSession } from './stamp.ts';

export type Servers = { ports: number[]; pids: number[]; credentialsFile: string; signWith: string; stop(): Promise<void> };

export type Account = { curve: string; pathFormat: 'PATH_FORMAT_BIP32'; path: string; addressFormat: string };

export type Workload = {
  /** As `--workload=` takes it and the figures show it. */
  name: string;
  path: string;
  type: string;
  /** The wallet account that signs. */
  account: Account;
  /** An address of that format, for the floor, which has no accounts. */
  someAddress: string;
  /** Conditions of policies. With them, a user signs that one of them allows. Without, the root user signs. */
  conditions?: readonly string[];
  /** Parameters of the request `index`, which are its own. */
  parameters(signWith: string, index: number): object;
  /** Where none is asked for; 32 if absent. */
  concurrencies?: readonly number[];
  /** For a login: the users, in place of the signers. */
  login?: Login;
  /** Of each round unless told otherwise, where two would take too long in all. */
  seconds?: number;
  /** What the floor does (bench/floor-works.ts). */
  work: WorkName;
  /** Requests per second to prepare before the first measurement: more than most machines answer. */
  rate: number;
  /** Requests for each process before anything is measured. Fewer than the code needs are a little to the service's disadvantage. */
  warmup: number;
};

/** A login of one of many people, each in a sub-organization of their own. */
export type Login = {
  people: number;
  /** Their own credential stamps the request, or one of the parent. */
  stampedBy: 'person' | 'parent';
  parameters(person: Person, mint: Mint): object;
};

export type Person = Credentials & { email: string };

/** Mints a token for a person's address, which is bound to the key of a new session. Its id, and the token. */
export type Mint = (person: Person, session: NewSession) => { id: string; token: string };
