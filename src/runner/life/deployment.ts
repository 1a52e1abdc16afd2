import { zero } from '../../base/bytes.ts';
import type { Executable } from '../sandbox/executable.ts';
import type { Leased } from '../service/service.ts';
import { type Approved, approvedManifest } from './approved.ts';
import { type DebugLog, debugLog, NO_LOG } from './debug-log.ts';
import { newEphemeral } from './ephemeral.ts';
import { approvedExecutable } from './executable.ts';
import type { Lease } from './lease.ts';
import type { Parts } from './parts.ts';
import { Problem } from './problem.ts';
import { quorumSeed } from './quorum-seed.ts';
import { persistently, type Report, reporter } from './reporter.ts';
import { runApp } from './run-app.ts';

const POLL_MS = 1_000;

type Provisioned = { key: Buffer; report: Report };

/** Waits for shares that give the quorum key. Shares that do not are refused, and operators post again. */
async function provisioned(parts: Parts, lease: Lease, approved: Approved): Promise<Provisioned> {
  const { service, log } = parts;
  const { organizationId, deploymentId } = lease.place;
  const ephemeral = newEphemeral();
  const { publicKey } = ephemeral;
  const sure = <T>(call: () => Promise<T>) => persistently(lease, call);
  try {
    await sure(() => service.attest(lease.place, publicKey));
    for (;;) {
      const { shares } = await sure(() => service.shares(lease.place, publicKey));
      try {
        const key = quorumSeed(shares, approved, ephemeral);
        if (key !== undefined) {
          await sure(() => service.report(lease.place, publicKey, 'provisioned')).catch((error) => {
            zero(key);
            throw error;
          });
          log.info({ organizationId, deploymentId }, 'a deployment is provisioned');
          return { key, report: reporter(service, lease, publicKey) };
        }
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        log.warn({ organizationId, deploymentId, why: error.message }, 'shares were refused');
        await sure(() => service.report(lease.place, publicKey, 'refused', error.message));
      }
      await lease.rest(POLL_MS);
    }
  } finally {
    ephemeral.wipe();
  }
}

/** From the manifest to the running app. Throws Problem if it does not start, and anything once the lease is lost. */
async function attempt(parts: Parts, leased: Leased, lease: Lease): Promise<void> {
  const approved = approvedManifest(leased);
  let executable: Executable | undefined;
  let debug: DebugLog = NO_LOG;
  try {
    executable = await parts.fetchTurn(leased.organizationId, () => approvedExecutable(parts, leased, approved, lease));
    const { key, report } = await provisioned(parts, lease, approved);
    if (approved.manifest.pivot.debugMode) debug = debugLog(parts.service, lease.place, parts.time);
    try {
      await runApp(parts, { leased, approved, lease, executable, key, report, debug });
    } finally {
      zero(key);
    }
  } finally {
    executable?.close();
    await debug.close();
  }
}

/**
 * The life of a deployment on this runner. It ends once the lease is lost, and never throws. One that does not start is given back with
 * the reason, so that it takes no place from others. The service offers it again later.
 */
export async function live(parts: Parts, leased: Leased, lease: Lease): Promise<void> {
  const { organizationId, deploymentId } = lease.place;
  parts.routes.set(leased.appId, lease, undefined);
  parts.log.info({ organizationId, deploymentId, appId: leased.appId }, 'this runner has a deployment');
  try {
    await attempt(parts, leased, lease);
  } catch (error) {
    if (!lease.lost.aborted) {
      const isKnown = error instanceof Problem;
      const why = isKnown ? error.message : 'its runner has failed: its operator finds the reason in the log of the runner';
      parts.log[isKnown ? 'warn' : 'error']({ organizationId, deploymentId, why, error }, 'a deployment does not start');
      await persistently(lease, () => parts.service.failed(lease.place, why)).catch(() => {});
      lease.lose('It does not start.');
    }
  }
  parts.routes.delete(lease);
  parts.log.info({ organizationId, deploymentId, why: String(lease.lost.reason) }, 'this runner has a deployment no more');
}
