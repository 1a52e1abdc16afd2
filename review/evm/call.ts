import { type Coin, whole } from '../amounts.ts';
import { ONLY_NAMED } from '../named.ts';
import type { Call, Warning } from '../types.ts';
import { visible } from '../visible.ts';
import { type Addresses, argumentsOf } from './arguments.ts';
import { dangersOf } from './dangers.ts';
import { functionOf } from './functions.ts';
import { type Inner, innerCalls } from './inner-calls.ts';

/** Deeper calls are not read. Each contains the next whole, so the work stays linear in the depth. */
const DEEPEST = 16;

export type Reading = {
  readonly coin: Coin;
  readonly address: Addresses;
  /** ABIs by lower-case address. */
  readonly interfaces: ReadonlyMap<string, string> | undefined;
};

const notDecoded = (why: string): Warning => ({
  code: 'not-decoded',
  level: 'red',
  text: `This call is not decoded, so what it moves cannot be seen here: ${why}`,
});

/** Functions that only an interface names may make further calls. */
const HAS_DATA: Warning = {
  code: 'data-inside',
  level: 'amber',
  text: 'Data inside this call is not decoded: what that moves cannot be seen here',
};

function created(data: string): Call {
  const text = 'It creates a contract, whose code is not decoded';
  return { to: '', arguments: [], calls: [], data, warnings: [{ code: 'contract-creation', level: 'red', text }] };
}

/** What the data of a call says. */
function decoded({ to, data }: Inner, reading: Reading, depth: number): Omit<Call, 'to'> {
  const undecoded = (why: string) => ({ arguments: [], calls: [], data, warnings: [notDecoded(why)] });
  if (data === '0x') return { arguments: [], calls: [], warnings: [] };
  const found = functionOf(data, reading.interfaces?.get(to));
  if (found === undefined) return undecoded(`no known function has the selector ${data.slice(0, 10)}`);
  const { known, byService } = found;
  const named = { function: visible(known.text), ...(byService && { named: 'by the service' as const }) };
  const values = known.decode(data);
  if (values === undefined) return { ...named, ...undecoded('its arguments are not what a compiler writes') };
  const args = known.inputs.flatMap((input, i) => argumentsOf(input, values[i]!, reading.address));
  const inner = byService ? [] : innerCalls(known.text, values, to);
  if (inner === 'unread') return { ...named, ...undecoded('the calls inside it cannot be read'), arguments: args };
  if (inner.length > 0 && depth === DEEPEST)
    return { ...named, ...undecoded(`it is nested deeper than ${DEEPEST} calls`), arguments: args };
  const hasData = byService && args.some(({ type, value }) => type === 'bytes' && value !== '0x' && value !== '');
  return {
    ...named,
    arguments: args,
    calls: inner.map((each) => callOf(each, reading, depth + 1)),
    warnings: [...(byService ? [ONLY_NAMED] : []), ...(hasData ? [HAS_DATA] : [])],
  };
}

/** A call with all calls inside it. `to`: lower-case hex, '' to create a contract. */
export function callOf(inner: Inner, reading: Reading, depth = 0): Call {
  const { to, value, data, isDelegate } = inner;
  const { coin } = reading;
  const worth = value === 0n ? {} : { value: { amount: whole(value, coin.decimals), unit: coin.unit } };
  if (to === '') return { ...created(data), ...worth };
  const call: Call = {
    to: reading.address(to),
    ...decoded(inner, reading, depth),
    ...worth,
    ...(isDelegate && { isDelegate: true as const }),
  };
  if (isDelegate)
    call.warnings.push({
      code: 'delegate-call',
      level: 'red',
      text: `The code of ${call.to} runs as the calling contract, and may take everything that it has`,
    });
  if (/^0x0{40}$/.test(to) && value > 0n)
    call.warnings.push({
      code: 'zero-address',
      level: 'red',
      text: 'The recipient is the zero address: what goes there is lost',
    });
  call.warnings.push(...dangersOf(call));
  return call;
}

/** Each call with its path, those inside it too. */
export function* walk(calls: readonly Call[], at = 'calls'): Generator<[path: string, Call]> {
  for (const [i, call] of calls.entries()) {
    const path = `${at}[${i}]`;
    yield [path, call];
    yield* walk(call.calls, `${path}.calls`);
  }
}
