/** Which test files run where, and in which order. */
import { OPENAPI_TOOLS, type OwnPackages, SPARK_SIGNER, WALLET_KIT } from './own-packages.ts';

/** Each name means all files whose paths begin with it. */
const ON_BOTH_ENGINES = [
  'tests/app/',
  'tests/auth-proxy/',
  'tests/domain/',
  'tests/store/',
  'tests/workers/webhooks/',
  'tests/workers/streams/',
  'tests/workers/usage',
  'tests/workers/shipping/',
  'tests/operator/export-instance',
  'tests/e2e/',
  'tests/operating/',
  'tests/activities/',
  'tests/queries/',
  'tests/chain-io/scan/',
  'tests/chain-io/sends/',
  'tests/engine/activity/',
  'tests/engine/submit/',
  'tests/engine/decision/session-scopes',
  'tests/conformance/tenancy',
  'tests/conformance/runs',
  'tests/released/',
];
/** Of those, the files in which two engines cannot differ: nothing is stored, or the engine has no part in the matter. */
const ON_ONE_ENGINE = [
  'tests/app/log/',
  'tests/e2e/chains',
  'tests/operating/damaged-database',
  'tests/operating/locked-database',
  'tests/operating/demo',
  'tests/e2e/docs',
  'tests/operating/failing-test',
  'tests/operating/log-output',
  'tests/e2e/published-clients',
  'tests/e2e/published-core-sending',
  'tests/e2e/published-sending',
  'tests/e2e/published-spark',
  'tests/e2e/raw-payloads',
  'tests/e2e/stamps',
  'tests/operating/start-messages',
  'tests/chain-io/scan/speed',
  'tests/chain-io/sends/crash/arming',
  'tests/chain-io/sends/crash/check',
  'tests/chain-io/sends/crash/environment',
  'tests/chain-io/sends/error',
  'tests/chain-io/sends/evm/batches',
  'tests/chain-io/sends/evm/fill',
  'tests/chain-io/sends/evm/late-receipts',
  'tests/chain-io/sends/evm/sign',
  'tests/chain-io/sends/evm/lane/nonces/believed',
  'tests/chain-io/sends/gas/data-fee',
  'tests/chain-io/sends/gas/low-balance',
  'tests/chain-io/sends/gas/prices',
  'tests/chain-io/sends/gas/stations',
  'tests/chain-io/sends/pace',
  'tests/chain-io/sends/solana/fill',
  'tests/chain-io/sends/solana/machine',
  'tests/chain-io/sends/solana/outcome',
];
/** In what the two engines can differ, beside the store: races, crashes, several processes, and what PostgreSQL alone does. */
const DIFFERING =
  /^tests\/(store\/|released\/|conformance\/runs|app\/service-time|workers\/webhooks\/deliveries|.*(at-once|-races|crash|processes|silent|lost-connections|two-servers|database|-once|revoked-meanwhile|held-row))/;

/** SQLite has one writer and one process. By default these run on PostgreSQL alone, where they find more. */
const ON_POSTGRES_ALONE =
  /(at-once|-races|conformance\/runs|e2e\/held-row|e2e\/silent-database|e2e\/two-processes[a-z-]*)\.test\.ts$/;

/** Without `--full` they are left out. */
const FULL_ALONE = [
  'tests/app/quick-check',
  'tests/browser/accept-invitation',
  'tests/browser/bundler-alias',
  'tests/browser/console/entering',
  'tests/browser/console/everybody',
  'tests/browser/console/forms',
  'tests/browser/console/journeys',
  'tests/browser/console/long-requests',
  'tests/browser/console/looks',
  'tests/browser/console/lying-service',
  'tests/browser/console/of-browsers',
  'tests/browser/console/open-requests',
  'tests/browser/console/overview',
  'tests/browser/console/related',
  'tests/browser/console/tabs',
  'tests/browser/console/texts',
  'tests/browser/console/tokens',
  'tests/browser/console/ways',
  'tests/browser/frames-',
  'tests/browser/mails',
  'tests/browser/react-wallet-kit',
  'tests/browser/reading',
  'tests/browser/reference',
  'tests/browser/review',
  'tests/browser/site',
  'tests/browser/wallet-app',
  'tests/chain-io/scan/evm-lagging',
  'tests/chain-io/scan/solana-most',
  'tests/cli/messages',
  'tests/cli/plan/steps',
  'tests/contracts/artifacts',
  'tests/contracts/changed-bytes',
  'tests/contracts/random-batches',
  'tests/crypto/spark/published-signer',
  'tests/e2e/canary',
  'tests/e2e/docs',
  'tests/e2e/oauth2-crash',
  'tests/e2e/published-core-mfa',
  'tests/e2e/published-core-sending',
  'tests/e2e/published-on-ramp',
  'tests/e2e/start-and-stop',
  'tests/e2e/x402-at-once',
  'tests/e2e/otp-crash',
  'tests/e2e/velocity-crash',
  'tests/e2e/published-spark-packages',
  'tests/e2e/spark-nonces',
  'tests/e2e/stored-limits',
  'tests/e2e/sub-organizations',
  'tests/e2e/two-processes-scan',
  'tests/e2e/verifiable-app',
  'tests/e2e/two-processes-streams',
  'tests/e2e/two-processes-webhooks',
  'tests/e2e/webhook-receiver-on-chain',
  'tests/deploy/',
  'tests/e2e/replaced-behind-nginx',
  'tests/e2e/streams-behind-nginx',
  'tests/operating/',
  'tests/http/reference-examples',
  'tests/openapi/',
  'tests/scripts/bench',
  'tests/scripts/beside-service',
  'tests/scripts/bundle',
  'tests/scripts/console-',
  'tests/scripts/new',
  'tests/scripts/node.test',
  'tests/scripts/test-sharing',
  'tests/scripts/test.test',
  'tests/chain-io/sends/crash/',
  'tests/chain-io/sends/solana/crash',
  'tests/chain-io/scan/speed',
  'tests/workers/shipping/shipping-killed',
  'tests/workers/shipping/shipping-processes',
  'tests/workers/shipping/shipping-rsyslog',
  'tests/workers/webhooks/pause',
  'tests/workers/webhooks/rounds',
];

