import type { Clock } from '../base/clock.ts';
import type { Turn } from '../base/concurrency.ts';
import type { ApiError } from '../base/errors.ts';
import type { Ids } from '../base/ids.ts';
import type { Lines } from '../base/lines.ts';
import type { PaymasterVault, Vault } from '../custody/types.ts';
import type { StampedLimits } from '../limits/stamped.ts';
import type { Limits } from '../model/limits.ts';
import type { Passkey } from '../model/user.ts';
import type { AddressProblem } from '../outbound/types.ts';
import type { Store } from '../store/types.ts';
import type { NewAuthenticator } from '../wire/authenticators.ts';
import type { Asking } from './context.ts';
import type { Decisions } from './decision/decisions.ts';
import type { PolicyCompiler } from './policy-compiler.ts';
import type {
  AppProofPort,
  AttestationPort,
  BillingPort,
  ImagePort,
  Log,
  MessagePort,
  NodesPort,
  Oauth2Port,
  OidcPort,
  OnRampPort,
  SponsorshipPort,
  StampPort,
  TokenPort,
} from './ports.ts';
import type { KnownFacts } from './request/known-facts.ts';
import type { Listening } from './request/listening.ts';
import type { VoterTexts } from './voters.ts';

/** The parts of the engine, built by `app/build-engine.ts`. */
export type Engine = {
  store: Store;
  known: KnownFacts;
  /** Organizations whose new records need an event. */
  listening: Listening;
  vault: Vault & { paymaster: PaymasterVault };
  /** The master keys of this process. `generation` rises when they change; `look` follows a change now. */
  masterKeys: { generation(): number; look(): Promise<void> };
  stamps: StampPort;
  attestations: AttestationPort;
  /** Undefined: the operator turned app proofs off. */
  appProofs: AppProofPort | undefined;
  oidc: OidcPort;
  oauth2: Oauth2Port;
  onRamp: OnRampPort;
  images: ImagePort;
  addressProblem: AddressProblem;
  tokens: TokenPort;
  messages: MessagePort;
  billing: BillingPort;
  /** Networks with RPC endpoints. */
  nodes: NodesPort;
  /** How submits ask the nodes. */
  asking: Asking;
  sponsorship: SponsorshipPort;
  /** The service's time: it never goes back. */
  clock: Clock;
  /** The machine's clock, by which `timestampMs` is judged. */
  machine: Clock;
  /** Resolves once `clock` knows the time of other processes. Undefined if it already does. */
  freshTime(): Promise<void> | undefined;
  /** The original of this database may have accepted a new body with an earlier `timestampMs`. 0: this is no copy. */
  refusesBefore(): number;
  ids: Ids;
  log: Log;
  /**
   * Submits in progress, and among them newcomers whose passkeys wait to be verified. `signed`: how many activities so far
   * wrote only their record.
   */
  load: { submits: number; arrivals: number; signed: number };
  /** By organization: writes that conflicted with others there. */
  writing: Lines;
  /** For the slices of long lists. */
  turn: Turn;
  compiler: PolicyCompiler;
  voterText: VoterTexts;
  decisions: Decisions;
  limits: Limits;
  /** Undefined: stamped requests have no rate limit. */
  stamped: StampedLimits | undefined;
  baseUrl: string;
  /** The hosts of verifiable apps are below it. */
  appsDomain: string;
  /** The one-time codes for two example contacts, which belong to no real person, are always the same. */
  otpSandbox: boolean;
  /** Every caller may make a top-level organization. */
  mayCreateOrganizations: boolean;
  /** Verifies the registration of a passkey. `field`: its field in the request. Throws REQUEST_INVALID. */
  registered(
    passkey: NewAuthenticator,
    circumstances: { origins: readonly string[] | undefined; now: number; payer: string },
    field: string,
  ): Promise<Passkey>;
  /** Newcomers' passkeys are verified in turn. */
  arrivals: Turn;
  /** Refuses unknown members. */
  strictInput: boolean;
  /** Reports that an operation answered with a code that it does not list. */
  fault(operation: string, error: ApiError): void;
};

/** While a submit asks others, it brings no write: no commit waits for it. */
export async function aside<T>({ load }: Pick<Engine, 'load'>, ask: () => Promise<T>): Promise<T> {
  load.submits--;
  try {
    return await ask();
  } finally {
    load.submits++;
  }
}

/** For the questions of a submit to nodes. */
export const askingOf = (engine: Pick<Engine, 'nodes' | 'sponsorship' | 'load'>): Asking => ({
  nodes: engine.nodes,
  sponsorship: engine.sponsorship,
  aside: (ask) => aside(engine, ask),
});
