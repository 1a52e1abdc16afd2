/** Metrics in the text form of Prometheus. Label values come from fixed lists, never from a caller. */

export type Labels = Readonly<Record<string, string | number>>;
export type Sample = { suffix?: string; labels?: Labels; value: number };
export type Family = { name: string; type: 'counter' | 'gauge' | 'histogram'; help: string; samples(): Iterable<Sample> };

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '"': '\\"', '\n': '\\n' };

const numberText = (value: number): string => (Number.isFinite(value) ? String(value) : String(value).replace('Infinity', 'Inf'));

const labelText = ([name, value]: [string, string | number]): string =>
  `${name}="${String(value).replace(/[\\"\n]/g, (character) => ESCAPES[character]!)}"`;

function line(name: string, { suffix = '', labels = {}, value }: Sample): string {
  const texts = Object.entries(labels).map(labelText);
  return `${name}${suffix}${texts.length === 0 ? '' : `{${texts.join(',')}}`} ${numberText(value)}\n`;
}

const familyText = ({ name, type, help, samples }: Family): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${[...samples()].map((sample) => line(name, sample)).join('')}`;

export const pageText = (families: readonly Family[]): string => families.map(familyText).join('\n');

type Description = { name: string; help: string };

/** A row for each combination of label values, made when it is first counted. */
function rowsBy<Names extends readonly string[], Row extends object>(names: Names, start: () => Row) {
  const rows = new Map<string, Row & { labels: Labels }>();
  return {
    all: () => rows.values(),
    clear: () => rows.clear(),
    of(values: readonly string[]): Row {
      const key = values.join('\n');
      let row = rows.get(key);
      if (row === undefined) {
        row = { ...start(), labels: Object.fromEntries(names.map((name, i) => [name, values[i]!])) };
        rows.set(key, row);
      }
      return row;
    },
  };
}

/** A tuple of strings as long as a list of names. */
type Values<Names extends readonly string[]> = { [K in keyof Names]: string };

export type Counter<Names extends readonly string[]> = Family & {
  inc(...values: Values<Names>): void;
  add(count: number, ...values: Values<Names>): void;
};

export function counter<const Names extends readonly string[]>(of: Description, names: Names): Counter<Names> {
  const rows = rowsBy(names, () => ({ value: 0 }));
  // Without labels there is one row, which counts from zero.
  if (names.length === 0) rows.of([]);
  return {
    ...of,
    type: 'counter',
    samples: rows.all,
    inc: (...values) => void rows.of(values).value++,
    add(count, ...values) {
      rows.of(values).value += count;
    },
  };
}

export type Gauge<Names extends readonly string[]> = Family & {
  set(value: number, ...values: Values<Names>): void;
  /** Removes all values: nothing is known any more. */
  clear(): void;
};

export function gauge<const Names extends readonly string[]>(of: Description, names: Names): Gauge<Names> {
  const rows = rowsBy(names, () => ({ value: 0 }));
  return {
    ...of,
    type: 'gauge',
    samples: rows.all,
    set(value, ...values) {
      rows.of(values).value = value;
    },
    clear: rows.clear,
  };
}

export type Histogram<Names extends readonly string[]> = Family & { observe(value: number, ...values: Values<Names>): void };

/** `bounds` in ascending order. */
export function histogram<const Names extends readonly string[]>(
  of: Description,
  names: Names,
  bounds: readonly number[],
): Histogram<Names> {
  const rows = rowsBy(names, () => ({ counts: bounds.map(() => 0), sum: 0, count: 0 }));
  function* samples(): Generator<Sample> {
    for (const { counts, sum, count, labels } of rows.all()) {
      let below = 0;
      for (const [i, le] of bounds.entries()) {
        below += counts[i]!;
        yield { suffix: '_bucket', labels: { le, ...labels }, value: below };
      }
      yield { suffix: '_bucket', labels: { le: '+Inf', ...labels }, value: count };
      yield { suffix: '_sum', labels, value: sum };
      yield { suffix: '_count', labels, value: count };
    }
  }
  return {
    ...of,
    type: 'histogram',
    samples,
    observe(value, ...values) {
      const row = rows.of(values);
      row.sum += value;
      row.count++;
      for (let i = 0; i < bounds.length; i++) {
        if (value > bounds[i]!) continue;
        row.counts[i]!++;
        return;
      }
    },
  };
}
