/** Holds docs/policy-language.md against the code. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as policy from '../../src/policy/index.ts';
import { documents, read } from '../support/documents.ts';
import { environment } from './agreement.ts';

const text = readFileSync(new URL('../../docs/policy-language.md', import.meta.url), 'utf8');
const description = policy.describeEnvironment(environment);

/** The tables whose first header cell is `first`, each with the last heading before it. */
function tables(first: string): { heading: string; rows: string[][] }[] {
  const found: { heading: string; rows: string[][] }[] = [];
  let heading = '';
  let open = false;
  for (const line of text.split('\n')) {
    const title = /^#+ (?:\d+\. )?(.*)$/.exec(line)?.[1];
    if (title !== undefined) heading = title;
    const cells = line.startsWith('|') ? line.slice(1, -1).split(/(?<!\\)\|/) : undefined;
    if (cells === undefined) open = false;
    else if (cells[0]?.trim() === first) {
      found.push({ heading, rows: [] });
      open = true;
    } else if (open && !/^-+$/.test(cells[0]!)) found.at(-1)!.rows.push(cells.map((cell) => cell.trim().replaceAll('\\|', '|')));
  }
  return found;
}

function code(cell: string | undefined): string {
  return /^`(.*)`$/.exec(cell ?? '')?.[1] ?? '';
}

test('the roots of the document are those of the environment', () => {
  const [table] = tables('Root');
  assert.deepEqual(
    table?.rows.map(([keyword, type, part]) => ({ keyword: code(keyword), part, type: code(type) })),
    description.roots,
  );
});

test('every struct is documented, field by field', () => {
  const documented = tables('Field').map(({ heading, rows }) => [
    heading,
    Object.fromEntries(rows.map(([name, type]) => [code(name), code(type)])),
  ]);
  assert.deepEqual(Object.fromEntries(documented), description.structs);
});

test('every other spelling of a field is documented', () => {
  for (const { heading, rows } of tables('Field')) {
    for (const [other, field] of Object.entries(description.aliases[heading] ?? {})) {
      assert.ok(
        rows.some(([name, , meaning]) => code(name) === field && meaning?.includes(`Also written \`${other}\``)),
        other,
      );
    }
  }
  assert.deepEqual(Object.keys(description.aliases).sort(), [
    'EthereumTransaction',
    'SolanaParsedInstruction',
    'SolanaTransaction',
  ]);
});

test('the parameters of every activity type are documented', () => {
  const [table] = tables('Activity type');
  const rows = table!.rows.map(([type, names]) => [code(type), names!.split(', ').map(code)]);
  assert.deepEqual(Object.fromEntries(rows), description.parameters);
});

test('every function is documented', () => {
  const [table] = tables('Function');
  assert.deepEqual(
    table?.rows.map(([signature]) => code(signature)),
    description.functions.map(({ signature }) => signature),
  );
});

test('the limits of the document are those of the code', () => {
  const [table] = tables('Limit');
  const wanted = [
    policy.MAX_SOURCE_LENGTH,
    policy.MAX_DEPTH,
    policy.MAX_STEPS,
    policy.MAX_DECISION_STEPS,
    policy.MAX_MFA_STEPS,
    policy.MAX_PROBLEMS,
  ];
  assert.deepEqual(
    table?.rows.map(([, value]) => Number(value)),
    wanted,
  );
});

test('the indexed fields of the document are those of the code', () => {
  const paragraph = /The indexed fields are (.*?) If a pin/s.exec(text)?.[1] ?? '';
  const named = [...paragraph.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
  assert.deepEqual(named.sort(), environment.indexed.map(({ keyword, field }) => `${keyword}.${field}`).sort());
});

test('every example compiles, in each document', () => {
  const blocks = documents.flatMap((name) => [...read(name).matchAll(/^```(condition|consensus|time)\n(.*?)\n```$/gms)]);
  assert.ok(blocks.length >= 13, `${blocks.length} examples`);
  for (const [, part, source] of blocks) {
    const compiled = policy.compilePolicy({ effect: 'EFFECT_ALLOW', [part!]: source }, environment);
    assert.ok(compiled.ok, compiled.ok ? '' : compiled.errors.map(policy.formatPolicyError).join('; '));
  }
});

test('every refusal is as documented', () => {
  const refusals = tables('Part').find(({ heading }) => heading === 'Examples');
  assert.ok(refusals !== undefined && refusals.rows.length >= 5);
  for (const [part, expression, message] of refusals.rows) {
    const compiled = policy.compilePolicy({ effect: 'EFFECT_ALLOW', [part!]: code(expression) }, environment);
    assert.ok(!compiled.ok, expression);
    const [error] = compiled.errors;
    // A message that is one code span is quoted as a whole.
    const wanted = /^`([^`]*)`$/.exec(message!)?.[1] ?? message!;
    assert.ok(error?.message.startsWith(wanted), `${error?.message} instead of ${message}`);
  }
});
