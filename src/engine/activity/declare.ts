import type { z } from 'zod';
import type { ErrorCode } from '../../base/errors.ts';
import { camelCase } from '../../base/names.ts';
import type { Vote } from '../../model/activity.ts';
import type { Roots, Type } from '../../policy/index.ts';
import type {
  Admission,
  AdmitContext,
  CheckContext,
  Custody,
  ExecuteContext,
  PrepareContext,
  ResolveContext,
  ReviewContext,
} from '../context.ts';
import type { Kept } from './kept.ts';
import type { Versions } from './versions.ts';

export { INT, listOf, type Roots, STRING } from '../../policy/index.ts';

/** One version of a result: the key in `result`, its shape, and the conversion from the newest result. */
export type ResultShape = { key: string; shape: z.ZodType };
export type OldResult<Result> = ResultShape & { until: number; write(result: Result): unknown };

export type PolicyParam<Intent> = readonly [type: Type, value: (intent: Intent) => unknown];

export type ActivitySpec<Intent, Result extends z.ZodType, Subject, Prepared, C extends Custody, W extends boolean> = {
  /** Such as CREATE_WALLET. Type names, path and intent keys are derived from it. */
  kind: string;
  resource: string;
  action: string;
  summary: string;
  /** `root-quorum`: only the root quorum may do it, and no policy can grant it. */
  governedBy?: 'policy' | 'root-quorum';
  /** Default: the lower-case kind. */
  path?: string;
  /**
   * `own`: users of the organization itself. `top-level`: the same, and the organization must not be a sub-organization. `parent`: also
   * users of the parent of a sub-organization; then the parent's root quorum and policies decide, and its users vote. `below`: also users
   * of the one sub-organization of the named organization that has their credential; it runs there. `proxy`: as `own`, and in a
   * sub-organization also the auth proxy of its parent; then the parent's policies decide.
   */
  callers?: 'own' | 'top-level' | 'parent' | 'below' | 'proxy';
  /**
   * Given where the caller is a newcomer: somebody who has no credential yet, and brings the passkey that stamps the request. Lets them
   * in, before anything costly is done for the request, and says where the activity runs, whose the passkey will be and where it is. All refusals that tell apart what exists must be alike. `execute` gets the arrival as its subject, and stores it.
   */
  admit?(ctx: AdmitContext, intent: NoInfer<Intent>): Promise<Admission>;
  /** Where the activity runs, if that is not the organization that the body names. */
  runsIn?(body: { timestampMs: string; fingerprint: string }): string;
  /**
   * Paths of parameters that are secrets, such as `authenticator.challenge` or, in every element of a list, `users.oauthProviders.oidcToken`:
   * a body that has one is stored sealed, and they are shown to those alone who sent it.
   */
  secrets?: readonly string[];
  /** Members of the newest result that are secrets, such as `session`: the result is stored sealed, and these are shown to its sender alone. */
  resultSecrets?: readonly string[];
  /** Members that are sealed to the client already, such as `credentialBundle`: stored sealed too, shown with the activity, in no list. */
  resultBundles?: readonly string[];
  /** What the activity may do with secrets: one kind of custody, or a list. Its `vault` has no other operation. */
  custody?: C | readonly C[];
  /** Further names by which published clients submit a type, and that type. The activity has the type. */
  aliases?: Readonly<Record<string, string>>;
  params: Versions<Intent>;
  /** What `activity.params` shows to policies, an allow-list in snake_case: name → type and value. */
  policyParams?: Readonly<Record<string, PolicyParam<NoInfer<Intent>>>>;
  /** `false`: only the record is written, in one guarded write, and `execute` gets no writer and no outbox. */
  writes?: W;
  /** Decided by facts in memory where they are there, as what only records is: its transaction checks them, and begins anew with those of the database. */
  recalls?: boolean;
  /**
   * Whether the facts are checked after all else is written. On PostgreSQL that holds the organization's row, so that others of it wait no
   * longer than for the commit. Only for what counts and names nothing of the organization, and takes no row that others take after it.
   */
  checksLast?(intent: NoInfer<Intent>): boolean;
  /** Reads the subject of the activity once, for policies and for `execute`. Refuses nothing: `execute` throws the errors. */
  resolve?(ctx: ResolveContext, intent: NoInfer<Intent>): Promise<Subject>;
  /** Further values that policies see, by root (`wallet`, `eth.eip_712`), for each element of a batch. Called only when policies decide. */
  policyView?(ctx: ResolveContext, intent: NoInfer<Intent>, subject: NoInfer<Subject>): Promise<readonly Roots[]>;
  /** The roots that `policyView` may show. Used to find policies that can never be true. */
  policyRoots?: readonly string[];
  /** Parameter values, as policies see them, for which the activity signs bytes that policies cannot read. */
  unread?: Readonly<Record<string, readonly string[]>>;
  /** `policyView` may show several elements, which are judged one by one. */
  batch?: true;
  /** The activity is a vote on the one whose fingerprint it names. */
  votes?: Vote['selection'];
  /** The user whose credentials the activity changes. No policy is needed if that user is the only approver. */
  ownCredentialsOf?(intent: NoInfer<Intent>): string;
  /** It gives its submitter what reading gives already. No policy and no other root user is needed, unless a policy says so. */
  grantsReading?: true;
  /** The only user who may submit it, whatever policies and the root quorum allow (users import for themselves). */
  onlyFor?(intent: NoInfer<Intent>): string;
  /**
   * Only such a credential may submit it, for its own user, whom `ownCredentialsOf` names. Nobody else is asked; a DENY still denies. Such
   * a credential may submit nothing else: not even a vote.
   */
  stampedBy?: 'recovery-key';
  /** Only a root user may submit it, whatever policies allow. Policies may still stand for the other votes of the root quorum. */
  startedBy?: 'root-user';
  result: { key: string; shape: Result };
  oldResults?: readonly OldResult<z.output<Result>>[];
  /** The codes that `check`, `prepare` and `execute` may throw. Any other code is still answered, and reported as a server fault. */
  errors: readonly ErrorCode[];
  /** Refuses parameters that are wrong in any database state. Runs before `prepare`, and before an activity waits for consensus. */
  check?(ctx: CheckContext, intent: NoInfer<Intent>): void;
  /**
   * Looks at a new body after `check`, before anything is written. `ctx.warn` tells its sender what is no reason to refuse it. Refuses a
   * text that is surely a mistake. What waited is not asked again: it was approved as it is.
   */
  review?(ctx: ReviewContext, intent: NoInfer<Intent>): Promise<void> | undefined;
  prepare?(ctx: PrepareContext<C>, intent: NoInfer<Intent>): Promise<Prepared>;
  execute(
    ctx: ExecuteContext<C, W>,
    intent: NoInfer<Intent>,
    subject: NoInfer<Subject>,
    prepared: Prepared,
  ): Promise<z.output<Result> | Kept>;
};