/** They need packages that `--full` installs. */
const WITH_OWN_PACKAGES: readonly (readonly [OwnPackages, readonly string[]])[] = [
  [SPARK_SIGNER, ['tests/crypto/spark/published-signer', 'tests/e2e/published-spark-packages']],
  [WALLET_KIT, ['tests/browser/react-wallet-kit']],
  [OPENAPI_TOOLS, ['tests/openapi/lint']],
];

/** `--full` leaves them to `--release`: each costs much for what no other test proves (docs/testing.md). */
const RELEASE_ALONE = [
  'tests/browser/react-wallet-kit',
  'tests/chain-io/scan/speed',
  'tests/crypto/spark/published-signer',
  'tests/deploy/container',
  'tests/deploy/package',
  'tests/e2e/docs-chapters',
  'tests/e2e/published-spark-packages',
  'tests/e2e/start-and-stop',
  'tests/operating/demo',
  'tests/operating/failing-test',
  'tests/operating/log-output',
  'tests/operating/start-hints',
  'tests/operating/start-messages',
  'tests/scripts/bench',
  'tests/scripts/beside-service',
  'tests/scripts/new',
  'tests/scripts/test-sharing',
  'tests/scripts/test.test',
];

/**
 * `--full` runs them on SQLite, and `--release` on PostgreSQL too. What they have of SQL is in tests of the store and in
 * `conformance/runs`, which run on both. Names in DIFFERING run on both as well.
 */
const ON_POSTGRES_FOR_RELEASES = [
  'tests/activities/',
  'tests/app/',
  'tests/auth-proxy/',
  'tests/chain-io/scan/',
  'tests/chain-io/sends/evm/',
  'tests/chain-io/sends/solana/',
  'tests/conformance/tenancy',
  'tests/domain/',
  'tests/e2e/app-proofs',
  'tests/e2e/attested-',
  'tests/e2e/canary',
  'tests/e2e/envelope',
  'tests/e2e/facts-that-change',
  'tests/e2e/first-sign-in',
  'tests/e2e/frozen-uses',
  'tests/e2e/ignored-fields',
  'tests/e2e/ip-allowlists',
  'tests/e2e/known-facts',
  'tests/e2e/many-failing-policies',
  'tests/e2e/mfa',
  'tests/e2e/not-yet-there',
  'tests/e2e/passkey-stamps',
  'tests/e2e/policies',
  'tests/e2e/published-',
  'tests/e2e/quorum',
  'tests/e2e/refusals',
  'tests/e2e/snake-case',
  'tests/e2e/spark-nonces',
  'tests/e2e/stamped-limits',
  'tests/e2e/stored-limits',
  'tests/e2e/streams-behind-nginx',
  'tests/e2e/unfreeze-by-operator',
  'tests/e2e/velocity',
  'tests/e2e/verifiable-app',
  'tests/e2e/warnings',
  'tests/e2e/webhook-receiver',
  'tests/e2e/wrong-chain',
  'tests/engine/decision/',
  'tests/engine/submit/below-callers',
  'tests/engine/submit/custody',
  'tests/engine/submit/parent-',
  'tests/operating/adopt',
  'tests/operating/archive-clock',
  'tests/operating/archive-killed',
  'tests/operating/archive-sealed',
  'tests/operating/archive.',
  'tests/operating/backup-killed',
  'tests/operating/backup-older',
  'tests/operating/backup-refused',
  'tests/operating/chain-',
  'tests/operating/clock',
  'tests/operating/custody-command',
  'tests/operating/freeze-command',
  'tests/operating/own-root-key',
  'tests/operating/quarantine',
  'tests/operating/quota-command',
  'tests/operating/root-key-',
  'tests/operating/rotate-root',
  'tests/operating/rotation-',
  'tests/operating/start-hints',
  'tests/operating/traces',
  'tests/operating/webhook-keys-command',
  'tests/queries/',
  'tests/workers/shipping/shipping-rsyslog',
  'tests/workers/webhooks/pause',
  'tests/workers/webhooks/rounds',
];

