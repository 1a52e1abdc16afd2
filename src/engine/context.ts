import type { Ids } from '../base/ids.ts';
import type { CreatingVault, ExportingVault, ImportingVault, OneTimeVault, SigningVault, TokenVault } from '../custody/types.ts';
import type { Limits } from '../model/limits.ts';
import type { Organization } from '../model/organization.ts';
import type { Authenticator, Credential, User } from '../model/user.ts';
import type { Reader, Writer } from '../store/types.ts';
import type { NewAuthenticator } from '../wire/authenticators.ts';
import type { PolicyCompiler } from './decision/policy-compiler.ts';
import type { Log, MessagePort, OidcPort, TokenPort } from './ports.ts';

/** The user of `organization` who sent the request, with the credential that stamped it. */
export type Caller = { organization: Organization; user: User; credential: Credential };

/**
 * A message that leaves the process after the commit. `sealed`: it holds a secret, and is stored sealed. `expiresAt`: it is dropped, and
 * not sent, from then on.
 */
export type OutboxEvent = { topic: string; payload: unknown; sealed?: true; expiresAt?: number };

type Vaults = {
  none: undefined;
  tokens: TokenVault;
  sign: SigningVault;
  create: CreatingVault;
  import: ImportingVault;
  export: ExportingVault;
  'one-time': OneTimeVault;
};

export type Custody = keyof Vaults;

export type VaultFor<C extends Custody> = Vaults[C];

type Everywhere<C extends Custody> = {
  /** The organization that the activity runs in. */
  organization: Organization;
  vault: VaultFor<C>;
  /** Milliseconds; one value for the whole activity. */
  now: number;
  ids: Ids;
  log: Log;
  policies: PolicyCompiler;
  limits: Limits;
  tokens: TokenPort;
  /** Where people reach the service: links in messages begin with it. */
  baseUrl: string;
};

/** Everything that a check may use: no database. */
export type CheckContext = { policies: PolicyCompiler };

/** Outside any transaction: may derive, compute and wait; writes nothing. */
export type PrepareContext<C extends Custody> = Everywhere<C> & {
  read: Reader;
  oidc: OidcPort;
  messages: MessagePort;
};

/** For letting a newcomer in: nobody has authenticated the request yet, so it must cost little. */
export type AdmitContext = {
  read: Reader;
  vault: OneTimeVault;
  ids: Ids;
  now: number;
  /** Where the activity runs. */
  organizationId: string;
  /** Undefined if it is not there. */
  organization: Organization | undefined;
  /** The operator allows anybody to make a top-level organization. */
  mayCreateOrganizations: boolean;
};

/** Who a newcomer will be, and the passkey. An organization that the activity makes has version 0. */
export type Admission = {
  organization: Organization;
  user: User;
  passkey: NewAuthenticator;
  /** The passkey's field in the request. */
  field: string;
};

/** A newcomer whose passkey was verified. */
export type Arrival = Admission & { authenticator: Authenticator };

/** For reading the subject of an activity, which policies see. */
export type ResolveContext = { read: Reader; organization: Organization };

/** Inside the activity's transaction: awaits only the store. */
type WithWriter = { store: Writer; after(event: OutboxEvent): void };

/** The context of `execute`. An activity that writes nothing runs outside any transaction, without a writer. */
export type ExecuteContext<C extends Custody, W extends boolean = true> = Everywhere<C> &
  (W extends false ? { read: Reader } : WithWriter);
