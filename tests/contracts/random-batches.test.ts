import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { encodeFunctionData, type Hex, type PrivateKeyAccount } from 'viem';
import fc from '../support/properties.ts';
import {
  abiOf,
  batchOf,
  type Call,
  domainOf,
  ERRORS,
  executionOf,
  newAccount,
  onDelegate,
  onStation,
  pack,
  signMessage,
  startWorld,
  type World,
} from './support.ts';

/**
 * Random messages of one account against a model of what they should do: which of them are carried out, what each call then did,
 * and which error all others meet.
 */
const FUNDS = 100n;
const STEPS = 6;

let world: World;
let target: Hex;

before(async () => {
  world = await startWorld();
  target = await world.deploy('Target');
});
after(() => world.stop());

const CALLS = {
  add: { error: undefined, data: (amount: number) => ({ functionName: 'add', args: [BigInt(amount)] }) },
  fail: { error: ERRORS.ExecutionFailed, data: () => ({ functionName: 'failBare', args: [] }) },
  imitate: { error: ERRORS.NotSelf, data: () => ({ functionName: 'failWith', args: [ERRORS.NotSelf] }) },
} as const;

type Drawn = { what: keyof typeof CALLS | 'pay' | 'self'; amount: number; value: number };
type Step = {
  calls: Drawn[];
  batch: boolean;
  station: boolean;
  nonce: number;
  late: boolean;
  stranger: boolean;
  tampered: number | undefined;
};

const drawn: fc.Arbitrary<Drawn> = fc.record({
  what: fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom('add', 'pay', 'self') },
    { weight: 1, arbitrary: fc.constantFrom('fail', 'imitate') },
  ) as fc.Arbitrary<Drawn['what']>,
  amount: fc.nat(1000),
  value: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 3, arbitrary: fc.nat(12) }),
});
const rarely = <T>(value: fc.Arbitrary<T>, usual: T) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: value });
const list = (shortest: number, longest: number) => fc.array(drawn, { minLength: shortest, maxLength: longest });
const step: fc.Arbitrary<Step> = fc.record({
  calls: fc.oneof({ weight: 6, arbitrary: list(1, 6) }, list(0, 0), list(19, 20), list(21, 21)),
  batch: fc.boolean(),
  station: fc.boolean(),
  nonce: rarely(fc.constantFrom(-1, 1, 2), 0),
  late: rarely(fc.constant(true), false),
  stranger: rarely(fc.constant(true), false),
  tampered: rarely(fc.nat(21) as fc.Arbitrary<number | undefined>, undefined),
});

type Model = { nonce: bigint; balance: bigint; total: bigint; sink: bigint };

/** The error that this step meets, or the results of the calls. `calls`: as they are sent. */
function expected(step: Step, calls: readonly Drawn[], signedNonce: bigint, model: Model): string | Model {
  if (step.batch && (calls.length === 0 || calls.length > 20)) return ERRORS.BatchSizeInvalid;
  if (step.late) return ERRORS.DeadlineExceeded;
  if (signedNonce !== model.nonce) return ERRORS.InvalidNonce;
  if (step.stranger || calls !== step.calls) return ERRORS.NotSelf;
  const next = { ...model, nonce: model.nonce + 1n };
  for (const { what, amount, value } of calls) {
    const paid = BigInt(value);
    if (paid > next.balance) return ERRORS.ExecutionFailed;
    // The failing functions take no value: they fail before they give their reason.
    if (what === 'fail' || what === 'imitate') return value > 0 ? ERRORS.ExecutionFailed : CALLS[what].error;
    if (what === 'add') next.total += BigInt(amount);
    if (what !== 'self') next.balance -= paid;
    if (what === 'pay') next.sink += paid;
  }
  return next;
}

/** The same calls with one of them changed. */
function tamper(calls: readonly Drawn[], at: number | undefined): readonly Drawn[] {
  if (at === undefined || calls.length === 0) return calls;
  return calls.map((call, i) => (i === at % calls.length ? { ...call, value: call.value + 1 } : call));
}

async function transaction(
  account: PrivateKeyAccount,
  sink: Hex,
  { batch, station, late, stranger, calls }: Step,
  sent: readonly Drawn[],
  nonce: bigint,
) {
  const encode = ({ what, amount, value }: Drawn): Call => {
    if (what === 'pay' || what === 'self')
      return { to: what === 'pay' ? sink : account.address, value: BigInt(value), data: '0x' };
    return { to: target, value: BigInt(value), data: encodeFunctionData({ abi: abiOf('Target'), ...CALLS[what].data(amount) }) };
  };
  const terms = { nonce, deadline: late ? 1n : 4_000_000_000n };
  const signer = stranger ? newAccount() : account;
  const [signed, given] = [calls.map(encode), sent.map(encode)];
  const message = batch ? batchOf(signed, terms) : executionOf(signed[0]!, terms);
  const signature = await signMessage(signer, message, domainOf(account.address));
  const args = batch ? [given, pack(signature, terms)] : [given[0]!.to, given[0]!.value, pack(signature, terms, given[0]!.data)];
  const name = batch ? 'executeBatch' : 'execute';
  if (!station) return { to: account.address, data: onDelegate(name, args) };
  return { to: world.station, data: onStation(name, [account.address, ...args]) };
}

test('random messages do what a model says, or nothing', { timeout: 180_000 }, async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: STEPS, maxLength: STEPS }), async (steps) => {
      const account = await world.delegated(FUNDS);
      const sink = newAccount().address;
      const total = () => world.view('Target', target, 'total') as Promise<bigint>;
      const start = await total();
      let model: Model = { nonce: 0n, balance: FUNDS, total: start, sink: 0n };
      for (const given of steps) {
        const one = { ...given, batch: given.batch || given.calls.length !== 1 };
        const nonce = BigInt.asUintN(128, model.nonce + BigInt(one.nonce));
        const sent = tamper(one.calls, one.tampered);
        const request = await transaction(account, sink, one, sent, nonce);
        const outcome = expected(one, sent, nonce, model);
        const reason = await world.reasonOf(request);
        const { status } = await world.send(request);
        const error = typeof outcome === 'string' ? outcome : undefined;
        seen.set(error ?? 'done', (seen.get(error ?? 'done') ?? 0) + 1);
        assert.deepEqual({ reason, status }, { reason: error, status: error === undefined ? 'success' : 'reverted' });
        if (typeof outcome !== 'string') model = outcome;
        assert.deepEqual(
          {
            nonce: await world.nonceOf(account.address),
            balance: await world.node.getBalance({ address: account.address }),
            total: await total(),
            sink: await world.node.getBalance({ address: sink }),
          },
          model,
        );
      }
    }),
    // Otherwise a transaction that the node loses is looked for in ever smaller steps.
    { numRuns: 40, interruptAfterTimeLimit: 120_000, markInterruptAsFailure: true },
  );
  // Every outcome was drawn, or this test says little.
  for (const error of ['BatchSizeInvalid', 'DeadlineExceeded', 'InvalidNonce', 'NotSelf', 'ExecutionFailed'] as const) {
    assert.ok((seen.get(ERRORS[error]) ?? 0) > 0, error);
  }
  assert.ok((seen.get('done') ?? 0) > 20, `${seen.get('done')} were carried out`);
});
