import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { tvcDeploymentOf } from '../../domain/tvc/apps.ts';
import { query } from '../../engine/query/declare.ts';
import { Id, Timestamp } from '../../wire/common.ts';

const LINES = 'must be a whole number from 1 to 10000';

export const getTvcDeploymentDebugLogs = query({
  name: 'get_tvc_deployment_debug_logs',
  summary: 'What a deployment in debug mode wrote, while a runner has it',
  params: z.object({
    organizationId: Id,
    deploymentId: Id,
    tailLines: z.int(LINES).min(1, LINES).max(10_000, LINES).optional(),
    sinceSeconds: z
      .string()
      .regex(/^[1-9]\d{0,9}$/, 'must be a positive whole number of seconds, as a string')
      .optional(),
  }),
  result: z.object({
    entries: z.array(z.object({ line: z.object({ content: z.string(), ts: Timestamp.optional() }), replicaLabel: z.string() })),
  }),
  errors: ['NOT_FOUND', 'REQUEST_INVALID'],
  async run({ organization, read }, { deploymentId }) {
    const { debugMode } = await tvcDeploymentOf(read, organization.id, deploymentId, 'deploymentId');
    if (!debugMode) throw invalid('deploymentId', 'names a deployment without debugMode, of which no logs are kept');
    return { entries: [] };
  },
});
