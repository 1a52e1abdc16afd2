import { gate } from '../../base/gate.ts';
import type { Vault } from '../../custody/types.ts';
import type { Environment } from '../../policy/index.ts';
import type { ActivityKind } from '../activity/declare.ts';
import { type Decoder, decoder } from '../activity/decode.ts';
import { type Deciding, deciding } from './deciding.ts';
import type { MfaPolicies } from './mfa.ts';
import type { PolicyCache } from './policy-cache.ts';
import type { SessionScopes } from './session-scopes.ts';

/** How many requests replay activities at once: each holds some activities in memory. */
const REPLAYS = 2;

/** Everything needed to make, explain, simulate and replay decisions. */
export type Decisions = {
  policies: PolicyCache;
  scopes: SessionScopes;
  mfa: MfaPolicies;
  deciding: Deciding;
  kinds: readonly ActivityKind[];
  decode: Decoder;
  environment: Environment;
  /** Runs a replay when it is its turn. */
  replayTurn<T>(work: () => Promise<T>): Promise<T>;
};

export function decisions(
  policies: PolicyCache,
  scopes: SessionScopes,
  mfa: MfaPolicies,
  kinds: readonly ActivityKind[],
  environment: Environment,
  vault: Pick<Vault, 'texts'>,
): Decisions {
  return {
    policies,
    scopes,
    mfa,
    deciding: deciding(),
    kinds,
    decode: decoder(kinds, vault),
    environment,
    replayTurn: gate(REPLAYS),
  };
}
