import type { Environment } from './names.ts';
import { ConfigError, isWebUrl, oneOf, whole } from './read.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** What becomes of the header `traceparent` of a request. `link`: its trace is named, and decides nothing. */
export type Joining = 'parent' | 'link' | 'ignore';

/** The exporter reads how it reaches the collector from its own variables: headers, certificates, time limits. */
export type TraceSettings = {
  endpoint: string;
  serviceName: string;
  sampler: (typeof SAMPLERS)[number];
  ratio: number;
  joining: Joining;
  batches: { scheduledDelayMillis: number; maxQueueSize: number; maxExportBatchSize: number };
};

const PROPAGATORS = new Set(['tracecontext', 'baggage', 'none']);

function joiningOf({ OTEL_PROPAGATORS: text }: Environment): Joining {
  if (!text) return 'link';
  const named = text.split(',').map((name) => name.trim());
  const unknown = named.find((name) => !PROPAGATORS.has(name));
  if (unknown !== undefined)
    throw new ConfigError(`OTEL_PROPAGATORS must be tracecontext or none, not "${unknown}": other headers are not read`);
  return named.includes('tracecontext') ? 'parent' : 'ignore';
}

function ratioOf({ OTEL_TRACES_SAMPLER_ARG: text }: Environment): number {
  const ratio = Number(text || 1);
  if (ratio >= 0 && ratio <= 1) return ratio;
  throw new ConfigError(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${text}"`);
}

/** Undefined: traces are off. Throws ConfigError. */
export function traceSettings(env: Environment): TraceSettings | undefined {
  const name = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ? 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' : 'OTEL_EXPORTER_OTLP_ENDPOINT';
  const endpoint = env[name];
  if (!endpoint || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  if (oneOf(env, 'OTEL_TRACES_EXPORTER', ['otlp', 'none'], 'otlp') === 'none') return undefined;
  if (!isWebUrl(endpoint)) throw new ConfigError(`${name} must be a URL that starts with http:// or https://`);
  for (const protocol of ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const)
    oneOf(env, protocol, ['http/protobuf'], 'http/protobuf');
  const maxQueueSize = whole(env, 'OTEL_BSP_MAX_QUEUE_SIZE', 2048, 1, 100_000);
  return {
    endpoint,
    serviceName: env.OTEL_SERVICE_NAME || 'countersign',
    sampler: oneOf(env, 'OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on'),
    ratio: ratioOf(env),
    joining: joiningOf(env),
    batches: {
      scheduledDelayMillis: whole(env, 'OTEL_BSP_SCHEDULE_DELAY', 5000, 1, 3_600_000),
      maxQueueSize,
      maxExportBatchSize: Math.min(whole(env, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, 1, 100_000), maxQueueSize),
    },
  };
}

const JOINED = { parent: 'tracecontext', link: '(unset: a link)', ignore: 'none' } as const;

/** An address may have a password, and its path may be a key. */
export function shownTraces(traces: TraceSettings | undefined): Record<string, unknown> {
  const isOn = traces !== undefined;
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: isOn ? new URL(traces.endpoint).origin : '(unset: no traces)',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: '(see OTEL_EXPORTER_OTLP_ENDPOINT)',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    OTEL_SDK_DISABLED: !isOn,
    OTEL_TRACES_EXPORTER: isOn ? 'otlp' : 'none',
    OTEL_SERVICE_NAME: traces?.serviceName ?? '(unset)',
    OTEL_TRACES_SAMPLER: traces?.sampler ?? '(unset)',
    OTEL_TRACES_SAMPLER_ARG: traces?.ratio ?? '(unset)',
    OTEL_PROPAGATORS: isOn ? JOINED[traces.joining] : '(unset)',
    OTEL_BSP_SCHEDULE_DELAY: traces?.batches.scheduledDelayMillis ?? '(unset)',
    OTEL_BSP_MAX_QUEUE_SIZE: traces?.batches.maxQueueSize ?? '(unset)',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: traces?.batches.maxExportBatchSize ?? '(unset)',
  };
}
