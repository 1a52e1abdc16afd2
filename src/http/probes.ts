import type { FastifyInstance } from 'fastify';
import { send } from './answer.ts';
import { metricsHeaders } from './metrics.ts';
import type { ServerParts } from './parts.ts';

/** With the code of the cause, and no more: anybody may ask, and the log says the rest. */
function reasonOf({ message, cause }: Error): string {
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === 'string' ? `${message} (${code})` : message;
}

/** What an operator's programs ask. Returns the paths. */
export function probeRoutes(app: FastifyInstance, { ready, metrics, metricsElsewhere, ids }: ServerParts): string[] {
  app.get('/health', (_request, reply) => send(reply, ids.next(), 200, '{"status":"ok"}'));
  app.get('/ready', async (_request, reply) => {
    try {
      const warnings = await ready();
      const body = { status: 'ready', ...(warnings.length > 0 && { warnings }) };
      return send(reply, ids.next(), 200, JSON.stringify(body));
    } catch (error) {
      return send(reply, ids.next(), 503, JSON.stringify({ status: 'not ready', reason: reasonOf(error as Error) }));
    }
  });
  if (metricsElsewhere) return ['/health', '/ready'];
  app.get('/metrics', async (_request, reply) => reply.headers(metricsHeaders(metrics)).send(await metrics.page()));
  return ['/health', '/ready', '/metrics'];
}
