import assert from 'node:assert/strict';
import { test } from 'node:test';
import vm from 'node:vm';
import { build } from 'esbuild';
import { compareWithElements, compareWithService, type Review, reviewOf, visible, walk } from '../../review/index.ts';
import { fieldsOf } from '../../review/parts.ts';
import { TRANSACTIONS } from '../../review/read.ts';
import { payloadView } from '../../src/chains/shared/policy-view.ts';
import { transactionType, transactionTypes } from '../../src/chains/transactions.ts';
import type { Curve } from '../../src/crypto/curve-type.ts';
import { bodyOf, corpus, type Entry, readingOf } from './corpus.ts';

const optionsOf = ({ interfaces = {} }: Entry) => ({ contractInterfaces: new Map(Object.entries(interfaces)) });
const reviewIn = (entry: Entry): Review => reviewOf(bodyOf(entry), optionsOf(entry));
const parameter = ({ parameters }: Entry, name: string): string => String(parameters[name] ?? '');

test('each body of the corpus reads as it should', () => {
  const wrong = corpus.filter((entry) => readingOf(reviewIn(entry)).join('\n') !== entry.reading.join('\n'));
  for (const entry of wrong.slice(0, 1)) assert.deepEqual(readingOf(reviewIn(entry)), entry.reading, entry.name);
  assert.ok(corpus.filter(({ type }) => /SIGN|SEND/.test(type)).length > 90);
  const forms = new Set(corpus.map((entry) => reviewIn(entry).form));
  assert.deepEqual(forms.size, 13);
});

type Roots = [root: string, value: unknown][];

/** What policies see of each element of an entry, by the code that decides. */
function engineView(entry: Entry): Roots[] {
  const { signer } = entry;
  if (signer === undefined) return [];
  if (entry.type.includes('RAW_PAYLOAD')) {
    const payloads = (entry.parameters.payloads as string[] | undefined) ?? [parameter(entry, 'payload')];
    return payloads.map((payload) =>
      Object.entries(payloadView(payload, parameter(entry, 'encoding'))).flatMap(([root, value]): Roots => {
        try {
          return [[root, value()]];
        } catch {
          return [];
        }
      }),
    );
  }
  const row = transactionType(parameter(entry, 'type'))!;
  const address = signer.format === undefined ? {} : { address: { text: parameter(entry, 'signWith'), format: signer.format } };
  const key = { curve: signer.curve as Curve, publicKey: Buffer.from(signer.publicKey, 'hex'), ...address };
  const bytes = Buffer.from(parameter(entry, 'unsignedTransaction').replace(/^0x/, ''), 'hex');
  return [[[row.root, row.parse(bytes, key).view(new Map())]]];
}

test('all that policies see of a transaction or message is in its review, with the same values', () => {
  const seen = new Set<string>();
  for (const entry of corpus) {
    const { everything, elements } = reviewIn(entry);
    const all = new Set(everything);
    for (const [i, roots] of engineView(entry).entries()) {
      const fields = elements[i] ?? [];
      const shown = new Map(fields.map(({ path, value }) => [path, value]));
      assert.ok(fields.every((field) => all.has(field)));
      for (const [root, view] of roots) {
        seen.add(root);
        for (const { path, value } of fieldsOf(view, root)) assert.equal(shown.get(path), value, `${entry.name}: ${i} ${path}`);
      }
    }
  }
  const roots = transactionTypes.map(({ root }) => root);
  assert.deepEqual(seen, new Set([...roots, 'eth.eip_712', 'eth.eip_7702_authorization']));
  assert.deepEqual(new Set(TRANSACTIONS.keys()), new Set(transactionTypes.map(({ name }) => name)));
});

const DECIMALS: Readonly<Record<string, number>> = { ETH: 18, SOL: 9, BTC: 8, TRX: 6 };

/** An amount as policies see it: without groups, and in the smallest unit. */
function smallest(amount: string, unit: string | undefined): string {
  const [units = '', fraction = ''] = amount.replaceAll(',', '').split('.');
  return `${units}${fraction.padEnd(DECIMALS[unit ?? ''] ?? 0, '0')}`.replace(/^0+(?=\d)/, '');
}

const AMOUNT = /(?:\.|_)(?:value|amount|amounts\[\d+\]|fee|fee_limit|balance)$/;

test('every address and amount that policies see is among the facts or the calls', () => {
  const amounts = new Set<string>();
  for (const entry of corpus) {
    const { facts, calls } = reviewIn(entry);
    const numbers = new Set([
      ...facts.map(({ value, unit }) => smallest(value, unit)),
      ...[...walk(calls)].flatMap(([, { value }]) => (value === undefined ? [] : [smallest(value.amount, value.unit)])),
    ]);
    const texts = [
      ...facts.flatMap(({ value, unit = '' }) => [value, unit]),
      ...[...walk(calls)].flatMap(([, call]) => [call.to, ...call.arguments.map(({ value }) => value)]),
    ].map((text) => text.toLowerCase());
    for (const [root, view] of engineView(entry).flat())
      for (const { path, value } of fieldsOf(view, root))
        if (AMOUNT.test(path) && value !== '0' && !path.endsWith('locktime.amount')) {
          amounts.add(path.replaceAll(/\d+/g, ''));
          assert.ok(numbers.has(value), `${entry.name}: ${path} ${value}`);
        } else if (/^0x[0-9a-f]{40}$/.test(value) || /(?:address|account_key|\.from|\.to)$/.test(path))
          if (value !== '' && !value.startsWith('ADDRESS_'))
            assert.ok(
              texts.some((text) => text.includes(value.toLowerCase())),
              `${entry.name}: ${path} ${value}`,
            );
  }
  assert.ok(amounts.size > 12, [...amounts].join(' '));
});

