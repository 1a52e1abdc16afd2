import type { z } from 'zod';
import { errorsOf, type Throws } from '../../base/declared-errors.ts';
import type { ErrorCode } from '../../base/errors.ts';
import { camelCase } from '../../base/names.ts';
import type { Reading } from '../../chains/shared/transfers.ts';
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
import type { RefusalThatWrites } from './refusal-that-writes.ts';
import { type SubmitterSpec, type Submitters, submittersOf } from './submitters.ts';
import type { UsageSpec } from './usage.ts';
import type { Versions } from './versions.ts';

export { INT, listOf, mapOf, type Roots, STRING } from '../../policy/index.ts';

/** One version of a result: the key in `result`, its shape, and the conversion from the newest result. */
export type ResultShape = { key: string; shape: z.ZodType };
export type OldResult<Result> = ResultShape & { until: number; write(result: Result): unknown };

/**
 * `element`: the place in `policyView`'s list. `subject` is undefined where a policy is tested without a database. A value that is
 * undefined is missing, and an expression that reads it fails.
 */
export type PolicyParam<Intent, Subject> = readonly [
  type: Type,
  value: (intent: Intent, at: { element: number; subject: Subject | undefined }) => unknown,
];

export type ActivitySpec<Intent, Result extends z.ZodType, Subject, Prepared, C extends Custody, W extends boolean> = {
  /** Such as CREATE_WALLET. Type names, path and intent keys are derived from it. */
  kind: string;
  resource: string;
  action: string;
  summary: string;
  /** `root-quorum`: only the root quorum may run it; no policy can grant it. */
  governedBy?: 'policy' | 'root-quorum';
  /** Default: the lower-case kind. */
  path?: string;
  submitters?: SubmitterSpec<NoInfer<Intent>>;
  /**
   * Given where the caller is a newcomer: a caller without a credential, who brings the passkey that stamps the request. Admits
   * the newcomer before the request causes any costly work. Returns where the activity runs, the future owner of the passkey,
   * and the passkey's field. Refusals that reveal what exists must all look alike. `execute` gets the arrival as its subject,
   * and stores it.
   */
  admit?(step: { ctx: AdmitContext; intent: NoInfer<Intent> }): Promise<Admission>;
  /**
   * The answer to every body with another type or any unknown member. Such a body may hold what the service must never have.
   * It is refused before a look-up, the stamp, the fingerprint and the log.
   */
  exactly?: string;
  /** Where the activity runs, if that is not the organization that the body names. */
  runsIn?(body: { timestampMs: string; fingerprint: string }): string;
  /**
   * Paths of secret parameters, such as `authenticator.challenge` or, in every element of a list,
   * `users.oauthProviders.oidcToken`. A body with a secret is stored sealed. The secrets are shown only to users who sent them.
   */
  secrets?: readonly string[];
  /**
   * Secret members of the newest result, such as `session`. The result is stored sealed, and these are shown only to its
   * sender.
   */
  resultSecrets?: readonly string[];
  /**
   * Members that are already sealed to the client, such as `credentialBundle`. They are stored sealed too. They are shown with
   * the activity, but in no list.
   */
  resultBundles?: readonly string[];
  /** What the activity may do with secrets: one kind of custody, or a list. Its `vault` has no other operation. */
  custody?: C | readonly C[];
  /** Further type names that published clients submit, with the type that the activity then has. */
  aliases?: Readonly<Record<string, string>>;
  params: Versions<Intent>;
  /** What `activity.params` shows to policies, an allow-list in snake_case: name → type and value. */
  policyParams?: Readonly<Record<string, PolicyParam<NoInfer<Intent>, NoInfer<Subject>>>>;
  /** `false`: the activity writes only its record, in one guarded write. `execute` gets no writer and no outbox. */
  writes?: W;
  /**
   * Decided by the facts in memory, if they are there, like an activity that writes only its record. Its transaction checks
   * these facts. If they are outdated, it starts again with those of the database.
   */
  recalls?: boolean;
  /** What one completed activity counts as. Default: an activity, and nothing else. */
  usage?: UsageSpec<NoInfer<Intent>>;
  /**
   * Whether the facts are checked after all other writes. On PostgreSQL the check locks the organization's row, so other writes
   * of the organization then wait only for the commit. Only for an activity that counts something and names nothing of the
   * organization. It must lock no row that others lock after the organization's.
   */
  checksLast?(intent: NoInfer<Intent>): boolean;
  /**
   * Reads the subject of the activity once, for policies and for `execute`. It refuses nothing: `execute` throws the errors.
   */
  resolve?(step: { ctx: ResolveContext; intent: NoInfer<Intent> }): Promise<Subject>;
  /** Further values that policies see, by root (`wallet`, `eth.eip_712`), for each element of a batch. Called only when policies decide. */
  policyView?(step: { ctx: ResolveContext; intent: NoInfer<Intent>; subject: NoInfer<Subject> }): Promise<readonly Roots[]>;
  /**
   * What each of its signatures takes from the key that makes it, read from what is signed. Every kind that signs with keys of users
   * declares it, and an entry of `src/domain/transfers/kinds.ts`.
   */
  takes?(step: { ctx: ResolveContext; intent: NoInfer<Intent>; subject: NoInfer<Subject> }): Promise<readonly Taken[]>;
  /** The roots that `policyView` may show. Used to find policies that can never be true. */
  policyRoots?: readonly string[];
  /** Parameter values, as policies see them, for which the activity signs bytes that policies cannot read. */
  unread?: Readonly<Record<string, readonly string[]>>;
  /** `policyView` may return several elements, which are judged one by one. */
  batch?: true;
  /** The activity is a vote on the one whose fingerprint it names. */
  votes?: Vote['selection'];
  /** It is answered when the statements that began before it have ended: they may have decided without it. */
  fences?: true;
  result: { key: string; shape: Result };
  oldResults?: readonly OldResult<z.output<Result>>[];
  /**
   * What `check`, `prepare` and `execute` may throw: the functions that they call, and codes of their own. Any other code is
   * still answered, and reported as a server fault.
   */
  errors: readonly Throws[];
  /**
   * Refuses parameters that are wrong whatever the database holds. Runs before `prepare`, and before an activity waits for
   * consensus.
   */
  check?(step: { ctx: CheckContext; intent: NoInfer<Intent> }): void;
  /**
   * Reviews a new body after `check`, before anything is written. `ctx.warn` tells the sender of a problem that is no reason to
   * refuse the body. Refuses a text that is surely a mistake. An activity that waited is not reviewed again: it was approved as
   * it is.
   */
  review?(step: { ctx: ReviewContext; intent: NoInfer<Intent> }): Promise<void> | undefined;
  prepare?(step: { ctx: PrepareContext<C>; intent: NoInfer<Intent> }): Promise<Prepared>;
  /** The accounts that `prepare` derived. App proofs name their addresses. */
  derived?(prepared: NoInfer<Prepared>): readonly DerivedAddress[];
  execute(step: {
    ctx: ExecuteContext<C, W>;
    intent: NoInfer<Intent>;
    subject: NoInfer<Subject>;
    prepared: NoInfer<Prepared>;
  }): Promise<z.output<Result> | RefusalThatWrites>;
};

