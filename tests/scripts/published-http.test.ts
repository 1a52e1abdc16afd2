import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './runner.ts';

const generated = join(ROOT, 'node_modules/@turnkey/http/dist/__generated__/services/coordinator/public/v1');
const read = (name: string) => readFileSync(join(generated, name), 'utf8');

/** Each as `getUser(TGetUserBody): TGetUserResponse`. */
function methodsOfPackage(): string[] {
  const methods = read('public_api.client.d.ts').matchAll(/^ {4}(\w+): \(input: (\w+)\) => Promise<(\w+)>;/gm);
  return Array.from(methods, ([, name, body, answer]) => `${name}(${body}): ${answer}`).sort();
}

/** What scripts/check/published-http.d.ts makes of the operations. The first is a generator's own, which the package leaves out. */
function methodsOfCheck(): string[] {
  const text = read('public_api.types.d.ts');
  const operations = text.slice(text.indexOf('export type operations')).matchAll(/^ {4}PublicApiService_(\w+): \{/gm);
  const names = Array.from(operations, ([, name]) => name!).filter((name) => name !== 'NOOPCodegenAnchor');
  return names
    .flatMap((name) => [
      `${name[0]!.toLowerCase()}${name.slice(1)}(T${name}Body): T${name}Response`,
      `stamp${name}(T${name}Body): TSignedRequest`,
    ])
    .sort();
}

test('the check gives the published client the methods, bodies and answers that its package declares', () => {
  assert.ok(methodsOfPackage().length > 300);
  assert.deepEqual(methodsOfCheck(), methodsOfPackage());
  const alias = /^export type T(\w+)(Body|Response) = (.+);$/gm;
  for (const [, name, kind, type] of read('public_api.fetcher.d.ts').matchAll(alias)) {
    const member = kind === 'Body' ? '["parameters"]["body"]["body"]' : '["responses"]["200"]["schema"]';
    assert.equal(type, `operations["PublicApiService_${name}"]${member}`);
  }
});
