/**
 * Measures the cost of policies: decisions per second in this process, for organizations of 1, 100 and 10,000 policies, and
 * Cedar with the same policies. End to end: signatures a second by a user whom a policy allows, among 10 policies and among
 * 10,000.
 */
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { policyEnvironment } from '../src/app/policy-environment.ts';
import { buildIndex, compilePolicy, decide, openRequest, type PolicyIndex, type PolicySource } from '../src/policy/index.ts';
import type { Measured } from './load.ts';
import { withUser } from './prepare.ts';
import { type Contender, measureInTurn, secondsOf, warmUp } from './turns.ts';
import type { Servers } from './types.ts';
import { signRawPayload } from './workloads.ts';

export type DecisionFigures = {
  operation: 'decide';
  /** The field that the condition of every policy pins. */
  pinnedTo: 'address' | 'activity type';
  policies: number;
  decisionsPerSecond: number;
  /** The same set in Cedar, for sets that have the same form there. */
  cedarDecisionsPerSecond?: number;
  /** Our throughput divided by Cedar's. */
  ratioToCedar?: number;
  rounds: number;
  node: string;
};

export type PolicyFigures = {
  operation: 'sign_raw_payload by policy';
  engine: 'sqlite';
  concurrency: number;
  policies: [few: number, many: number];
  requestsPerSecond: [few: number, many: number];
  p50Ms: [few: number, many: number];
  p99Ms: [few: number, many: number];
  /** The cost of many policies as a multiple of the cost of few: by throughput, and by processor time if /proc has it. */
  cost: number;
  cpuCost?: number;
  rounds: number;
  secondsPerRound: number;
  node: string;
};

/** As many activity types as the interface has. */
const TYPES = 160;
const SIGN = 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2';
const SIZES = [1, 100, 10_000];
const FEW = 10;
const MANY = 10_000;

const addressOf = (i: number) => `0x${i.toString(16).padStart(40, '0')}`;
const typeOf = (i: number) => (i % TYPES === 0 ? SIGN : `ACTIVITY_TYPE_OTHER_${i % TYPES}`);
const userOf = (i: number) => `user-${i}`;

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}
const round = (value: number, digits: number) => Number(value.toFixed(digits));

type Question = { user: number; address: number; type: number };

/** Every other question is from a user whom no policy allows. */
const questions = (policies: number): Question[] =>
  Array.from({ length: 64 }, (_, i) => {
    const about = Math.floor((i * policies) / 64);
    return { user: i % 2 === 0 ? about : about + 1_000_000, address: about, type: about };
  });

function indexOf(policies: number, pinnedTo: DecisionFigures['pinnedTo']): PolicyIndex {
  const sources = Array.from({ length: policies }, (_, i): PolicySource => {
    const pin = pinnedTo === 'address' ? `wallet_account.address == '${addressOf(i)}'` : `activity.type == '${typeOf(i)}'`;
    const consensus = `approvers.any(u, u.id == '${userOf(i)}')`;
    return { effect: 'EFFECT_ALLOW', condition: `activity.action == 'SIGN' && ${pin}`, consensus };
  });
  return buildIndex(
    sources.map((source, i) => {
      const compiled = compilePolicy(source, policyEnvironment);
      if (!compiled.ok) throw new Error(`policy ${i} does not compile`);
      return { id: `policy-${i}`, policy: compiled.policy };
    }),
  );
}

