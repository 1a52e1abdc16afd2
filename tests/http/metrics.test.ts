import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Counter, Histogram, Registry } from 'prom-client';
import { metrics, metricsHandler } from '../../src/http/metrics/metrics.ts';
import { countFromZero, countSends } from '../../src/http/metrics/sends.ts';
import { SEND_STATES } from '../../src/model/send.ts';
import { attemptOf, sendOf } from '../store/repositories/sends/send-rows.ts';
import fc from '../support/properties.ts';

/** What dashboards ask for. A published name, type or label never changes. */
const FAMILIES = [
  'process_cpu_user_seconds_total counter',
  'process_cpu_system_seconds_total counter',
  'process_cpu_seconds_total counter',
  'process_start_time_seconds gauge',
  'process_resident_memory_bytes gauge',
  'process_virtual_memory_bytes gauge',
  'process_heap_bytes gauge',
  'process_open_fds gauge',
  'process_max_fds gauge',
  'nodejs_eventloop_lag_seconds gauge',
  'nodejs_eventloop_lag_min_seconds gauge',
  'nodejs_eventloop_lag_max_seconds gauge',
  'nodejs_eventloop_lag_mean_seconds gauge',
  'nodejs_eventloop_lag_stddev_seconds gauge',
  'nodejs_eventloop_lag_p50_seconds gauge',
  'nodejs_eventloop_lag_p90_seconds gauge',
  'nodejs_eventloop_lag_p99_seconds gauge',
  'nodejs_active_resources gauge type',
  'nodejs_active_resources_total gauge',
  'nodejs_active_handles gauge type',
  'nodejs_active_handles_total gauge',
  'nodejs_active_requests gauge type',
  'nodejs_active_requests_total gauge',
  'nodejs_heap_size_total_bytes gauge',
  'nodejs_heap_size_used_bytes gauge',
  'nodejs_external_memory_bytes gauge',
  'nodejs_heap_space_size_total_bytes gauge space',
  'nodejs_heap_space_size_used_bytes gauge space',
  'nodejs_heap_space_size_available_bytes gauge space',
  'nodejs_version_info gauge version,major,minor,patch',
  'nodejs_gc_duration_seconds histogram le,kind',
  'countersign_http_request_seconds histogram le,path,status',
  'countersign_activities_total counter kind,status',
  'countersign_refusals_total counter type,status,code',
  'countersign_velocity_refusals_total counter code',
  'countersign_connections_closed_total counter reason',
  'countersign_captchas_total counter outcome',
  'countersign_log_lines_lost_total counter',
  'countersign_sends_total counter network,event',
  'countersign_send_seconds histogram le,network,until',
  'countersign_broadcasts_total counter network,outcome',
  'countersign_rpc_errors_total counter network,endpoint,trouble',
  'countersign_sponsored_gas_micro_usd_total counter network',
  'countersign_paymaster_noop_coins_total counter network,purpose',
  'countersign_sends_open gauge network,state',
  'countersign_sends_oldest_seconds gauge network,state',
  'countersign_paymaster_coins gauge network',
  'countersign_webhook_attempts_total counter outcome',
  'countersign_webhook_delivery_seconds histogram le',
  'countersign_webhook_pauses_total counter',
  'countersign_webhook_late_seconds gauge',
  'countersign_streams_open gauge',
  'countersign_streams_ended_total counter reason',
  'countersign_scan_blocks_total counter network',
  'countersign_scan_lag_blocks gauge network',
  'countersign_scan_failures_total counter network',
  'countersign_scan_left_out_addresses gauge network',
  'countersign_scan_reorganized_blocks_total counter network',
  'countersign_scan_stopped gauge network',
  'countersign_usage_behind_seconds gauge',
  'countersign_quota_organizations gauge level',
  'countersign_audit_behind_seconds gauge',
  'countersign_record_not_shipped_seconds gauge',
  'countersign_messages_late_seconds gauge topic',
  'countersign_messages_dead gauge',
  'countersign_velocity_reserved_seconds gauge',
  'countersign_quarantine gauge',
  'countersign_sealed gauge',
  'countersign_disk_free_bytes gauge',
  'countersign_backup_age_seconds gauge',
  'countersign_ready gauge',
  'countersign_database_connections_used gauge',
  'countersign_database_waiting gauge',
];

