import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonLine, terminalLine } from '../../../src/app/log/lines.ts';
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
        const line = jsonLine('info', TIME, fields, msg);
        assert.equal(line.indexOf('\n'), line.length - 1);
        const expected = JSON.parse(JSON.stringify({ level: 'info', time: TIME, ...fields, msg }));
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
  assert.deepEqual(JSON.parse(jsonLine('info', TIME, fields, 'm')), {
    level: 'info',
    time: TIME,
    round: '(not to be shown as JSON)',
    big: '(not to be shown as JSON)',
    call: null,
    infinite: null,
    ok: 1,
    msg: 'm',
  });
});

test('for a terminal, the message comes first, and no text of a client moves the cursor', () => {
  const fields = { address: 'http://[::1]:8080', left: undefined, count: 2, why: 'a b', path: '/\x1b[2J\r\n\u202e\x9b2J' };
  assert.equal(
    terminalLine('info', TIME, fields, 'listening'),
    '00:00:00Z info  listening  address=http://[::1]:8080  count=2  why="a b"  path="/\\u001b[2J\\r\\n··2J"\n',
  );
  const error = Object.assign(new Error('far\x1b[2J', { cause: new Error('near') }), { code: '53300' });
  const [first, second, ...rest] = terminalLine('error', TIME, { error }, 'failed').split('\n');
  assert.deepEqual([first, second], ['00:00:00Z error failed  error={"code":"53300"}', '    error: Error: far·[2J']);
  assert.ok(rest.some((line) => line === '    caused by: Error: near') && rest.at(-1) === '');
});

test('an error is told with its causes and members', () => {
  const cause = Object.assign(new TypeError('the disk is full'), { code: 'ENOSPC' });
  const error = Object.assign(new Error('not written', { cause }), { attempt: 2, inner: new RangeError('far') });
  const { error: told } = JSON.parse(jsonLine('error', TIME, { error }, 'm'));
  assert.deepEqual(
    { ...told, stack: undefined, inner: told.inner.message },
    { type: 'Error', message: 'not written: the disk is full', stack: undefined, attempt: 2, inner: 'far' },
  );
  assert.match(told.stack, /^Error: not written\n[\s\S]*\ncaused by: TypeError: the disk is full\n/);
  const circular = new Error('a');
  circular.cause = new Error('b', { cause: circular });
  assert.equal(JSON.parse(jsonLine('error', TIME, { error: circular }, 'm')).error.message, 'a: b');
  const many = new AggregateError([new Error('one'), new Error('two')], 'both');
  assert.deepEqual(
    JSON.parse(jsonLine('error', TIME, { error: many }, 'm')).error.aggregateErrors.map(({ message }: Error) => message),
    ['one', 'two'],
  );
});

test('lines below the level are left out, and from warn on they are urgent', () => {
  const written: [string, boolean][] = [];
  const write = (line: string, urgent: boolean) => void written.push([JSON.parse(line).level, urgent]);
  const log = logger({ level: 'info', lineOf: jsonLine }, { write }, { now: () => 0 });
  for (const write of [log.debug, log.info, log.warn, log.error]) write({}, 'm');
  assert.deepEqual(written, [
    ['info', false],
    ['warn', true],
    ['error', true],
  ]);
  const silent = logger({ level: 'silent', lineOf: jsonLine }, { write: () => assert.fail() }, { now: () => 0 });
  silent.error({}, 'm');
});
