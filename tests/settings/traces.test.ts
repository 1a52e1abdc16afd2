import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remoteSpan } from '../../src/app/traces/spans.ts';
import { ConfigError } from '../../src/settings/read.ts';
import { shownTraces, traceSettings } from '../../src/settings/traces.ts';

const endpoint = 'https://user:secret@collector.example/key';

test('settings of traces that the service does not follow are named', () => {
  for (const [name, value] of [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
    ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'http/json'],
    ['OTEL_TRACES_EXPORTER', 'console'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_PROPAGATORS', 'tracecontext,b3'],
  ] as const)
    assert.throws(
      () => traceSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, [name]: value }),
      (error: Error) => error instanceof ConfigError && error.message.startsWith(name),
      name,
    );
  const shown = shownTraces(traceSettings({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint }));
  assert.equal(shown.OTEL_EXPORTER_OTLP_ENDPOINT, 'https://collector.example');
});

test('a traceparent has the form of W3C, or counts as absent', () => {
  const [trace, span] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const read = (text: string) => remoteSpan(text)?.traceFlags;
  assert.deepEqual(
    [read(`00-${trace}-${span}-01`), read(`00-${trace}-${span}-fe`), read(`01-${trace}-${span}-01-more`)],
    [1, 0, 1],
  );
  const wrong = [
    `ff-${trace}-${span}-01`,
    `00-${'0'.repeat(32)}-${span}-01`,
    `00-${trace}-${'0'.repeat(16)}-01`,
    `00-${trace}-${span}-1`,
    `00-${trace.toUpperCase()}-${span}-01`,
    '',
  ];
  for (const text of wrong) assert.equal(remoteSpan(text), undefined, text);
});