/** One version of a kind, as the wire names it. */
export type ActivityVersion = {
  type: string;
  version: number;
  intentKey: string;
  result: ResultShape & { write(result: unknown): unknown };
};

/** A declared activity with its types erased, as the engine, the routes and the documents use it. */
export type ActivityKind = {
  kind: string;
  resource: string;
  action: string;
  summary: string;
  governedBy: 'policy' | 'root-quorum';
  callers: 'own' | 'top-level' | 'parent' | 'below' | 'proxy' | 'newcomer';
  admit: ((ctx: AdmitContext, intent: unknown) => Promise<Admission>) | undefined;
  runsIn: ((body: { timestampMs: string; fingerprint: string }) => string) | undefined;
  secrets: readonly string[];
  resultSecrets: readonly string[];
  resultBundles: readonly string[];
  custody: readonly Custody[];
  /** /public/v1/submit/… */
  path: string;
  versions: ReadonlyMap<string, ActivityVersion>;
  aliases: Readonly<Record<string, string>> | undefined;
  params: Versions<unknown>;
  errors: readonly ErrorCode[];
  policyParams(intent: unknown): Record<string, unknown>;
  policyTypes: Readonly<Record<string, Type>>;
  writes: boolean;
  recalls: boolean;
  checksLast(intent: unknown): boolean;
  resolve(ctx: ResolveContext, intent: unknown): Promise<unknown>;
  policyView(ctx: ResolveContext, intent: unknown, subject: unknown): Promise<readonly Roots[]>;
  policyRoots: readonly string[];
  unread: Readonly<Record<string, readonly string[]>> | undefined;
  batch: true | undefined;
  votes: Vote['selection'] | undefined;
  ownCredentialsOf(intent: unknown): string | undefined;
  grantsReading: boolean;
  onlyFor(intent: unknown): string | undefined;
  stampedBy: 'recovery-key' | undefined;
  startedBy: 'root-user' | undefined;
  check: ((ctx: CheckContext, intent: unknown) => void) | undefined;
  review: ((ctx: ReviewContext, intent: unknown) => Promise<void> | undefined) | undefined;
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
    callers: spec.admit ? 'newcomer' : (spec.callers ?? 'own'),
    secrets: spec.secrets ?? [],
    resultSecrets: spec.resultSecrets ?? [],
    resultBundles: spec.resultBundles ?? [],
    custody: [spec.custody ?? []].flat(),
    path: `/public/v1/submit/${spec.path ?? spec.kind.toLowerCase()}`,
    versions,
    policyParams: (intent: Intent) => Object.fromEntries(shown.map(([name, [, value]]) => [name, value(intent)])),
    policyTypes: Object.fromEntries(shown.map(([name, [type]]) => [name, type])),
    writes: spec.writes ?? true,
    recalls: spec.recalls ?? spec.writes === false,
    checksLast: spec.checksLast ?? (() => false),
    resolve: spec.resolve ?? (async () => undefined),
    policyView: spec.policyView ?? (async () => [{}]),
    policyRoots: spec.policyRoots ?? [],
    ownCredentialsOf: spec.ownCredentialsOf ?? (() => undefined),
    grantsReading: spec.grantsReading ?? false,
    onlyFor: spec.onlyFor ?? (spec.stampedBy && spec.ownCredentialsOf) ?? (() => undefined),
    stampedBy: spec.stampedBy,
    startedBy: spec.startedBy,
  };
  return kind as unknown as ActivityKind;
}