/**
 * What a key's signature takes. `publicKey`: lower-case hex. `broadcast`: the transaction, if a later broadcast may bring it. Its digest is
 * what is signed. Only what is signed already has a hash.
 */
export type Taken = {
  signer: { keyId: string; walletId: string | null };
  publicKey: string;
  reading: Reading;
  broadcast?: Broadcast | undefined;
};

export type Broadcast = { readonly digest: string; readonly hash?: string };

/** An account of a wallet, perhaps of an organization that the activity makes. */
export type DerivedAddress = { organizationId: string; walletId: string; path: string; address: string };

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
  submitters: Submitters;
  admit: ((step: { ctx: AdmitContext; intent: unknown }) => Promise<Admission>) | undefined;
  exactly: string | undefined;
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
  policyParams(intent: unknown, at: { element: number; subject: unknown }): Record<string, unknown>;
  policyTypes: Readonly<Record<string, Type>>;
  writes: boolean;
  recalls: boolean;
  usage: UsageSpec<unknown>;
  checksLast(intent: unknown): boolean;
  resolve(step: { ctx: ResolveContext; intent: unknown }): Promise<unknown>;
  policyView(step: { ctx: ResolveContext; intent: unknown; subject: unknown }): Promise<readonly Roots[]>;
  takes: ((step: { ctx: ResolveContext; intent: unknown; subject: unknown }) => Promise<readonly Taken[]>) | undefined;
  policyRoots: readonly string[];
  unread: Readonly<Record<string, readonly string[]>> | undefined;
  batch: true | undefined;
  votes: Vote['selection'] | undefined;
  fences: true | undefined;
  check: ((step: { ctx: CheckContext; intent: unknown }) => void) | undefined;
  review: ((step: { ctx: ReviewContext; intent: unknown }) => Promise<void> | undefined) | undefined;
  prepare: ((step: { ctx: PrepareContext<Custody>; intent: unknown }) => Promise<unknown>) | undefined;
  derived: ((prepared: unknown) => readonly DerivedAddress[]) | undefined;
  execute(step: {
    ctx: ExecuteContext<Custody, boolean>;
    intent: unknown;
    subject: unknown;
    prepared: unknown;
  }): Promise<unknown>;
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
    submitters: submittersOf(spec.submitters ?? {}, spec.admit !== undefined),
    secrets: spec.secrets ?? [],
    resultSecrets: spec.resultSecrets ?? [],
    resultBundles: spec.resultBundles ?? [],
    custody: [spec.custody ?? []].flat(),
    path: `/public/v1/submit/${spec.path ?? spec.kind.toLowerCase()}`,
    versions,
    errors: errorsOf(...spec.errors),
    policyParams: (intent: Intent, at: { element: number; subject: Subject | undefined }) =>
      Object.fromEntries(shown.map(([name, [, value]]) => [name, value(intent, at)])),
    policyTypes: Object.fromEntries(shown.map(([name, [type]]) => [name, type])),
    writes: spec.writes ?? true,
    usage: spec.usage ?? {},
    recalls: spec.recalls ?? spec.writes === false,
    checksLast: spec.checksLast ?? (() => false),
    resolve: spec.resolve ?? (async () => undefined),
    policyView: spec.policyView ?? (async () => [{}]),
    policyRoots: spec.policyRoots ?? [],
  };
  return kind as unknown as ActivityKind;
}
