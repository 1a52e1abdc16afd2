import type { z } from 'zod';
import type { ErrorCode } from '../../base/errors.ts';
import { camelCase } from '../../base/names.ts';
import type { Vote } from '../../model/activity.ts';
import type { Roots, Type } from '../../policy/index.ts';
import type { CheckContext, Custody, ExecuteContext, PrepareContext, ResolveContext } from '../context.ts';
import type { Versions } from './versions.ts';

export { INT, listOf, type Roots, STRING } from '../../policy/index.ts';

/** A result as one of its versions writes it: the key in `result`, its shape, and how the newest result becomes it. */
export type ResultShape = { key: string; shape: z.ZodType };
export type OldResult<Result> = ResultShape & { until: number; write(result: Result): unknown };

export type PolicyParam<Intent> = readonly [type: Type, value: (intent: Intent) => unknown];

export type ActivitySpec<Intent, Result extends z.ZodType, Subject, Prepared, C extends Custody, W extends boolean> = {
  /** CREATE_WALLET: type names, path and intent keys follow from it. */
  kind: string;
  resource: string;
  action: string;
  summary: string;
  /** `root-quorum`: only the root quorum may, and no policy can grant it. */
  governedBy?: 'policy' | 'root-quorum';
  /** Where it is not the lower-case kind. */
  path?: string;
  /** `own`: users of the organization itself. `top-level`: the same, and the organization must not be a sub-organization. */
  callers?: 'own' | 'top-level';
  custody?: C;
  params: Versions<Intent>;
  /** What `activity.params` shows to policies, an allow-list in snake_case: name → type and value. */
  policyParams?: Readonly<Record<string, PolicyParam<NoInfer<Intent>>>>;
  /** `false`: nothing but the record is written, in one guarded write, and `execute` gets neither a writer nor an outbox. */
  writes?: W;
  /** Reads what the activity is about, once: policies and `execute` are given the same. It refuses nothing: what is wrong with it is for `execute` to say. */
  resolve?(ctx: ResolveContext, intent: NoInfer<Intent>): Promise<Subject>;
  /** What else policies see: values by root (`wallet`, `eth.eip_712`), for each element of a batch. Asked only when policies decide. */
  policyView?(ctx: ResolveContext, intent: NoInfer<Intent>, subject: NoInfer<Subject>): Promise<readonly Roots[]>;
  /** The roots that `policyView` may show: what policies are checked against for what can never be true. */
  policyRoots?: readonly string[];
  /** Parameters, as policies see them, with which it signs bytes that policies cannot read. */
  unread?: Readonly<Record<string, readonly string[]>>;
  /** The activity is a vote on the one whose fingerprint it names. */
  votes?: Vote['selection'];
  /** For changes to one's own credentials: whose they are. Allowed without a policy when that is the caller alone. */
  ownCredentialsOf?(intent: NoInfer<Intent>): string;
  /** The one user who may start it, whatever policies and the root quorum say (imports are for oneself). */
  onlyFor?(intent: NoInfer<Intent>): string;
  result: { key: string; shape: Result };
  oldResults?: readonly OldResult<z.output<Result>>[];
  /** The codes that `check`, `prepare` and `execute` may throw. Another one is answered all the same, and reported as a fault of ours. */
  errors: readonly ErrorCode[];
  /** Refuses what is wrong with the parameters whatever the database holds: before `prepare`, and before an activity waits for others. */
  check?(ctx: CheckContext, intent: NoInfer<Intent>): void;
  prepare?(ctx: PrepareContext<C>, intent: NoInfer<Intent>): Promise<Prepared>;
  execute(
    ctx: ExecuteContext<C, W>,
    intent: NoInfer<Intent>,
    subject: NoInfer<Subject>,
    prepared: Prepared,
  ): Promise<z.output<Result>>;
};

/** One version of a kind, as the wire names it. */
export type ActivityVersion = {
  type: string;
  version: number;
  intentKey: string;
  result: ResultShape & { write(result: unknown): unknown };
};

/** A declared activity with its types erased: what the engine, the routes and the documents work with. */
export type ActivityKind = {
  kind: string;
  resource: string;
  action: string;
  summary: string;
  governedBy: 'policy' | 'root-quorum';
  callers: 'own' | 'top-level';
  custody: Custody;
  /** /public/v1/submit/… */
  path: string;
  versions: ReadonlyMap<string, ActivityVersion>;
  params: Versions<unknown>;
  errors: readonly ErrorCode[];
  policyParams(intent: unknown): Record<string, unknown>;
  policyTypes: Readonly<Record<string, Type>>;
  writes: boolean;
  resolve(ctx: ResolveContext, intent: unknown): Promise<unknown>;
  policyView(ctx: ResolveContext, intent: unknown, subject: unknown): Promise<readonly Roots[]>;
  policyRoots: readonly string[];
  unread: Readonly<Record<string, readonly string[]>> | undefined;
  votes: Vote['selection'] | undefined;
  ownCredentialsOf(intent: unknown): string | undefined;
  onlyFor(intent: unknown): string | undefined;
  check: ((ctx: CheckContext, intent: unknown) => void) | undefined;
  prepare: ((ctx: PrepareContext<Custody>, intent: unknown) => Promise<unknown>) | undefined;
  execute(ctx: ExecuteContext<Custody, boolean>, intent: unknown, subject: unknown, prepared: unknown): Promise<unknown>;
};

const suffix = (version: number): string => (version === 1 ? '' : `V${version}`);

export function activity<
  Intent,
  Result extends z.ZodType,
  Subject = undefined,
  Prepared = undefined,
  C extends Custody = 'none',
  W extends boolean = true,
>(spec: ActivitySpec<Intent, Result, Subject, Prepared, C, W>): ActivityKind {
  const versions = new Map<string, ActivityVersion>();
  for (const version of spec.params.numbers) {
    const type = `ACTIVITY_TYPE_${spec.kind}${version === 1 ? '' : `_V${version}`}`;
    const old = spec.oldResults?.find((result) => version <= result.until);
    const write = (old?.write ?? ((result: unknown) => result)) as (result: unknown) => unknown;
    const { key, shape } = old ?? spec.result;
    versions.set(type, {
      type,
      version,
      intentKey: `${camelCase(spec.kind)}Intent${suffix(version)}`,
      result: { key, shape, write },
    });
  }
  const shown = Object.entries(spec.policyParams ?? {});
  const kind = {
    ...spec,
    governedBy: spec.governedBy ?? 'policy',
    callers: spec.callers ?? 'own',
    custody: spec.custody ?? 'none',
    path: `/public/v1/submit/${spec.path ?? spec.kind.toLowerCase()}`,
    versions,
    policyParams: (intent: Intent) => Object.fromEntries(shown.map(([name, [, value]]) => [name, value(intent)])),
    policyTypes: Object.fromEntries(shown.map(([name, [type]]) => [name, type])),
    writes: spec.writes ?? true,
    resolve: spec.resolve ?? (async () => undefined),
    policyView: spec.policyView ?? (async () => [{}]),
    policyRoots: spec.policyRoots ?? [],
    ownCredentialsOf: spec.ownCredentialsOf ?? (() => undefined),
    onlyFor: spec.onlyFor ?? (() => undefined),
  };
  return kind as unknown as ActivityKind;
}
