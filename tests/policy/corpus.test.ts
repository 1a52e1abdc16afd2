/** The corpus in tests/conformance/policy: expressions, their inputs, and the expected results. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { evaluateCondition, evaluatePart } from '../../src/policy/evaluate/outcome.ts';
import {
  compileCondition,
  compilePolicy,
  evaluateExpression,
  openRequest,
  type Part,
  type Roots,
} from '../../src/policy/index.ts';
import { environment } from './agreement.ts';

type Wanted = boolean | 'absent' | 'fails';
type Example = {
  example: number | string;
  description: string;
  part: Part;
  expression: string;
  mode?: 'lenient' | 'kleene';
  cases?: { given: Record<string, unknown>; wanted: Wanted }[];
  refused?: string;
  at?: string;
};

/** The present corpus, and those of released versions, whose policies mean what they meant. Texts of refusals may change. */
const released = new URL('../released/', import.meta.url);
const corpora = [
  { url: new URL('../conformance/policy/', import.meta.url), of: '' },
  ...readdirSync(released, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => ({ url: new URL(`${name}/policy/`, released), of: ` of ${name}` })),
];

/** JSON has no large integers, times or long strings. */
function decode(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const special = value as Record<string, string>;
  if ('$int' in special) return BigInt(special.$int!);
  if ('$time' in special) return { epochMs: Date.parse(special.$time!) };
  if ('$repeat' in special) return special.$repeat + special.of!.repeat(Number(special.times));
  return value;
}

function outcome({ part, expression, mode }: Example, given: Record<string, unknown>): Wanted {
  const request = openRequest(given as Roots);
  if (mode !== undefined) {
    const scope = compileCondition(expression, environment, mode);
    assert.ok(scope.ok);
    const result = evaluateExpression(scope.expression, request);
    return result.ok ? result.value : 'fails';
  }
  const compiled = compilePolicy({ effect: 'EFFECT_ALLOW', [part]: expression }, environment);
  assert.ok(compiled.ok, compiled.ok ? '' : compiled.errors[0]?.message);
  const { policy } = compiled;
  const result = part === 'condition' ? evaluateCondition(policy, request) : evaluatePart(policy[part], request);
  if (result.ok) return result.value === true;
  return result.failure.code === 'absent' ? 'absent' : 'fails';
}

const files = corpora.flatMap(({ url, of }) =>
  readdirSync(url)
    .filter((file) => file.endsWith('.json'))
    .map((name) => ({ name, url: new URL(name, url), of })),
);
for (const { name, url, of } of files) {
  const examples = JSON.parse(readFileSync(url, 'utf8'), decode) as Example[];
  test(`corpus${of}: ${name}`, async (t) => {
    for (const example of examples) {
      await t.test(`${example.example}: ${example.description}`, () => {
        for (const { given, wanted } of example.cases ?? [])
          assert.equal(
            outcome(example, given),
            wanted,
            JSON.stringify(given, (_, v) => (typeof v === 'bigint' ? `${v}` : v)),
          );
        if (example.refused === undefined || of !== '') return;
        const compiled = compilePolicy({ effect: 'EFFECT_ALLOW', [example.part]: example.expression }, environment);
        assert.ok(!compiled.ok, 'is accepted');
        const [error] = compiled.errors;
        assert.ok(error?.message.includes(example.refused), error?.message);
        assert.equal(example.expression.slice(error?.span.start, error?.span.end), example.at);
      });
    }
  });
}
