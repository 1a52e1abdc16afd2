import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logLine } from '../../../src/app/log/lines.ts';
import { logger } from '../../../src/app/log/logger.ts';
import fc from '../../support/properties.ts';

const TIME = '2026-01-01T00:00:00.000Z';
/** With lone surrogates, control characters, quotes and line ends. */
const text = fc.string({ unit: fc.oneof(fc.string(), fc.constantFrom('"', '\\', '\n', '\u2028', '\ud800', '\0', 'é', '😀')) });
const name = text.filter((each) => !['level', 'time', 'msg', '__proto__'].includes(each));

test('a line is one JSON object with exactly what it was given, in that order', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(name, fc.oneof(text, fc.jsonValue())), { selector: ([key]) => key }),
      text,
      (members, msg) => {
        const fields = Object.fromEntries(members);
        const line = logLine(30, TIME, fields, msg);
        assert.equal(line.indexOf('\n'), line.length - 1);
        const expected = JSON.parse(JSON.stringify({ level: 30, time: TIME, ...fields, msg }));
        assert.deepEqual(JSON.parse(line), expected);
        assert.deepEqual(Object.keys(JSON.parse(line)), Object.keys(expected));
      },
    ),
  );
});

test('what JSON cannot tell does not stop a line', () => {
  const round: { self?: object } = {};
  round.self = round;
  const fields = { left: undefined, round, big: 1n, call: () => 1, infinite: Number.POSITIVE_INFINITY, ok: 1 };
  assert.deepEqual(JSON.parse(logLine(30, TIME, fields, 'm')), {
    level: 30,
    time: TIME,
    round: '(not to be shown as JSON)',
    big: '(not to be shown as JSON)',
    call: null,
    infinite: null,
    ok: 1,
    msg: 'm',
  });
});

test('an error is told with its causes and members', () => {
  const cause = Object.assign(new TypeError('the disk is full'), { code: 'ENOSPC' });
  const error = Object.assign(new Error('not written', { cause }), { attempt: 2, inner: new RangeError('far') });
  const { error: told } = JSON.parse(logLine(50, TIME, { error }, 'm'));
  assert.deepEqual(
    { ...told, stack: undefined, inner: told.inner.message },
    { type: 'Error', message: 'not written: the disk is full', stack: undefined, attempt: 2, inner: 'far' },
  );
  assert.match(told.stack, /^Error: not written\n[\s\S]*\ncaused by: TypeError: the disk is full\n/);
  const circular = new Error('a');
  circular.cause = new Error('b', { cause: circular });
  assert.equal(JSON.parse(logLine(50, TIME, { error: circular }, 'm')).error.message, 'a: b');
  const many = new AggregateError([new Error('one'), new Error('two')], 'both');
  assert.deepEqual(
    JSON.parse(logLine(50, TIME, { error: many }, 'm')).error.aggregateErrors.map(({ message }: Error) => message),
    ['one', 'two'],
  );
});

test('lines below the level are left out, and from warn on they are urgent', () => {
  const written: [number, boolean][] = [];
  const log = logger('info', { write: (line, urgent) => void written.push([JSON.parse(line).level, urgent]) }, { now: () => 0 });
  for (const write of [log.debug, log.info, log.warn, log.error]) write({}, 'm');
  assert.deepEqual(written, [
    [30, false],
    [40, true],
    [50, true],
  ]);
  const silent = logger('silent', { write: () => assert.fail() }, { now: () => 0 });
  silent.error({}, 'm');
});