/** Families of the operating system, and those that may have nothing to tell yet. */
const MAY_BE_EMPTY =
  /^(process_(virtual|heap|open|max)|nodejs_active_requests$|nodejs_gc|countersign_(sends?|broadcasts|rpc|sponsored|paymaster|scan|quota|messages)_)/;

const SAMPLE = /^([a-z0-9_]+)(?:\{((?:\w+="(?:[^"\\\n]|\\[\\"n])*",?)+)\})? (-?[\d.]+(?:e[-+]\d+)?|[+-]Inf|NaN)$/;

type Parsed = Map<string, { type: string; samples: { name: string; labels: [string, string][]; value: number }[] }>;

/** Reads a page by the grammar of the text format, and fails on what does not follow it. */
function parse(page: string): Parsed {
  const families: Parsed = new Map();
  assert.ok(page.endsWith('\n'));
  for (const block of page.slice(0, -1).split('\n\n')) {
    const [help, type, ...lines] = block.replace(/\n$/, '').split('\n') as [string, string, ...string[]];
    const [, name] = /^# HELP (\w+) \S.*$/.exec(help)!;
    const [, same, kind] = /^# TYPE (\w+) (counter|gauge|histogram)$/.exec(type)!;
    assert.equal(same, name);
    const samples = lines.map((line) => {
      const found = SAMPLE.exec(line);
      assert.ok(found, line);
      assert.ok(found[1] === name || (kind === 'histogram' && new RegExp(`^${name}_(bucket|sum|count)$`).test(found[1]!)), line);
      const labels = [...(found[2] ?? '').matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, value]): [string, string] => [
        key!,
        value!.replace(/\\(.)/g, (_, escaped) => (escaped === 'n' ? '\n' : escaped)),
      ]);
      return { name: found[1]!, labels, value: Number(found[3]!.replace('Inf', 'Infinity')) };
    });
    families.set(name!, { type: kind!, samples });
  }
  return families;
}

test('the page has these families with these labels', async () => {
  const counted = metrics({ now: () => Date.now() });
  counted.requests.observe({ path: '/a', status: 200 }, 0.003);
  counted.activities.inc({ kind: 'KIND', status: 'STATUS' });
  counted.refusals.inc({ type: 'TYPE', status: 400, code: 'CODE' });
  counted.closed.inc({ reason: 'late' });
  counted.captchas.inc({ outcome: 'passed' });
  const page = parse((await counted.page()).toString());
  const found = [...page].map(([name, { type, samples }]) => {
    const labels = samples.flatMap((sample) => sample.labels.map(([key]) => key));
    const expected = FAMILIES.find((each) => each.startsWith(`${name} `))?.split(' ')[2];
    if (samples.length === 0) assert.match(name, MAY_BE_EMPTY);
    return [name, type, samples.length === 0 ? expected : [...new Set(labels)].join()].filter(Boolean).join(' ');
  });
  assert.deepEqual(found, FAMILIES);
  const usual = [...page.values()].flatMap(({ samples }) => samples).filter(({ value }) => !Number.isFinite(value));
  // No delay of the event loop was recorded yet.
  assert.ok(usual.every(({ name }) => name.startsWith('nodejs_eventloop_lag_')));
  assert.equal(page.get('process_resident_memory_bytes')!.samples[0]!.value > 1e6, true);
  assert.deepEqual(page.get('countersign_log_lines_lost_total')!.samples, [
    { name: 'countersign_log_lines_lost_total', labels: [], value: 0 },
  ]);
});

test('counters of sends begin at 0, so that the first event is an increase', async () => {
  const counted = metrics({ now: () => Date.now() });
  countFromZero(counted.sends, ['eip155:31337']);
  const samples = (await counted.sends.events.get()).values;
  assert.deepEqual(
    (await counted.sends.gas.get()).values.map(({ value }) => value),
    [0],
  );
  assert.ok(samples.every(({ value }) => value === 0));
  const change = (before: string, state: string, more = {}) => ({
    seen: sendOf('org', 'send', { state: before as 'sent' }),
    change: { state: state as 'sent', ...more },
    at: 1,
  });
  const attempts = (['send', 'cancel', 'gap'] as const).map((purpose) => attemptOf('org', 'send', { purpose, number: 2 }));
  countSends(counted.sends, {
    accepted: [sendOf('org', 'send')],
    changed: SEND_STATES.flatMap((before) =>
      SEND_STATES.flatMap((state) => [change(before, state), change(before, state, { error: { message: 'm' } })]),
    ).concat(change('sent', 'queued', { spent: '21000' })),
    attempts,
    cost: new Map(),
  });
  const after = (await counted.sends.events.get()).values;
  assert.equal(after.length, samples.length, 'no other event is counted');
  assert.ok(
    after.every(({ value }) => value > 0),
    'no event is shown that is never counted',
  );
});

