import { invalid } from '../base/errors.ts';
import type { LogLine } from '../model/tvc/provisioning.ts';
import { held, type Named, type Parts } from './parts.ts';

/** Of one deployment. */
const MOST = 1024 * 1024;
/** What a row takes besides its lines, so that many small reports do not become many rows. */
const ROW = 1024;

/** Keeps what an app in debug mode wrote. The oldest lines give way to new ones. */
export async function addLogs({ store, clock, ids }: Parts, { lines, ...named }: Named & { lines: readonly LogLine[] }) {
  const { organizationId, deploymentId } = named;
  const now = clock.now();
  await store.transaction(async (tx) => {
    await held(tx, named, now);
    const deployment = await tx.tvcDeployments.get(organizationId, deploymentId);
    if (!deployment?.debugMode) throw invalid('deploymentId', 'names a deployment without debugMode, of which no logs are kept');
    const size = Buffer.byteLength(JSON.stringify(lines)) + ROW;
    await tx.tvcDebugLogs.insert({ organizationId, deploymentId, id: ids.next(), lines, size, createdAt: now }, MOST);
  });
  return {};
}
