import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { missing, OPENAPI_TOOLS } from '../../scripts/test/own-packages.ts';
import { clientFile, clientOf, DOCUMENTS, tool } from './client.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const skip = missing(ROOT, OPENAPI_TOOLS);
const documentAt = (name: string) => join(ROOT, `openapi/${name}.json`);
const lint = (file: string) => tool('redocly', ['lint', file, '--extends=recommended', '--format=json']);

for (const name of DOCUMENTS) {
  test(`${name}: the linter has no error and no warning, and finds a broken reference`, { skip }, () => {
    const { totals } = JSON.parse(lint(documentAt(name)));
    assert.deepEqual([totals.errors, totals.warnings], [0, 0]);
    const folder = mkdtempSync(join(tmpdir(), 'countersign-lint-'));
    const broken = join(folder, 'broken.json');
    writeFileSync(broken, readFileSync(documentAt(name), 'utf8').replaceAll('schemas/ErrorDetail"', 'schemas/Nothing"'));
    assert.throws(() => lint(broken));
    rmSync(folder, { recursive: true });
  });

  test(`${name}: the client that is checked in is the generated one`, { skip }, () => {
    assert.ok(readFileSync(clientFile(name), 'utf8') === clientOf(name), 'run node tests/openapi/client.ts');
  });

  test(`${name}: a compressed document has at most 400 kB`, () => {
    assert.ok(gzipSync(readFileSync(documentAt(name))).length <= 400_000);
  });
}

test('a program with the types of the client compiles, and a wrong field in it is an error', { skip }, () => {
  const folder = mkdtempSync(join(ROOT, '.tmp-client-'));
  const program = `
    import type { paths } from '${clientFile('public-api')}';
    type Post = paths['/public/v1/submit/create_wallet']['post'];
    type Body = Post['requestBody']['content']['application/json'];
    type Answer = Post['responses'][200]['content']['application/json'];
    const envelope = { type: 'ACTIVITY_TYPE_CREATE_WALLET', timestampMs: '1', organizationId: 'o' } as const;
    export const body: Body = { ...envelope, parameters: { walletName: 'a', accounts: [] } };
    // @ts-expect-error
    export const wrong: Body = { ...envelope, parameters: { walletName: 1, accounts: [] } };
    export const idOf = (answer: Answer): string | undefined => answer.activity.result.createWalletResult?.walletId;`;
  try {
    writeFileSync(join(folder, 'program.ts'), program);
    const options = ['--strict', '--noEmit', '--skipLibCheck', '--types', 'node', '--module', 'nodenext'];
    assert.equal(tool('tsc', [...options, join(folder, 'program.ts')]), '');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