test('a send that is final when first seen in a block was included too, and its cost counts then, as on Solana', async () => {
  const { sends } = metrics({ now: () => Date.now() });
  const count = (before: 'sent' | 'included', state: 'included' | 'final', cost: [string, number][]) => {
    const seen = sendOf('org', 'send', { state: before, sponsored: true });
    countSends(sends, {
      accepted: [],
      changed: [{ seen, change: { state, error: null }, at: 1 }],
      attempts: [],
      cost: new Map(cost),
    });
    const { id, caip2 } = seen;
    return { id, caip2 };
  };
  const { id } = count('sent', 'included', []);
  count('included', 'final', [[id, 7]]);
  count('sent', 'final', [[id, 5]]);
  const found = (await sends.events.get()).values.map(({ labels, value }) => [labels.event, value]);
  assert.deepEqual(Object.fromEntries(found), { included: 2, final: 2 });
  const observed = (await sends.seconds.get()).values.find(({ metricName }) => metricName!.endsWith('_count'));
  assert.equal(observed!.value, 2);
  assert.deepEqual(
    (await sends.gas.get()).values.map(({ value }) => value),
    [12],
  );
});

test('a page reads back as what was counted, whatever the labels', async () => {
  const counts = fc.array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.constantFrom('a', '"', '\\', '\n', '')), {
    maxLength: 30,
  });
  await fc.assert(
    fc.asyncProperty(counts, async (all) => {
      const registry = new Registry();
      const counted = new Counter({ name: 'some_total', help: 'Some', labelNames: ['one', 'two'], registers: [registry] });
      const expected = new Map<string, number>();
      for (const [one, two] of all) {
        if (/[\r\n]/.test(one)) continue;
        counted.inc({ one, two });
        const key = JSON.stringify([one, two]);
        expected.set(key, (expected.get(key) ?? 0) + 1);
      }
      const { samples } = parse(await registry.metrics()).get('some_total')!;
      assert.deepEqual(
        new Map(samples.map(({ labels, value }) => [JSON.stringify(labels.map(([, each]) => each)), value])),
        expected,
      );
    }),
  );
});

test('a bucket counts values up to its bound, with those of the smaller buckets', async () => {
  const BOUNDS = [0.5, 1, 10];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(fc.constantFrom(0, 0.5, 1, 10, 11), fc.double({ min: 0, max: 100, noNaN: true })), { minLength: 1 }),
      async (values) => {
        const registry = new Registry();
        const counted = new Histogram({
          name: 'some_seconds',
          help: 'Some',
          labelNames: ['path'],
          buckets: BOUNDS,
          registers: [registry],
        });
        for (const value of values) counted.observe({ path: '/a' }, value);
        const { samples } = parse(await registry.metrics()).get('some_seconds')!;
        assert.deepEqual(
          samples.map(({ name, labels, value }) => [name, labels[0]!.join('='), value]),
          [
            ...BOUNDS.map((le) => ['some_seconds_bucket', `le=${le}`, values.filter((value) => value <= le).length]),
            ['some_seconds_bucket', 'le=+Inf', values.length],
            ['some_seconds_sum', 'path=/a', values.reduce((sum, value) => sum + value, 0)],
            ['some_seconds_count', 'path=/a', values.length],
          ],
        );
      },
    ),
  );
});

test('a page that cannot be made ends its request alone, and the next page is made', async (t) => {
  const counted = metrics({ now: () => 0 });
  let fails = true;
  counted.before(async () => {
    if (fails) throw new Error('no gauges');
  });
  const server = createServer(metricsHandler(counted)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
  t.after(() => server.close());
  await assert.rejects(fetch(url));
  fails = false;
  assert.equal((await fetch(url)).status, 200);
});
