/** Timestamps and recurring windows. Both are parsed when a policy is compiled, so that nothing can fail later. */

type Read<T> = { ok: true; value: T } | { ok: false; argument: number; message: string; hint?: string };

const MINUTE = 60_000;
const DAY_MINUTES = 24 * 60;
const MAX_DURATION_MINUTES = 7 * DAY_MINUTES;

const rfc3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2})$/;

/** RFC 3339 with offset zero → milliseconds since the epoch. Finer fractions are truncated. */
export function readTimestampText(text: string): Read<number> {
  const match = rfc3339.exec(text);
  if (match === null) {
    return {
      ok: false,
      argument: 0,
      message: 'the timestamp is not in RFC 3339 form',
      hint: "write it as '2026-03-01T00:00:00Z'",
    };
  }
  const offset = match[8]!;
  if (!/^[Zz]$|^[+-]00:00$/.test(offset)) {
    return {
      ok: false,
      argument: 0,
      message: `the timestamp has the UTC offset \`${offset}\``,
      hint: 'convert it to UTC and end it with `Z`',
    };
  }
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  const real = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60;
  if (!real) return { ok: false, argument: 0, message: 'the timestamp names a day or time that does not exist' };
  const fraction = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  return { ok: true, value: date.getTime() + (hour * 60 + minute) * MINUTE + second * 1000 + fraction };
}

/** Whether a window is open at an instant. */
export type CronSpan = (nowMs: number) => boolean;

/** `CronSpan(cron, duration, zone)`: open from each scheduled time for the duration. */
export function readCronSpan(cron: string, duration: string, zone: string): Read<CronSpan> {
  const schedule = readCron(cron);
  if (!schedule.ok) return schedule;
  const minutes = readDuration(duration);
  if (!minutes.ok) return minutes;
  const offset = zoneOffset(zone);
  if (offset === undefined) {
    return {
      ok: false,
      argument: 2,
      message: `\`${zone.slice(0, 64)}\` is not a time zone`,
      hint: "use an IANA name such as 'Europe/Paris' or 'UTC'",
    };
  }
  return { ok: true, value: remembered((minute) => isOpen(schedule.value, minutes.value, offset, minute)) };
}

/** Windows open and close on whole minutes, so one result holds for a minute. */
function remembered(open: (minute: number) => boolean): CronSpan {
  let knownMinute: number | undefined;
  let known = false;
  return (nowMs) => {
    const minute = Math.floor(nowMs / MINUTE);
    if (minute !== knownMinute) {
      known = open(minute);
      knownMinute = minute;
    }
    return known;
  };
}

type Schedule = {
  /** One bit for every minute of a day: whether it matches. */
  readonly minutesOfDay: Uint8Array;
  readonly dayMatches: (day: number) => boolean;
};

const fields = [
  { name: 'minute', low: 0, high: 59 },
  { name: 'hour', low: 0, high: 23 },
  { name: 'day-of-month', low: 1, high: 31 },
  { name: 'month', low: 1, high: 12 },
  { name: 'day-of-week', low: 0, high: 6 },
] as const;

function readCron(cron: string): Read<Schedule> {
  const refuse = (message: string, hint?: string): Read<never> =>
    hint === undefined ? { ok: false, argument: 0, message } : { ok: false, argument: 0, message, hint };
  const texts = cron.trim().split(/\s+/);
  if (cron.trim().startsWith('@')) return refuse('cron macros are not supported', 'write the five fields');
  if (texts.length !== 5) {
    const hint = texts.length === 6 ? 'there is no field for seconds' : 'minute, hour, day of month, month, day of week';
    return refuse(`a cron expression has 5 fields, this one has ${texts.length}`, hint);
  }
  const sets: (ReadonlySet<number> | undefined)[] = [];
  for (const [index, { name, low, high }] of fields.entries()) {
    const text = texts[index]!;
    if (text === '*') {
      sets.push(undefined);
      continue;
    }
    if (text.includes('/')) return refuse(`step values are not supported: \`${text}\` in the ${name} field`, 'list the values');
    if (/[A-Za-z]/.test(text))
      return refuse(`names are not supported: \`${text}\` in the ${name} field`, `use numbers from ${low} to ${high}`);
    const set = new Set<number>();
    for (const item of text.split(',')) {
      const match = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(item);
      const from = Number(match?.[1]);
      const to = Number(match?.[2] ?? match?.[1]);
      if (match === null || from < low || to > high || from > to) {
        return refuse(`\`${item}\` does not fit the ${name} field`, `values and ranges from ${low} to ${high}, or \`*\``);
      }
      for (let value = from; value <= to; value += 1) set.add(value);
    }
    sets.push(set);
  }
  return { ok: true, value: schedule(sets) };
}

