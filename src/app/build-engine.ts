import { activities, operatorActivities } from '../activities/index.ts';
import { limitConcurrency } from '../base/concurrency.ts';
import { timeOfId } from '../base/ids.ts';
import { lines } from '../base/lines.ts';
import { type ChainNodes, chainNodes } from '../chain-io/nodes/chain-nodes.ts';
import { cancelSend } from '../chain-io/sends/cancel.ts';
import { stopped } from '../domain/keys/stopped.ts';
import { controlCache } from '../domain/velocity/control-cache.ts';
import { velocity } from '../domain/velocity/measure.ts';
import { velocityThen } from '../domain/velocity/then.ts';
import { decisions } from '../engine/decision/decisions.ts';
import { mfaPolicies } from '../engine/decision/mfa.ts';
import { policyCache } from '../engine/decision/policy-cache.ts';
import { sessionScopes } from '../engine/decision/session-scopes.ts';
import { askingOf, type Engine } from '../engine/engine.ts';
import { policyCompiler } from '../engine/policy-compiler.ts';
import { NO_BILLING, type TokenPort } from '../engine/ports.ts';
import { Listening } from '../engine/request/listening.ts';
import { voterTexts } from '../engine/voters.ts';
import { countFromZero, nodeCounts } from '../http/metrics/sends.ts';
import { stampedLimits } from '../limits/stamped.ts';
import { oauth2Port } from '../login/oauth2/authenticate.ts';
import { oidcPort } from '../login/oidc/verify.ts';
import { verifyRegistration } from '../login/passkeys/registration.ts';
import { apiKeyVerifier } from '../login/stamps/api-key.ts';
import { attestations } from '../login/stamps/attested.ts';
import { passkeyVerifier } from '../login/stamps/passkey.ts';
import { verificationTokens } from '../login/tokens/verification-token.ts';
import { FREEZE_TOPIC, UNFROZEN_TOPIC } from '../model/freeze.ts';
import { CANCEL_TOPIC, RECOVERY_TOPIC } from '../model/root-recovery.ts';
import { REMOVAL_TOPIC } from '../model/velocity-control.ts';
import { addressProblems, guarded, guardedCalls, PROVIDER_BOUNDS } from '../outbound/guard.ts';
import { freezeTopic } from '../workers/freeze.ts';
import { recoveryTopic } from '../workers/root-recovery.ts';
import type { Streams } from '../workers/streams/hub.ts';
import { unfrozenTopic } from '../workers/unfrozen.ts';
import { removalTopic } from '../workers/velocity-removal.ts';
import { type WebhookKeys, webhookKeys } from '../workers/webhooks/keys.ts';
import { openAppProofs } from './app-proofs.ts';
import { type Following, followMasterKeys } from './custody/follow.ts';
import type { Ground } from './ground.ts';
import { openImages } from './images.ts';
import { type Messages, openMessages } from './messages.ts';
import { openOnRamps } from './on-ramps.ts';
import type { Database, TimedDatabase } from './open-database.ts';
import type { Keys } from './open-keys.ts';
import { policyEnvironment } from './policy-environment.ts';
import { openSponsorship } from './sponsorship.ts';
import { openStreams } from './streams.ts';
import { tracedAuthorize, tracedEndpoint, tracedStore } from './traces/parts.ts';

/** The engine, with the parts that also work beside requests. */
export type Built = {
  engine: Engine;
  messages: Messages;
  nodes: ChainNodes;
  webhookKeys: WebhookKeys;
  streams: Streams;
  following: Following;
};

/**
 * A write takes some milliseconds. A write that asks another server, such as an identity provider, may take seconds; others do not
 * wait for it.
 */
const WRITING = { turnMs: 250, patienceMs: 1_000 };

/** The original of a copied database may have seen the use of a token that was issued before. Its id has its time. */
const tokensOf =
  (read: TokenPort, copiedAt: () => number): TokenPort =>
  async (text) => {
    const token = await read(text);
    return token === undefined || timeOfId(token.id) < copiedAt() ? undefined : token;
  };

