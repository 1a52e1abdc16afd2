import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCronSpan, readTimestampText } from '../../src/policy/evaluate/time.ts';
import { rounds } from '../support/full.ts';
import { pick, seeded } from './generate.ts';

test('timestamps are RFC 3339 in UTC', () => {
  for (const [text, iso] of [
    ['2025-01-01T00:00:00Z', '2025-01-01T00:00:00.000Z'],
    ['2025-01-01t00:00:00z', '2025-01-01T00:00:00.000Z'],
    ['2025-01-01T12:30:15.5+00:00', '2025-01-01T12:30:15.500Z'],
    ['2024-02-29T23:59:59.123456789-00:00', '2024-02-29T23:59:59.123Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ] as const) {
    const read = readTimestampText(text);
    assert.ok(read.ok, text);
    assert.equal(new Date(read.value).toISOString(), iso);
  }
  for (const text of [
    '2025-02-29T00:00:00Z',
    '2025-13-01T00:00:00Z',
    '2025-01-01T24:00:00Z',
    '2025-01-01T00:60:00Z',
    '2025-01-01T00:00:60Z',
    '2025-01-01',
    '2025-01-01T00:00:00',
    '2025-01-01T00:00:00+01:00',
    '2025-01-01T00:00:00.Z',
    ' 2025-01-01T00:00:00Z',
  ]) {
    assert.ok(!readTimestampText(text).ok, text);
  }
});

test('cron spans are checked', () => {
  const refused = (cron: string, duration = '1h', zone = 'UTC'): number | undefined => {
    const read = readCronSpan(cron, duration, zone);
    return read.ok ? undefined : read.argument;
  };
  for (const cron of [
    '0 9 * *',
    '60 * * * *',
    '0 24 * * *',
    '0 0 0 * *',
    '0 0 32 * *',
    '0 0 * 13 *',
    '0 0 * 0 *',
    '5-1 * * * *',
    '1,,2 * * * *',
    '*,1 * * * *',
    '-1 * * * *',
    '1- * * * *',
    '',
    '0 9 * * 1-7',
    'a * * * *',
  ]) {
    assert.equal(refused(cron), 0, cron);
  }
  for (const duration of ['', '0m', '0d0h0m', '7d1m', '1m1h', '1h1h', '1', 'h', '-1h', '1w', ' 1h', '99999999m'])
    assert.equal(refused('0 9 * * *', duration), 1, duration);
  for (const zone of ['', 'Mars/Base', '+01:00', 'UTC+1', '../UTC', 'Europe'])
    assert.equal(refused('0 9 * * *', '1h', zone), 2, zone);
  for (const cron of ['0 9 * * 1-5', ' 0  9 * * 0,6 ', '0,30 0-23 1,15 1-12 *', '59 23 31 12 6'])
    assert.equal(refused(cron, '7d', 'Europe/Paris'), undefined, cron);
});

test('in cron either restricted day field is enough', () => {
  const read = readCronSpan('0 0 13 * 5', '1d', 'UTC');
  assert.ok(read.ok);
  const open = (day: string): boolean => read.value(Date.parse(`${day}T12:00:00Z`));
  assert.deepEqual(['2026-02-13', '2026-02-20', '2026-03-13', '2026-04-13', '2026-04-14'].map(open), [
    true,
    true,
    true,
    true,
    false,
  ]);
});

/** Looks at every one of the last minutes, by the definition. */
function slow(cron: string, minutes: number, zone: string): (now: number) => boolean {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    minute: 'numeric',
    hour: 'numeric',
    day: 'numeric',
    month: 'numeric',
    weekday: 'short',
  });
  const matches = (field: string, value: number): boolean =>
    field === '*' ||
    field.split(',').some((item) => {
      const [from, to = from] = item.split('-').map(Number);
      return value >= from! && value <= to!;
    });
  const [minute, hour, day, month, weekday] = cron.split(' ') as [string, string, string, string, string];
  const known = new Map<number, boolean>();
  const fires = (at: number): boolean => {
    const before = known.get(at);
    if (before !== undefined) return before;
    const parts = Object.fromEntries(format.formatToParts(at * 60_000).map(({ type, value }) => [type, value]));
    const byDay = matches(day, Number(parts.day));
    const byWeekday = matches(weekday, ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'].indexOf(parts.weekday!));
    const days = day !== '*' && weekday !== '*' ? byDay || byWeekday : byDay && byWeekday;
    const result =
      matches(minute, Number(parts.minute)) && matches(hour, Number(parts.hour)) && matches(month, Number(parts.month)) && days;
    known.set(at, result);
    return result;
  };
  return (now) => {
    const end = Math.floor(now / 60_000);
    for (let at = end; at > end - minutes; at -= 1) if (fires(at)) return true;
    return false;
  };
}

test('recurring windows agree with looking at every minute, around changes of the clock too', () => {
  const random = seeded(7);
  const changes = [
    '2026-03-08T07:00:00Z',
    '2026-11-01T06:00:00Z',
    '2026-03-29T01:00:00Z',
    '2026-10-25T01:00:00Z',
    '2026-04-04T15:00:00Z',
    '2026-10-03T15:30:00Z',
    '2026-06-15T12:00:00Z',
    '2026-12-31T23:00:00Z',
  ];
  const zones = [
    'UTC',
    'America/New_York',
    'Europe/Paris',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'America/St_Johns',
    'Pacific/Apia',
  ];
  const number = (low: number, high: number): number => low + random(high - low + 1);
  const field = (low: number, high: number, any: number): string => {
    if (random(any) > 0) return '*';
    const from = number(low, high);
    return random(2) ? String(from) : `${from}-${number(from, high)}`;
  };
  for (let round = 0; round < rounds(60); round += 1) {
    const cron = [number(0, 59), field(0, 5, 2), field(1, 31, 3), field(1, 12, 6), field(0, 6, 3)].join(' ');
    const minutes = number(1, random(3) ? 300 : 3000);
    const zone = pick(random, zones);
    const fast = readCronSpan(cron, `${minutes}m`, zone);
    assert.ok(fast.ok, cron);
    const reference = slow(cron, minutes, zone);
    for (let at = 0; at < 40; at += 1) {
      const now = Date.parse(pick(random, changes)) + (random(2880) - 1440) * 60_000 + random(60_000);
      assert.equal(
        fast.value(now),
        reference(now),
        `CronSpan('${cron}', '${minutes}m', '${zone}') at ${new Date(now).toISOString()}`,
      );
    }
  }
});