function schedule([minutes, hours, days, months, weekdays]: readonly (ReadonlySet<number> | undefined)[]): Schedule {
  const minutesOfDay = new Uint8Array(DAY_MINUTES / 8);
  for (let minute = 0; minute < DAY_MINUTES; minute += 1) {
    const hour = Math.floor(minute / 60);
    if ((hours?.has(hour) ?? true) && (minutes?.has(minute % 60) ?? true)) minutesOfDay[minute >> 3]! |= 1 << (minute & 7);
  }
  const dayMatches = (day: number): boolean => {
    const date = new Date(day * DAY_MINUTES * MINUTE);
    if (months !== undefined && !months.has(date.getUTCMonth() + 1)) return false;
    const byDay = days?.has(date.getUTCDate());
    const byWeekday = weekdays?.has(date.getUTCDay());
    // If both are restricted, either is enough.
    return byDay === undefined ? (byWeekday ?? true) : byDay || byWeekday === true;
  };
  return { minutesOfDay, dayMatches };
}

function readDuration(text: string): Read<number> {
  const refuse = (message: string): Read<never> => ({
    ok: false,
    argument: 1,
    message,
    hint: "write it as '8h', '90m' or '1d12h'",
  });
  const match = /^(?:(\d{1,6})d)?(?:(\d{1,6})h)?(?:(\d{1,6})m)?$/.exec(text);
  if (match === null || text === '') return refuse('the duration is not made of whole days, hours and minutes');
  const [days, hours, minutes] = match.slice(1, 4).map((digits) => Number(digits ?? 0)) as [number, number, number];
  const total = days * DAY_MINUTES + hours * 60 + minutes;
  if (total === 0) return refuse('the duration must be more than zero');
  if (total > MAX_DURATION_MINUTES) return refuse('the duration must be at most 7 days');
  return { ok: true, value: total };
}

/** The zone's offset from UTC in minutes, by minute since the epoch. */
type Offset = (minute: number) => number;

/** One per zone, since they are large. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  const name = zone.toLowerCase();
  let format = formats.get(name);
  if (format !== undefined) return format;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch {
    return undefined;
  }
  formats.set(name, format);
  return format;
}

function zoneOffset(zone: string): Offset | undefined {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]*$/.test(zone)) return undefined;
  const format = formatOf(zone);
  if (format === undefined) return undefined;
  return (minute) => {
    const name = format.formatToParts(minute * MINUTE).find((part) => part.type === 'timeZoneName')?.value ?? '';
    const [, sign, hours, minutes] = /([+-])(\d{1,2}):(\d{2})/.exec(name) ?? [];
    const size = Number(hours ?? 0) * 60 + Number(minutes ?? 0);
    return sign === '-' ? -size : size;
  };
}

/**
 * A scheduled time is a minute at which the zone's clock matches the schedule. The window is open if there is one among
 * the last `duration` minutes. They are searched backwards in stretches between two changes of the clock.
 */
function isOpen(schedule: Schedule, duration: number, offset: Offset, now: number): boolean {
  const oldest = now - duration + 1;
  let end = now;
  while (end >= oldest) {
    const ahead = offset(end);
    const start = stretchStart(offset, ahead, oldest, end);
    if (hasFire(schedule, start + ahead, end + ahead)) return true;
    end = start - 1;
  }
  return false;
}

/** A minute, at most a day before `end`, from which the offset is constant until `end`. Clocks change at most once a day. */
function stretchStart(offset: Offset, ahead: number, oldest: number, end: number): number {
  let other = Math.max(oldest, end - DAY_MINUTES);
  if (offset(other) === ahead) return other;
  let same = end;
  while (same - other > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offset(middle) === ahead) same = middle;
    else other = middle;
  }
  return same;
}

/** Whether a scheduled time lies between two local minutes, both included. */
function hasFire(schedule: Schedule, from: number, to: number): boolean {
  const { minutesOfDay, dayMatches } = schedule;
  for (let day = Math.floor(to / DAY_MINUTES); day >= Math.floor(from / DAY_MINUTES); day -= 1) {
    // The first and last day are covered in part, all others entirely.
    const low = Math.max(0, from - day * DAY_MINUTES);
    const high = Math.min(DAY_MINUTES - 1, to - day * DAY_MINUTES);
    if (!dayMatches(day)) continue;
    for (let minute = low; minute <= high; minute += 1) if (minutesOfDay[minute >> 3]! & (1 << (minute & 7))) return true;
  }
  return false;
}
