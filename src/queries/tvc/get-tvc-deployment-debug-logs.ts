import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { wireTimestamp } from '../../base/time.ts';
import { tvcDeploymentOf } from '../../domain/tvc/apps.ts';
import { query } from '../../engine/query/declare.ts';
import { Id, Timestamp } from '../../wire/common.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const LINES = 'must be a whole number from 1 to 10000';

export const getTvcDeploymentDebugLogs = query({
  name: 'get_tvc_deployment_debug_logs',
  summary: 'What a deployment in debug mode wrote in the last 24 hours, at most 1 MiB',
  params: z.object({
    organizationId: Id,
    deploymentId: Id,
    tailLines: z.int().min(1, LINES).max(10_000, LINES).optional(),
    sinceSeconds: z
      .string()
      .regex(/^[1-9]\d{0,9}$/, 'must be a positive whole number of seconds, as a string')
      .optional(),
  }),
  result: z.object({
    entries: z.array(z.object({ line: z.object({ content: z.string(), ts: Timestamp.optional() }), replicaLabel: z.string() })),
  }),
  errors: ['NOT_FOUND', 'REQUEST_INVALID'],
  async run({ organization, read, now }, { deploymentId, tailLines, sinceSeconds }) {
    const { debugMode } = await tvcDeploymentOf(read, organization.id, deploymentId, 'deploymentId');
    if (!debugMode) throw invalid('deploymentId', 'names a deployment without debugMode, of which no logs are kept');
    const since = now - Math.min(Number(sinceSeconds ?? Infinity) * 1000, DAY_MS);
    const logs = await read.tvcDebugLogs.since(organization.id, deploymentId, since);
    const lines = logs.flatMap((log) => log.lines).filter(({ at }) => at > since);
    const entries = (tailLines === undefined ? lines : lines.slice(-tailLines)).map(({ at, text }) => ({
      line: { content: text, ts: wireTimestamp(at) },
      replicaLabel: 'replica 1/1',
    }));
    return { entries };
  },
});