test('the module that is bundled for a browser reads the same, and takes nothing of the service along', async () => {
  const built = await build({
    entryPoints: [new URL('../../review/index.ts', import.meta.url).pathname],
    bundle: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'review',
    target: 'es2024',
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const world = vm.createContext({ TextEncoder, TextDecoder, atob, btoa });
  vm.runInContext(built.outputFiles[0]!.text, world);
  const there = vm.runInContext(
    '(text, given) => JSON.stringify(review.reviewOf(new TextEncoder().encode(text), { contractInterfaces: new Map(given) }))',
    world,
  );
  for (const entry of corpus) {
    const read = there(Buffer.from(bodyOf(entry)).toString(), Object.entries(entry.interfaces ?? {}));
    assert.equal(read, JSON.stringify(reviewIn(entry)), entry.name);
  }
  const own = Object.keys(built.metafile.inputs).filter((name) => name.includes('src/'));
  const rooms = new Set(own.map((name) => name.split('src/')[1]!.split('/')[0]));
  assert.deepEqual(rooms, new Set(['base', 'chains', 'crypto', 'model', 'policy']));
});

test('hidden characters are shown as their numbers, once', () => {
  assert.equal(
    visible('a\u202eb\u200bc\0d\u2028e\u00a0f\ufeffg\u{e0041}'),
    'a⟨U+202E⟩b⟨U+200B⟩c⟨U+0000⟩d⟨U+2028⟩e⟨U+00A0⟩f⟨U+FEFF⟩g⟨U+E0041⟩',
  );
  assert.equal(visible(visible('\u202e')), visible('\u202e'));
  assert.equal(visible('Zürich 東京 ü\n€'), 'Zürich 東京 ü\n€');
});

test('a difference from what the service says is told', () => {
  const entry = corpus.find(({ name }) => name === 'a send of several calls, sponsored')!;
  const review = reviewIn(entry);
  const { parameters, type } = entry;
  const honest = {
    fingerprint: review.fingerprint,
    type,
    organizationId: review.organizationId,
    intent: { ethSendTransactionIntentV2: parameters },
  };
  assert.deepEqual(compareWithService(review, honest), []);
  type Copy = { calls: { value: string }[]; caip2?: string; deadline?: string };
  const intent = (change: (copy: Copy) => void) => {
    const copy = structuredClone(parameters) as Copy;
    change(copy);
    return { ...honest, intent: { ethSendTransactionIntentV2: copy } };
  };
  for (const [said, expected] of [
    [{ ...honest, fingerprint: `sha256:${'0'.repeat(64)}` }, /the fingerprint of the signed body/],
    [{ ...honest, type: 'ACTIVITY_TYPE_CREATE_USER_TAG' }, /the signed body has the type/],
    [{ ...honest, organizationId: '0191f3c2-0000-7000-8000-000000000002' }, /another organization/],
    [{ ...honest, intent: {} }, /not exactly one intent/],
    [{ ...honest, intent: { ...honest.intent, other: {} } }, /not exactly one intent/],
    [intent((copy) => (copy.calls[0]!.value = '2')), /parameters\.calls\[0\]\.value is not the same/],
    [intent((copy) => copy.calls.pop()), /parameters\.calls is not the same/],
    [intent((copy) => delete copy.caip2), /parameters\.caip2 is in the signed body, and not in/],
    [intent((copy) => (copy.deadline = '9')), /parameters\.deadline is in the service's answer, and not in/],
  ] as const)
    assert.match(compareWithService(review, said).join('\n'), expected);
});

test('a difference between the reading and what policies see is told', () => {
  for (const name of [
    'a payment of ether',
    'a payment of bitcoins with change',
    'typed data Permit',
    'several payloads',
    'a durable nonce',
  ]) {
    const entry = corpus.find((each) => each.name === name)!;
    const review = reviewIn(entry);
    const said = engineView(entry).map((roots) => ({
      roots: roots.map(([root, view]) => ({
        root,
        value: JSON.stringify(view, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
      })),
    }));
    assert.deepEqual(compareWithElements(review, said), [], name);
    const last = said.at(-1)!.roots[0]!;
    const lie = { roots: [{ ...last, value: last.value.replace(/"(\d+)"/, '"9$1"') }] };
    assert.match(
      compareWithElements(review, [...said.slice(0, -1), lie])[0]!,
      / is not the same in the signed body and as policies see it/,
    );
    assert.match(compareWithElements(review, [{ roots: [{ ...last, value: '{' }] }])[0]!, /no JSON/);
  }
});

test('an interface that is none, or names parameters oddly, decodes nothing false', () => {
  const entry = corpus.find(({ interfaces }) => interfaces !== undefined)!;
  const [address, abi] = Object.entries(entry.interfaces!)[0]!;
  const withAbi = (text: string) => reviewOf(bodyOf(entry), { contractInterfaces: new Map([[address, text]]) });
  assert.equal(withAbi(abi).readable, true);
  for (const text of ['', '{', '[null, 1, {"type": 5}]', abi.replace('"stake"', '"steak"')]) {
    const { readable, warnings } = withAbi(text);
    assert.equal(readable, false, text);
    assert.match(warnings[0]!.text, /not decoded, so what it moves cannot be seen here: no known function has the selector/);
  }
});
