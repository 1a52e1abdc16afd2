import type { Server } from 'node:http';
import { join } from 'node:path';
import { activities } from '../activities/index.ts';
import { type Clock, elapsedTime, systemClock } from '../base/clock.ts';
import { limitConcurrency } from '../base/concurrency.ts';
import { makeFolder } from '../base/files.ts';
import { uuidV7 } from '../base/ids.ts';
import { lines } from '../base/lines.ts';
import { type Random, systemRandom } from '../base/random.ts';
import { chainNodes } from '../chain-io/nodes/chain-nodes.ts';
import type { SendWorker } from '../chain-io/worker/worker.ts';
import { type Config, ConfigError } from '../config.ts';
import { envelope } from '../custody/envelope.ts';
import { checkProvider, openMasterKeys } from '../custody/masters.ts';
import { vault } from '../custody/vault.ts';
import { submit } from '../engine/activity/submit.ts';
import { voterTexts } from '../engine/activity/voters.ts';
import { decisions } from '../engine/decision/decisions.ts';
import { mfaPolicies } from '../engine/decision/mfa.ts';
import { policyCache } from '../engine/decision/policy-cache.ts';
import { policyCompiler } from '../engine/decision/policy-compiler.ts';
import { sessionScopes } from '../engine/decision/session-scopes.ts';
import { askingOf, type Engine } from '../engine/engine.ts';
import { runQuery } from '../engine/query/run-query.ts';
import { KnownFacts } from '../engine/request/known-facts.ts';
import { clientAddress } from '../http/address.ts';
import { BOUNDS, connections } from '../http/connections.ts';
import { metrics, metricsHandler } from '../http/metrics/metrics.ts';
import { countFromZero, countSends, nodeCounts } from '../http/metrics/sends.ts';
import type { Service } from '../http/service.ts';
import { stampedLimits } from '../limits/stamped.ts';
import { turnstile } from '../login/captcha/turnstile.ts';
import { oauth2Port } from '../login/oauth2/authenticate.ts';
import { oidcPort } from '../login/oidc/verify.ts';
import { verifyRegistration } from '../login/passkeys/registration.ts';
import { apiKeyVerifier } from '../login/stamps/api-key.ts';
import { attestations } from '../login/stamps/attested.ts';
import { passkeyVerifier } from '../login/stamps/passkey.ts';
import { ownIssuer } from '../login/tokens/own-issuer.ts';
import { verificationTokens } from '../login/tokens/verification-token.ts';
import { CAPTCHA_BOUNDS, guarded, guardedCalls, PROVIDER_BOUNDS } from '../outbound/guard.ts';
import { queries } from '../queries/index.ts';
import { ARCHIVE_FILE } from '../store/archive/file.ts';
import { openStore } from '../store/store.ts';
import { deletionWorker } from '../workers/deletions.ts';
import { checkSpace } from './disk.ts';
import { credentialsFile, type FirstStart, firstStart, firstStartWarnings } from './first-start.ts';
import { openFronts } from './fronts.ts';
import type { Logger } from './log/logger.ts';
import { openLog } from './log/open.ts';
import { openMessages } from './messages.ts';
import { watchOutdated } from './outdated.ts';
import { pages } from './pages.ts';
import { policyEnvironment } from './policy-environment.ts';
import { checkOnce } from './quick-check.ts';
import { readiness } from './readiness.ts';
import { rootKeyOf, rootKeyWarning } from './root-key.ts';
import { openGauges } from './send-gauges.ts';
import { openSends } from './sends.ts';
import { discoveryDocument, openPaymaster, openServiceKeys } from './service-keys.ts';
import { openServiceTime } from './service-time.ts';
import { openSponsorship } from './sponsorship.ts';
import { closedOnce, stop } from './stop.ts';
import { limitUnstamped } from './unstamped.ts';
import { wrongChains } from './wrong-chains.ts';

export type App = {
  http: Service;
  /** Only with a port of its own. */
  authProxy: Service | undefined;
  metrics: Server | undefined;
  log: Logger;
  first: FirstStart;
  close(): Promise<void>;
};