function decideOurs(index: PolicyIndex, { user, address, type }: Question): boolean {
  const id = userOf(user);
  const { outcome } = decide({
    index,
    elements: [
      openRequest({
        activity: {
          type: typeOf(type),
          kind: 'SIGN_RAW_PAYLOAD',
          resource: 'PRIVATE_KEY',
          action: 'SIGN',
          params: { hash_function: 'HASH_FUNCTION_KECCAK256', encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' },
        },
        wallet: { id: 'wallet', imported: false, exported: false, label: 'Bench' },
        wallet_account: { address: addressOf(address), path_indexes: [], path_hardened: [] },
      }),
    ],
    rootQuorum: { threshold: 1, userIds: ['root'] },
    voters: [{ user: { id, tags: [], email: '', alias: '' }, credentials: [] }],
    defaultAllowance: false,
    nowMs: 0,
  });
  return outcome === 'OUTCOME_ALLOW';
}

/** Decisions a second, in slices of time so that two of them can take turns. */
function speed(decideOne: (question: Question) => boolean, asked: readonly Question[], seconds: number): number {
  const began = performance.now();
  let count = 0;
  for (;;) {
    decideOne(asked[count % asked.length]!);
    count++;
    if ((count & 15) === 0 || count < 16) {
      const elapsed = performance.now() - began;
      if (elapsed >= seconds * 1000) return (count / elapsed) * 1000;
    }
  }
}

/** The same question of the same set: the user is the principal, and the account is the resource. */
function cedar(policies: number): (question: Question) => boolean {
  const name = `bench-${policies}`;
  const staticPolicies = Array.from(
    { length: policies },
    (_, i) => `permit(principal == User::"${userOf(i)}", action == Action::"SIGN", resource == Account::"${addressOf(i)}");`,
  ).join('\n');
  const parsed = preparsePolicySet(name, { staticPolicies });
  if (parsed.type !== 'success') throw new Error(`Cedar does not take the policies: ${JSON.stringify(parsed.errors[0])}`);
  return ({ user, address }) => {
    const answer = statefulIsAuthorized({
      principal: { type: 'User', id: userOf(user) },
      action: { type: 'Action', id: 'SIGN' },
      resource: { type: 'Account', id: addressOf(address) },
      context: {},
      preparsedPolicySetId: name,
      entities: [],
    });
    if (answer.type !== 'success') throw new Error(`Cedar failed: ${JSON.stringify(answer.errors[0])}`);
    return answer.response.decision === 'allow';
  };
}

/** Ours and Cedar's in turn, after both have given the same answers. */
export function measureDecisions(
  { rounds, seconds = 2 }: { rounds: number; seconds: number | undefined },
  say: (text: string) => void,
): DecisionFigures[] {
  const figures: DecisionFigures[] = [];
  for (const pinnedTo of ['address', 'activity type'] as const) {
    for (const policies of SIZES) {
      const index = indexOf(policies, pinnedTo);
      const asked = questions(policies);
      const ours = (question: Question) => decideOurs(index, question);
      const theirs = pinnedTo === 'address' ? cedar(policies) : undefined;
      for (const question of asked) {
        const allowed = question.user === question.address;
        if (ours(question) !== allowed || (theirs && theirs(question) !== allowed))
          throw new Error(`the decisions differ: ${JSON.stringify(question)}`);
      }
      speed(ours, asked, seconds / 4);
      const fast: number[] = [];
      const slow: number[] = [];
      for (let turn = 0; turn < rounds; turn++) {
        fast.push(speed(ours, asked, seconds / 4));
        if (theirs) slow.push(speed(theirs, asked, seconds / 4));
      }
      const decisionsPerSecond = Math.round(median(fast));
      const comparison = theirs && {
        cedarDecisionsPerSecond: round(median(slow), 1),
        ratioToCedar: round(median(fast) / median(slow), 1),
      };
      figures.push({ operation: 'decide', pinnedTo, policies, decisionsPerSecond, ...comparison, rounds, node: process.version });
      const beside = comparison ? `, Cedar ${comparison.cedarDecisionsPerSecond}/s, ratio ${comparison.ratioToCedar}` : '';
      say(`decide, ${policies} policies pinned to an ${pinnedTo}: ${decisionsPerSecond}/s${beside}`);
    }
  }
  return figures;
}

/** A user whom one of `policies` policies allows to sign. */
const withPolicies = <T extends Servers>(servers: T, policies: number): Promise<T> =>
  withUser(
    servers,
    Array.from({ length: policies }, (_, i) => {
      const address = i === 0 ? servers.signWith : addressOf(i);
      return `activity.action == 'SIGN' && wallet_account.address == '${address}'`;
    }),
  );

type Signing = { rounds: number; seconds: number | undefined; warmup: number | undefined; concurrencies: readonly number[] };

/** Two services side by side, loaded in turn. */
export async function measureSigning(
  { rounds, seconds, warmup, concurrencies }: Signing,
  start: () => Promise<Servers>,
  say: (text: string) => void,
): Promise<PolicyFigures[]> {
  const started: Servers[] = [];
  try {
    const contenders: Contender[] = [];
    for (const policies of [FEW, MANY]) {
      const servers = await start();
      started.push(servers);
      const name = `sign_raw_payload by policy, ${policies} policies`;
      contenders.push({ ...(await withPolicies(servers, policies)), workload: signRawPayload, name });
    }
    await warmUp(contenders, warmup);
    const figures: PolicyFigures[] = [];
    for (const concurrency of concurrencies) {
      const [ofFew, ofMany] = (await measureInTurn(contenders, { concurrency, rounds, seconds }, say)) as [
        Measured[],
        Measured[],
      ];
      const middle = (all: Measured[], of: (one: Measured) => number) => round(median(all.map(of)), 3);
      const both = (of: (one: Measured) => number): [number, number] => [middle(ofFew, of), middle(ofMany, of)];
      const requestsPerSecond = both((one) => one.requestsPerSecond);
      const perCpu = both((one) => one.requestsPerCpuSecond ?? Number.NaN);
      const cpuCost = round(perCpu[0] / perCpu[1], 3);
      figures.push({
        operation: 'sign_raw_payload by policy',
        engine: 'sqlite',
        concurrency,
        policies: [FEW, MANY],
        requestsPerSecond,
        p50Ms: both((one) => one.p50Ms),
        p99Ms: both((one) => one.p99Ms),
        cost: round(requestsPerSecond[0] / requestsPerSecond[1], 3),
        ...(Number.isNaN(cpuCost) ? {} : { cpuCost }),
        rounds,
        secondsPerRound: secondsOf(signRawPayload, seconds),
        node: process.version,
      });
    }
    return figures;
  } finally {
    for (const servers of started) await servers.stop();
  }
}

/** Both kinds of figures as text. */
export function decisionsTable(decisions: readonly DecisionFigures[], signing: readonly PolicyFigures[]): string {
  const rows = [['policies', 'pinned to', 'decisions/s', 'Cedar/s', 'ratio']];
  for (const of of decisions) {
    const { policies, pinnedTo, decisionsPerSecond, cedarDecisionsPerSecond, ratioToCedar } = of;
    rows.push([policies, pinnedTo, decisionsPerSecond, cedarDecisionsPerSecond ?? '–', ratioToCedar ?? '–'].map(String));
  }
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const text = rows.map((row) => row.map((cell, column) => cell.padStart(widths[column]!)).join('  '));
  const lines = signing.map(({ concurrency, policies, requestsPerSecond, p50Ms, cost, cpuCost }) => {
    const [few, many] = policies.map(
      (n, i) => `${n} policies ${requestsPerSecond[i]!.toFixed(0)}/s, p50 ${p50Ms[i]!.toFixed(2)} ms`,
    );
    return `sqlite, concurrency ${concurrency}: ${few}; ${many}; ${cost.toFixed(2)} times the cost (${cpuCost?.toFixed(2) ?? '–'} of CPU; at most 2)`;
  });
  return ['Decisions in one process', '', ...text, '', 'sign_raw_payload by a user whom a policy allows', '', ...lines].join(
    '\n',
  );
}