export function buildEngine(ground: Ground, { known, load, wake }: Database, opened: TimedDatabase, keys: Keys): Built {
  const { config, machine, elapsed, log, counts, fault, traces } = ground;
  const spans = traces?.spans;
  const { store, clock, ids, fresh, quarantine } = opened;
  const { vault } = keys;
  const compiler = policyCompiler(policyEnvironment);
  const copiedAt = () => quarantine.found()?.sendsBefore ?? 0;
  const tokens = tokensOf(verificationTokens(keys.services), copiedAt);
  const outside = { allowed: config.outboundAllow };
  const oidc = oidcPort(guarded(outside), elapsed, { own: keys.own, accepted: config.oidcIssuers });
  const recoveries = recoveryTopic({ engine: () => engine, isOn: keys.mayRecover, copiedAt });
  const also = [
    ...[RECOVERY_TOPIC, CANCEL_TOPIC].map((topic) => [topic, recoveries] as const),
    [FREEZE_TOPIC, freezeTopic({ store, clock, cancelSend })] as const,
    [UNFROZEN_TOPIC, unfrozenTopic(() => engine)] as const,
    [REMOVAL_TOPIC, removalTopic({ store, clock, ids, policies: compiler })] as const,
  ];
  const messages = openMessages({ settings: config.messages, store, clock, ids, log, vault, also, spans });
  wake.messages = messages.worker.wake;
  const { chains: settings, tokens: named } = config;
  const { networks: scanned } = config.scan;
  const nodes = chainNodes({
    ...{ settings, tokens: named.on, scanned, elapsed, machine, log, counts: nodeCounts(counts.sends) },
    endpoint: spans && ((endpoint, place) => tracedEndpoint(endpoint, place, spans)),
  });
  countFromZero(counts.sends, nodes.networks);
  const sponsorship = openSponsorship({ config, nodes, paymaster: vault.paymaster, elapsed, machine, log });
  const signingWebhooks = webhookKeys({ store, vault: vault.webhooks, clock });
  const following = followMasterKeys({
    ...{ store, clock, log, held: keys.held },
    async forget() {
      known.forgetAll();
      signingWebhooks.forget();
      for (const { name, sealed } of await store.read.instance.serviceKeys())
        if (keys.sealedKeys[name]) keys.sealedKeys[name].sealed = sealed;
    },
  });
  const controls = controlCache(compiler);
  const decided = decisions({
    policies: policyCache(compiler, { log, elapsed }, config.policyCacheMb * 1_000_000),
    scopes: sessionScopes(compiler, log),
    mfa: mfaPolicies(compiler, log),
    stopped,
    velocity: velocity(controls),
    velocityThen: velocityThen(controls),
    kinds: activities,
    operatorKinds: operatorActivities,
    environment: policyEnvironment,
    elapsed,
    vault,
  });
  const engine: Engine = {
    store: spans ? tracedStore(store, spans) : store,
    known,
    listening: new Listening(),
    vault,
    masterKeys: { generation: keys.held.ring.generation, look: following.look },
    stamps: { ...apiKeyVerifier(), verifyPasskey: passkeyVerifier() },
    attestations: attestations(tokens, oidc),
    appProofs: config.appProofs ? openAppProofs({ store, clock, vault }) : undefined,
    tokens,
    oidc,
    oauth2: oauth2Port(guardedCalls({ ...outside, bounds: PROVIDER_BOUNDS }), config.oauth2Urls, elapsed),
    onRamp: openOnRamps(ground, { store, clock, vault }),
    images: openImages(config.outboundAllow),
    addressProblem: addressProblems(outside),
    messages: messages.port,
    billing: NO_BILLING,
    nodes,
    sponsorship,
    asking: askingOf({ nodes, sponsorship, load }),
    clock,
    machine,
    freshTime: fresh,
    refusesBefore: () => quarantine.found()?.refusesBefore ?? 0,
    ids,
    log,
    load,
    writing: lines(WRITING),
    turn: limitConcurrency(1),
    compiler,
    decisions: spans ? { ...decided, authorize: tracedAuthorize(decided.authorize, spans) } : decided,
    voterText: voterTexts(),
    limits: config.limits,
    stamped: stampedLimits(config.rates, elapsed),
    baseUrl: config.baseUrl,
    appsDomain: config.apps.domain,
    otpSandbox: config.otpSandbox,
    mayCreateOrganizations: config.allowCreateOrganization,
    registered: verifyRegistration,
    arrivals: limitConcurrency(1),
    strictInput: config.strictInput,
    fault,
  };
  const streams = openStreams({ store, clock, log, vault, families: counts.streams, maxConnections: config.maxConnections });
  return { engine, messages, nodes, webhookKeys: signingWebhooks, streams, following };
}