/** With PostgreSQL, the folder may be read-only, such as a mounted root key. */
function dataFolder({ dataDir, databaseUrl }: Config): string {
  try {
    makeFolder(dataDir, databaseUrl === undefined);
    return dataDir;
  } catch (error) {
    throw new ConfigError(`DATA_DIR: ${(error as Error).message}`);
  }
}

/**
 * The parts that tests replace: the machine's clock, elapsed time, randomness. `fault`: called when an operation answers with a
 * code that it does not declare. `built`: receives the engine, for tests that replace an operation that does not exist yet.
 */
export type Surroundings = {
  machine?: Clock;
  elapsed?: Clock;
  random?: Random;
  fault?: Engine['fault'];
  built?(engine: Engine): void;
};

/**
 * A write takes some milliseconds. A write that asks another server, such as an identity provider, may take seconds; others do not
 * wait for it.
 */
const WRITING = { turnMs: 250, patienceMs: 1_000 };

/** The one composition root: opens the database and the keys, and builds the servers. */
export async function createApp(config: Config, surroundings: Surroundings = {}): Promise<App> {
  const { machine = systemClock, elapsed = elapsedTime, random = systemRandom } = surroundings;
  const counts = metrics(elapsed);
  const { log, close: closeLog } = openLog(config.logLevel, systemClock, (lines) => counts.logLinesLost.inc(lines));
  const fault: Engine['fault'] =
    surroundings.fault ??
    ((operation, error) =>
      log.error({ operation, code: error.code, error }, 'an operation answered with an error code that it does not declare'));
  for (const warning of config.warnings) log.warn({}, warning);
  const load = { submits: 0, arrivals: 0, signed: 0 };
  const known = new KnownFacts();
  let sendMessages = () => {};
  let wakeSends: SendWorker['wake'] = () => {};
  const database = openStore({
    folder: dataFolder(config),
    url: config.databaseUrl,
    poolSize: config.databasePool,
    statementLimits: config.statementLimits,
    cacheMb: config.sqliteCacheMb,
    onTheirWay: () => load.submits,
    onChange: (organizationId) => known.forget(organizationId),
    onMessage: () => sendMessages(),
    onSend: (accounts) => wakeSends(accounts),
    onNews: (news) => countSends(counts.sends, news),
  });
  try {
    await database.migrate(machine.now(), { say: (text, fields) => log.info(fields, text) });
    if (await database.lacksArchive())
      log.warn(
        { file: join(config.dataDir, ARCHIVE_FILE) },
        'the file of the archived activities is missing: they are not found, and their bodies are refused. Stop the service, restore the file and start it, unless the file is kept elsewhere on purpose',
      );
    const outdated = watchOutdated(database, log);
    const { store, clock, fresh, warning } = await openServiceTime(database, { machine, elapsed, log });
    const ids = uuidV7(clock, random);
    const sealed = await store.read.instance.masterKeys();
    checkProvider(config.rootKey.provider, sealed);
    const onCreated = (file: string) =>
      log.warn(
        { file },
        'a root key was created: this file and the database together give every key, and without it no key opens. Back it up apart from the database',
      );
    const root = rootKeyOf(config, random, sealed.length === 0 ? onCreated : undefined);
    const exposed = rootKeyWarning(config);
    if (exposed !== undefined) log.warn({}, exposed);
    const first = await firstStart({ config, store, root, ids, random, now: clock.now() });
    for (const warning of firstStartWarnings(config, first)) log.warn({ file: credentialsFile(config) }, warning);
    const masters = await openMasterKeys(root, await store.read.instance.masterKeys());
    const sealing = envelope(masters, random);
    const services = await openServiceKeys(store, sealing, random, clock.now());
    const own = ownIssuer(config.baseUrl, services['identity-token-signer'].publicKey);
    const compiler = policyCompiler(policyEnvironment);
    const keys = { ...vault(sealing, random, services), paymaster: await openPaymaster(store, sealing, random, clock.now()) };
    const tokens = verificationTokens(services);
    const oidc = oidcPort(guarded({ allowed: config.outboundAllow }), elapsed, { own, accepted: config.oidcIssuers });
    const messages = openMessages({ settings: config.messages, store, clock, ids, log, vault: keys });
    sendMessages = messages.worker.wake;
    const nodes = chainNodes({ settings: config.chains, elapsed, machine, log, counts: nodeCounts(counts.sends) });
    countFromZero(counts.sends, nodes.networks);
    const sponsors = openSponsorship({ config, nodes, paymaster: keys.paymaster, elapsed, machine, log });
    const engine: Engine = {
      store,
      known,
      vault: keys,
      stamps: { ...apiKeyVerifier(), verifyPasskey: passkeyVerifier() },
      attestations: attestations(tokens, oidc),
      tokens,
      oidc,
      oauth2: oauth2Port(guardedCalls({ allowed: config.outboundAllow, bounds: PROVIDER_BOUNDS }), config.oauth2Urls, elapsed),
      messages: messages.port,
      nodes,
      sponsorship: sponsors,
      asking: askingOf({ nodes, sponsorship: sponsors, load }),
      clock,
      machine,
      freshTime: fresh,
      ids,
      log,
      load,
      writing: lines(WRITING),
      turn: limitConcurrency(1),
      compiler,
      decisions: decisions({
        policies: policyCache(compiler, { log, elapsed }, config.policyCacheMb * 1_000_000),
        scopes: sessionScopes(compiler, log),
        mfa: mfaPolicies(compiler, log),
        kinds: activities,
        environment: policyEnvironment,
        elapsed,
        vault: keys,
      }),
      voterText: voterTexts(),
      limits: config.limits,
      stamped: stampedLimits(config.rates, elapsed),
      baseUrl: config.baseUrl,
      otpSandbox: config.otpSandbox,
      mayCreateOrganizations: config.allowCreateOrganization,
      registered: verifyRegistration,
      arrivals: limitConcurrency(1),
      strictInput: config.strictInput,
      fault,
    };
    surroundings.built?.(engine);
    const addressOf = clientAddress(config.trustedProxies);
    const captcha = {
      port:
        config.captcha && turnstile(config.captcha, guardedCalls({ allowed: config.outboundAllow, bounds: CAPTCHA_BOUNDS }), log),
      count: (outcome: string) => counts.captchas.inc({ outcome }),
    };
    // Its own table, so that a flood of connections to the service does not block its metrics.
    const watchers = connections({ ...BOUNDS, connections: config.maxConnections }, () => {});
    const { main, authProxy } = openFronts(config, engine, captcha, {
      activities,
      queries,
      submit: (...request) => submit(engine, ...request),
      ask: (...request) => runQuery(engine, ...request),
      ready: readiness(async () => {
        await store.check(clock.now());
        const space = store.engine === 'sqlite' ? checkSpace(config.dataDir) : undefined;
        return [warning(), space, ...wrongChains(nodes)].filter((found) => found !== undefined);
      }),
      refused: outdated.found,
      metrics: counts,
      metricsElsewhere: config.metrics !== undefined,
      addressOf,
      unstamped: limitUnstamped(config, elapsed, addressOf, log),
      devOutbox: messages.kept,
      log,
      ids,
      elapsed,
      pages: pages(config, own, discoveryDocument(services)),
    });
    const deletions = deletionWorker({ store, clock, elapsed, log });
    const sends = openSends({ config, store, clock, elapsed, log, nodes, load, vault: keys, owner: ids.next(), counts });
    wakeSends = sends.wake;
    counts.before(openGauges({ config, store, nodes, paymaster: keys.paymaster, gauges: counts.sends, clock, elapsed }));
    nodes.look();
    deletions.start();
    sends.start();
    messages.worker.start();
    const workers = [
      messages.worker,
      deletions,
      checkOnce({ store, machine, log }),
      { close: () => sends.close(nodes.close) },
    ].map(closedOnce);
    outdated.start(() => void Promise.all(workers.map((worker) => worker.close())));
    const ownMetrics = config.metrics && watchers.serve(metricsHandler(counts));
    return {
      http: main.http,
      authProxy: authProxy?.http,
      metrics: ownMetrics,
      log,
      first,
      close: () =>
        stop({
          fronts: authProxy ? [main, authProxy] : [main],
          metrics: ownMetrics,
          workers: [outdated, ...workers],
          used: [nodes],
          store,
          closeLog,
        }),
    };
  } catch (error) {
    await database.close().catch(() => {});
    await closeLog();
    throw error;
  }
}
