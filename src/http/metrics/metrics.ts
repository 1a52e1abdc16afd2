import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Clock } from '../../base/clock.ts';
import { VELOCITY_CODES } from '../../base/errors.ts';
import { auditFamilies } from './audit.ts';
import { databaseFamilies } from './database.ts';
import { scanFamilies } from './scans.ts';
import { sendFamilies } from './sends.ts';
import { streamFamilies } from './streams.ts';
import { upkeepFamilies } from './upkeep.ts';
import { usageFamilies } from './usage.ts';
import { webhookFamilies } from './webhooks.ts';

/** How long a rendered page is reused: rendering takes milliseconds, and the endpoint is public. */
const FRESH_MS = 1000;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Label values come from fixed lists, never from a caller. */
function requestFamilies(registers: Registry[]) {
  const families = {
    requests: new Histogram({
      name: 'countersign_http_request_seconds',
      help: 'Time to answer an operation, by path and HTTP status',
      labelNames: ['path', 'status'],
      buckets: SECONDS,
      registers,
    }),
    activities: new Counter({
      name: 'countersign_activities_total',
      help: 'Submits that were answered with an activity, by kind and status',
      labelNames: ['kind', 'status'],
      registers,
    }),
    refusals: new Counter({
      name: 'countersign_refusals_total',
      help: 'Requests that were answered with an error, by activity type or operation, HTTP status and error code',
      labelNames: ['type', 'status', 'code'],
      registers,
    }),
    overLimits: new Counter({
      name: 'countersign_velocity_refusals_total',
      help: 'Requests that limits over time refused, by error code',
      labelNames: ['code'],
      registers,
    }),
    closed: new Counter({
      name: 'countersign_connections_closed_total',
      help: 'Connections closed because of their clients, by reason',
      labelNames: ['reason'],
      registers,
    }),
    captchas: new Counter({
      name: 'countersign_captchas_total',
      help: 'Requests to the auth proxy that needed a captcha, by outcome',
      labelNames: ['outcome'],
      registers,
    }),
    logLinesLost: new Counter({
      name: 'countersign_log_lines_lost_total',
      help: 'Lines of the log that standard error did not accept',
      registers,
    }),
  };
  // They begin at zero, so that the first one counts as an increase.
  for (const outcome of ['passed', 'failed', 'missing', 'unreachable']) families.captchas.inc({ outcome }, 0);
  for (const code of VELOCITY_CODES) families.overLimits.inc({ code }, 0);
  return families;
}

/** How long a page waits for the look-ups of its gauges. */
const LOOK_MS = 1000;

export function metrics(elapsed: Clock) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const counted = requestFamilies([registry]);
  const sends = sendFamilies([registry]);
  const webhooks = webhookFamilies([registry]);
  const streams = streamFamilies([registry]);
  const scans = scanFamilies([registry]);
  const usage = usageFamilies([registry]);
  const audit = auditFamilies([registry]);
  const upkeep = upkeepFamilies([registry]);
  const database = databaseFamilies([registry]);
  const looks: (() => Promise<void>)[] = [];
  let at = Number.NEGATIVE_INFINITY;
  let rendered: Promise<Buffer> | undefined;
  async function render(): Promise<Buffer> {
    await Promise.race([Promise.all(looks.map((look) => look())), setTimeout(LOOK_MS, undefined, { ref: false })]);
    // prom-client misspells it.
    return Buffer.from((await registry.metrics()).replace(/ Nan$/gm, ' NaN'));
  }
  return {
    ...counted,
    sends,
    webhooks,
    streams,
    scans,
    usage,
    audit,
    upkeep,
    database,
    /** `look`: called before a page is made. It sets gauges, limits by itself how often it really looks, and never throws. */
    before(look: () => Promise<void>): void {
      looks.push(look);
    },
    /** The metrics, possibly a moment old. */
    page(): Promise<Buffer> {
      const age = elapsed.now() - at;
      if (rendered === undefined || age >= FRESH_MS || age < 0) {
        at = elapsed.now();
        rendered = render();
        // A page that cannot be made is made anew for the next reader.
        rendered.catch(() => {
          rendered = undefined;
        });
      }
      return rendered;
    },
  };
}

export type Metrics = ReturnType<typeof metrics>;

export async function sendMetrics(metrics: Metrics, response: ServerResponse): Promise<void> {
  const page = await metrics.page();
  response
    .writeHead(200, {
      'content-type': Registry.PROMETHEUS_CONTENT_TYPE,
      'cache-control': 'no-store',
      'content-length': page.length,
    })
    .end(page);
}

/** The request handler of a port that serves only metrics. */
export const metricsHandler =
  (metrics: Metrics) =>
  ({ method, url }: IncomingMessage, response: ServerResponse): void => {
    if (url!.split('?', 1)[0] !== '/metrics' || (method !== 'GET' && method !== 'HEAD'))
      response.writeHead(404, { 'content-type': 'text/plain' }).end('this port serves only GET /metrics\n');
    else sendMetrics(metrics, response).catch(() => response.destroy());
  };