/**
 * They begin first, so that none of them runs alone in the end. A killed service writes no compile cache, so files that end it
 * normally come first.
 */
const LONGEST = [
  'tests/e2e/docs',
  'tests/conformance/tenancy',
  'tests/e2e/crash',
  'tests/chain-io/sends/crash/schedules',
  'tests/operating/own-root-key',
  'tests/chain-io/sends/crash/two-processes',
  'tests/browser/wallet-app',
  'tests/cli/messages',
  'tests/scripts/new',
  'tests/e2e/otp-crash',
  'tests/e2e/processes',
  'tests/e2e/start-and-stop',
  'tests/e2e/sub-organizations',
  'tests/chain-io/sends/solana/crash',
  'tests/cli/plan/steps',
  'tests/conformance/bad-parameters',
  'tests/e2e/verifiable-app',
  'tests/operating/backup-killed',
  'tests/operating/failover',
  'tests/operating/root-key-killed',
  'tests/operating/rotate-master',
  'tests/scripts/bundle',
];

/** Names above that no file has. */
export const namesWithoutFile = (files: readonly string[]): string[] =>
  [ON_BOTH_ENGINES, ON_ONE_ENGINE, FULL_ALONE, RELEASE_ALONE, ON_POSTGRES_FOR_RELEASES, LONGEST]
    .flat()
    .filter((name) => !files.some((file) => file.startsWith(name)));

const isIn = (file: string, names: readonly string[]) => names.some((name) => file.startsWith(name));

/** They need the console as it is built, which is a part of the published package too. */
const WITH_CONSOLE = [
  'tests/browser/console',
  'tests/http/console',
  'tests/scripts/console',
  'tests/cli/console',
  'tests/deploy/package',
];

export const needsConsole = (file: string): boolean => isIn(file, WITH_CONSOLE);

export const ownPackagesOf = (files: readonly string[]): OwnPackages[] =>
  WITH_OWN_PACKAGES.filter(([, names]) => files.some((file) => isIn(file, names))).map(([packages]) => packages);

export const isOnBothEngines = (file: string): boolean => isIn(file, ON_BOTH_ENGINES) && !isIn(file, ON_ONE_ENGINE);

/** What runs on each engine, and how much of `files` is left out. */
export type Plan = {
  readonly sqlite: readonly string[];
  readonly postgres: readonly string[];
  readonly left: string | undefined;
};

/** `npm test`, `npm test -- --full` or `npm test -- --release`: each runs what the one before it runs, and more. */
export type Part = 'default' | 'full' | 'release';

/** A folder that is left out as a whole is named once. */
const namesOf = (files: readonly string[]): string[] => [
  ...new Set(files.map((file) => file.replace(/^tests\/|\.test\.ts$/g, '').replace(/^operating\/.*/, 'operating'))),
];

export function planOf(files: readonly string[], part: Part): Plan {
  const both = files.filter(isOnBothEngines);
  if (part === 'release') return { sqlite: files, postgres: both, left: undefined };
  const leftOut = part === 'full' ? RELEASE_ALONE : FULL_ALONE;
  const kept = (file: string) => !isIn(file, leftOut);
  const named = namesOf(files.filter((file) => !kept(file)));
  const sqlite = files.filter(kept);
  const postgres = both.filter(
    (file) => kept(file) && (DIFFERING.test(file) || (part === 'full' && !isIn(file, ON_POSTGRES_FOR_RELEASES))),
  );
  const fewerOnPostgres = `${both.length - postgres.length} files on postgres`;
  if (part === 'full')
    return { sqlite, postgres, left: `left out: ${named.join(', ')}, and ${fewerOnPostgres}. npm test -- --release runs all` };
  const there = new Set(postgres);
  const here = sqlite.filter((file) => !(ON_POSTGRES_ALONE.test(file) && there.has(file)));
  const fewer = `${sqlite.length - here.length} files on sqlite, and ${fewerOnPostgres}`;
  return { sqlite: here, postgres, left: `left out: ${named.join(', ')}, ${fewer}. npm test -- --full runs them` };
}

/** A long file would hold the others of its process up. */
export const inOwnProcess = (file: string): boolean => isIn(file, LONGEST);

export function inOrder(files: readonly string[]): string[] {
  const place = (file: string) => {
    const found = LONGEST.findIndex((name) => file.startsWith(name));
    return found < 0 ? LONGEST.length : found;
  };
  return files.toSorted((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
}
