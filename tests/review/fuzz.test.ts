/** Hostile bodies: a review never throws, and takes a bounded time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFunctionData, parseAbi } from 'viem';
import { type Review, reviewOf } from '../../review/index.ts';
import { rounds } from '../support/full.ts';
import { seeded } from '../support/seeded.ts';
import { bodyOf, corpus } from './corpus.ts';

const bodies = corpus.map((entry) => Buffer.from(bodyOf(entry)));
const HIDDEN = /(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/u;

/** What holds of each review. */
function check(review: Review): void {
  assert.match(review.fingerprint, /^sha256:[0-9a-f]{64}$/);
  assert.ok(review.readable || review.warnings.some(({ level }) => level === 'red'));
  const { parameters: _, ...shown } = review;
  for (const text of JSON.stringify(shown).split('\\n')) assert.doesNotMatch(text, HIDDEN);
}

const HEX = '0123456789abcdef';

test('a changed body is read or refused in words', () => {
  const next = seeded(0x5eed);
  for (let i = 0; i < rounds(10_000); i++) {
    const body = Buffer.from(bodies[next(bodies.length)]!);
    const text = body.toString();
    switch (next(4)) {
      case 0:
        body[next(body.length)] = next(256);
        check(reviewOf(body));
        break;
      case 1:
        check(reviewOf(body.subarray(0, next(body.length))));
        break;
      case 2: {
        // Hex stays hex, so that the readers of chains get it.
        const at = [...text.matchAll(/[0-9a-f]{8,}/g)];
        const found = at[next(at.length)]!;
        const place = found.index + next(found[0].length);
        check(reviewOf(Buffer.from(`${text.slice(0, place)}${HEX[next(16)]}${text.slice(place + 1)}`)));
        break;
      }
      default: {
        const other = bodies[next(bodies.length)]!.toString();
        check(reviewOf(Buffer.from(text.slice(0, next(text.length)) + other.slice(next(other.length)))));
      }
    }
  }
});

const abi = parseAbi(['function multicall(bytes[])', 'function approve(address,uint256)']);
const multicall = (...data: `0x${string}`[]) => encodeFunctionData({ abi, functionName: 'multicall', args: [data] });
const approve = encodeFunctionData({ abi, functionName: 'approve', args: [`0x${'44'.repeat(20)}`, 2n ** 256n - 1n] });
const account = `0x${'55'.repeat(20)}`;
const send = (data: string) =>
  bodyOf({
    type: 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION_V2',
    parameters: { from: account, caip2: 'eip155:1', calls: [{ to: account, data }] },
  });

/** The processor time of a reading, in seconds. */
function secondsOf(body: Uint8Array): [seconds: number, review: Review] {
  const before = process.cpuUsage();
  const review = reviewOf(body);
  const { user, system } = process.cpuUsage(before);
  check(review);
  return [(user + system) / 1e6, review];
}

test('the largest and deepest bodies take a bounded time', () => {
  let deep = approve;
  for (let i = 0; i < 64; i++) deep = multicall(deep);
  const nested = `${'['.repeat(60)}1${']'.repeat(60)}`;
  const largest = (parameters: object) =>
    bodyOf({
      type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS',
      parameters: { signWith: account, encoding: 'PAYLOAD_ENCODING_EIP712', ...parameters } as never,
    });
  const types = Object.fromEntries(
    Array.from({ length: 100 }, (_, i) => [
      `T${i}`,
      [
        { name: 'a', type: i < 99 ? `T${i + 1}` : 'uint256' },
        { name: 'b', type: i < 98 ? `T${i + 2}[]` : 'uint256' },
      ],
    ]),
  );
  const typed = JSON.stringify({ domain: {}, types, primaryType: 'T0', message: {} });
  const made: [string, Uint8Array][] = [
    ['calls inside calls', send(deep)],
    ['calls beside calls', send(multicall(...Array.from({ length: 2_500 }, () => approve)))],
    ['approvals of a megabyte', send(multicall(...Array.from({ length: 3_200 }, () => approve)))],
    [
      'fields',
      Buffer.from(
        `{"type":"ACTIVITY_TYPE_NEW","parameters":{${Array.from({ length: 49_000 }, (_, i) => `"k${i}":"\u202e"`).join(',')}}}`,
      ),
    ],
    ['levels', Buffer.from(`{"type":"ACTIVITY_TYPE_NEW","parameters":{"a":${nested}}}`)],
    ['levels that are too many', Buffer.from(`{"type":"ACTIVITY_TYPE_NEW","parameters":{"a":${'['.repeat(500_000)}`)],
    ['payloads', largest({ payloads: Array.from({ length: 256 }, () => 'x'.repeat(4_000)) })],
    ['types', largest({ payloads: Array.from({ length: 100 }, () => typed) })],
    ['text', bodyOf({ type: 'ACTIVITY_TYPE_CREATE_POLICY_V3', parameters: { policyName: '\u202e'.repeat(340_000) } })],
    ['more than the service takes', Buffer.alloc(1_048_577, 32)],
  ];
  for (const [name, body] of made) {
    const [seconds] = secondsOf(body);
    assert.ok(seconds < 5, `${name}: ${seconds} s`);
  }
  assert.equal(secondsOf(send(deep))[1].readable, false);
});
