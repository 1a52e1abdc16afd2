import { AsyncLocalStorage } from 'node:async_hooks';
import type { Context, Link, Span, SpanContext, Tracer } from '@opentelemetry/api';
import type { SpanFields, SpanOptions, Spans } from '../../base/spans.ts';
import type { Joining } from '../../settings/traces.ts';

type Api = typeof import('@opentelemetry/api');

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;

/** The span of the caller. Undefined if the header is not of W3C's form. */
export function remoteSpan(traceparent: string): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags!, 16) & 1, isRemote: true };
}

/** The name of an error, or its code. Its text may be of a user. */
const nameOf = (error: unknown): string => {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'Error';
};

const thenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof (value as { then?: unknown } | undefined)?.then === 'function';

/** Spans by the official SDK. Which span runs is kept here, and nothing global is registered or replaced. */
export function spansBy(api: Api, tracer: Tracer, joining: Joining): Spans {
  const running = new AsyncLocalStorage<Context>();
  const kinds = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT };

  /** The context above a span, and its links. */
  function above(traceparent: string | undefined): { context: Context; links: Link[] } {
    const context = running.getStore() ?? api.ROOT_CONTEXT;
    const remote = traceparent === undefined || joining === 'ignore' ? undefined : remoteSpan(traceparent);
    if (remote === undefined) return { context, links: [] };
    if (joining === 'parent') return { context: api.trace.setSpanContext(context, remote), links: [] };
    return { context, links: [{ context: remote }] };
  }

  function failed(span: Span, error: unknown): void {
    span.setAttribute('error.type', nameOf(error));
    span.setStatus({ code: api.SpanStatusCode.ERROR });
  }

  function around<T>(name: string, { kind, fields = {}, traceparent }: SpanOptions, work: () => T): T {
    const { context, links } = above(traceparent);
    const options = { kind: kind === undefined ? api.SpanKind.INTERNAL : kinds[kind], attributes: fields, links };
    const span = tracer.startSpan(name, options, context);
    try {
      const done = running.run(api.trace.setSpan(context, span), work);
      if (!thenable(done)) {
        span.end();
        return done;
      }
      const ended = done.then(
        (value) => {
          span.end();
          return value;
        },
        (error: unknown) => {
          failed(span, error);
          span.end();
          throw error;
        },
      );
      return ended as T;
    } catch (error) {
      failed(span, error);
      span.end();
      throw error;
    }
  }

  function note(fields: SpanFields): string | undefined {
    const context = running.getStore();
    const span = context && api.trace.getSpan(context);
    if (span === undefined) return undefined;
    for (const [name, value] of Object.entries(fields)) if (value !== undefined) span.setAttribute(name, value);
    if (Number(fields['http.response.status_code']) >= 500) span.setStatus({ code: api.SpanStatusCode.ERROR });
    return span.spanContext().traceId;
  }

  return { around, note };
}
