import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import type { Spans } from '../../base/spans.ts';
import { VERSION } from '../../base/version.ts';
import type { Log } from '../../engine/ports.ts';
import type { TraceSettings } from '../../settings/traces.ts';
import { optionalPackage } from '../optional-package.ts';
import { spansBy } from './spans.ts';

type Api = typeof import('@opentelemetry/api');
type Sdk = typeof import('@opentelemetry/sdk-trace');
type Exporters = typeof import('@opentelemetry/exporter-trace-otlp-proto');
type Resources = typeof import('@opentelemetry/resources');
type Exporter = InstanceType<Exporters['OTLPTraceExporter']>;

/** `close` gives the last spans to the collector. It waits for two seconds, and not beyond `late`. */
export type Traces = { spans: Spans; close(late: Promise<unknown>): Promise<void> };

const FLUSH_MS = 2_000;
const TELLS_MS = 60_000;
/** Of a value. All are shorter, except for a host that a webhook names. */
const LONGEST = 200;

const SDK = '@opentelemetry/sdk-trace';

/** The exporter, and the parts of the SDK that it came with. Throws ConfigError. */
export async function loadTraces() {
  const load = <T>(...through: string[]) =>
    optionalPackage<T>('@opentelemetry/exporter-trace-otlp-proto', 'OTEL_EXPORTER_OTLP_ENDPOINT', through);
  return {
    exporters: await load<Exporters>(),
    sdk: await load<Sdk>(SDK),
    resources: await load<Resources>(SDK, '@opentelemetry/resources'),
    api: await load<Api>(SDK, '@opentelemetry/api'),
  };
}

function samplerOf({ AlwaysOnSampler, AlwaysOffSampler, TraceIdRatioBasedSampler, ParentBasedSampler }: Sdk, of: TraceSettings) {
  const root = of.sampler.endsWith('always_on')
    ? new AlwaysOnSampler()
    : of.sampler.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(of.ratio);
  return of.sampler.startsWith('parentbased') ? new ParentBasedSampler({ root }) : root;
}

/** The same exporter. A collector that takes nothing is named at most once a minute. */
function telling(exporter: Exporter, log: Log, elapsed: Clock): Exporter {
  let told = Number.NEGATIVE_INFINITY;
  const plain = exporter.export.bind(exporter);
  exporter.export = (spans, done) =>
    plain(spans, (result) => {
      if (result.error !== undefined && elapsed.now() - told >= TELLS_MS) {
        told = elapsed.now();
        const { code, message } = result.error as { code?: unknown; message: string };
        log.warn({ code, reason: message.slice(0, LONGEST) }, 'traces cannot be exported, and their spans are lost');
      }
      done(result);
    });
  return exporter;
}

/** Traces by the official SDK, which is loaded for this alone. Nothing of it is registered for the whole process. */
export async function openTraces(settings: TraceSettings, log: Log, elapsed: Clock): Promise<Traces> {
  const { exporters, sdk, resources, api } = await loadTraces();
  const { resourceFromAttributes, detectResources, resourceAttributesEnvDetector } = resources;
  const named = resourceFromAttributes({ 'service.name': settings.serviceName, 'service.version': VERSION });
  const exporter = telling(new exporters.OTLPTraceExporter(), log, elapsed);
  const provider = new sdk.TracerProvider({
    resource: detectResources({ detectors: [resourceAttributesEnvDetector] }).merge(named),
    sampler: samplerOf(sdk, settings),
    spanLimits: { attributeValueLengthLimit: LONGEST },
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter, ...settings.batches })],
  });
  return {
    spans: spansBy(api, provider.getTracer('countersign', VERSION), settings.joining),
    async close(late) {
      const ended = provider.shutdown().catch(() => {});
      await Promise.race([ended, late, sleep(FLUSH_MS, undefined, { ref: false })]);
    },
  };
}
