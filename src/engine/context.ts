import type { Ids } from '../base/ids.ts';
import type {
  AttestationVault,
  CodeVault,
  CreatingVault,
  ExportingVault,
  ImportingVault,
  IssuingVault,
  Oauth2Vault,
  OneTimeVault,
  OnRampVault,
  ProxyVault,
  QuorumVault,
  SessionVault,
  SigningVault,
  SparkVault,
  TokenVault,
  Vault,
} from '../custody/types.ts';
import type { Limits } from '../model/limits.ts';
import type { Organization } from '../model/organization.ts';
import type { Authenticator, Credential, User } from '../model/user.ts';
import type { WarningCode } from '../model/warning.ts';
import type { Environment } from '../policy/index.ts';
import type { Reader, Writer } from '../store/types.ts';
import type { NewAuthenticator } from '../wire/authenticators.ts';
import type { PolicyCompiler } from './policy-compiler.ts';
import type {
  BillingPort,
  Log,
  MessagePort,
  NodesPort,
  Oauth2Exchange,
  Oauth2User,
  OidcPort,
  OnRampAsked,
  OnRampPage,
  SponsorshipPort,
  TokenPort,
} from './ports.ts';

/**
 * A user of `organization` who sent a request, with the credential that stamped it. `verifiedEmail`: of an attested stamp, an
 * address that its issuer vouches for.
 */
export type Caller = { organization: Organization; user: User; credential: Credential; verifiedEmail?: string };

/**
 * A message that leaves the process after the commit. `sealed`: it holds a secret, and is stored sealed. `expiresAt`: from then
 * on it is dropped, not sent. `dueAt`: it is not sent before.
 */
export type OutboxEvent = { topic: string; payload: unknown; sealed?: true; expiresAt?: number; dueAt?: number };

type Vaults = {
  none: undefined;
  tokens: TokenVault;
  sign: SigningVault;
  create: CreatingVault;
  import: ImportingVault;
  export: ExportingVault;
  'one-time': OneTimeVault;
  codes: CodeVault;
  sessions: SessionVault;
  issue: IssuingVault;
  oauth2: Oauth2Vault;
  'on-ramp': OnRampVault;
  spark: SparkVault;
  quorum: QuorumVault & Pick<AttestationVault, 'openAttestation'>;
  proxy: Pick<ProxyVault, 'newProxyKey'>;
};

export type Custody = keyof Vaults;

/** The operations of all members of a union. */
type Together<V> = (V extends unknown ? (vault: V) => void : never) extends (vault: infer All) => void ? All : never;

/** The operations of each kind of custody that is declared, in one object. */
export type VaultFor<C extends Custody> = Together<Vaults[C]>;

type Everywhere<C extends Custody> = {
  /** The organization that the activity runs in. */
  organization: Organization;
  /**
   * The submitter of the activity, also where it runs after another user's vote. Belongs to the organization or, if users of
   * the parent may submit it, to the parent.
   */
  submitter: Caller;
  vault: VaultFor<C>;
  /** Of the vault; for `spend`. */
  rateKey: Vault['rateKey'];
  /** Milliseconds; one value for the whole activity. */
  now: number;
  ids: Ids;
  log: Log;
  policies: PolicyCompiler;
  limits: Limits;
  tokens: TokenPort;
  /** The service's public address: links in messages begin with it. */
  baseUrl: string;
  /** The one-time codes for two example contacts, which belong to no real person, are always the same. */
  otpSandbox: boolean;
};

/** Everything that a check may use: no database. */
export type CheckContext = { policies: PolicyCompiler };

/** For the review of a new body. `warn`: its text is shown to every user who may read the activity. */
export type ReviewContext = CheckContext & {
  organization: Organization;
  read: Reader;
  environment: Environment;
  nodes: NodesPort;
  warn(code: WarningCode, text: string): void;
};

/** Networks with RPC endpoints, the sponsors, and how a submit asks them. While it waits in `aside`, no commit waits for it. */
export type Asking = { nodes: NodesPort; sponsorship: SponsorshipPort; aside<T>(ask: () => Promise<T>): Promise<T> };

/** Outside any transaction: may derive, compute and wait, but writes nothing. */
export type PrepareContext<C extends Custody> = Everywhere<C> & {
  read: Reader;
  asking: Asking;
  oidc: OidcPort;
  messages: MessagePort;
  billing: BillingPort;
  /** The owner of an authorization code, as its provider reports it; see `Oauth2Port`. */
  oauth2User(exchange: Oauth2Exchange): Promise<Oauth2User>;
  /** The page of an on-ramp provider; see `OnRampPort`. */
  onRampPage(asked: OnRampAsked): Promise<OnRampPage>;
  /** Why a URL that the service is to call later may not be called; undefined if it may. May ask DNS; throws `Unreachable`. */
  addressProblem(url: string): Promise<string | undefined>;
};

/** For admitting a newcomer. The request is not authenticated yet, so it must cost little. */
export type AdmitContext = {
  read: Reader;
  vault: OneTimeVault;
  ids: Ids;
  now: number;
  /** Where the activity runs. */
  organizationId: string;
  /** Undefined if it does not exist. */
  organization: Organization | undefined;
  /** The operator allows every caller to make a top-level organization. */
  mayCreateOrganizations: boolean;
};

/** The newcomer's future user, and the passkey. An organization that the activity creates has version 0. */
export type Admission = {
  organization: Organization;
  user: User;
  passkey: NewAuthenticator;
  /** The passkey's field in the request. */
  field: string;
};

/** A newcomer whose passkey was verified. `address`: the request's source address; undefined if its connection is closed. */
export type Arrival = Admission & { authenticator: Authenticator; address: string | undefined };

/**
 * For reading the subject of an activity, which policies see. `asking`: set if the activity is decided now. Absent if a
 * decision is explained or made again later: the nodes' answers are unknown then.
 */
export type ResolveContext = { read: Reader; organization: Organization; asking?: Asking | undefined };

/** Inside the activity's transaction: awaits only the store. */
type WithWriter = {
  store: Writer;
  activityId: string;
  /** The credential that submitted it, which may have ended since. */
  stampedWith: string;
  /** Velocity controls count the activity, and what becomes of its send settles that. */
  reserves: boolean;
  after(event: OutboxEvent): void;
};

/** The context of `execute`. An activity that writes nothing runs outside any transaction, without a writer. */
export type ExecuteContext<C extends Custody, W extends boolean = true> = Everywhere<C> &
  (W extends false ? { read: Reader } : WithWriter);
