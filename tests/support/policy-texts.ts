import assert from 'node:assert/strict';
import { policyEnvironment } from '../../src/app/policy-environment.ts';
import type { Type } from '../../src/policy/index.ts';
import { fits } from '../../src/policy/warnings/literals.ts';

/** Compares the texts of a root with their declared shapes: warnings about policies rest on those. */
export function assertTexts(root: string, view: unknown): void {
  assert.ok(visit(policyEnvironment.roots.get(root)!.type, view, root) > 0, 'it has texts to look at');
}

function visit(type: Type, value: unknown, path: string): number {
  if (type.kind === 'struct') {
    const shapes = policyEnvironment.shapes[type.name] ?? {};
    let looked = 0;
    for (const [name, of] of Object.entries(type.fields)) {
      const own = (value as Record<string, unknown>)[name];
      const shape = shapes[name];
      if (own === undefined) continue;
      for (const text of shape === undefined ? [] : textsIn(own)) {
        const plain = { ...shape!, judged: '[^]*' };
        const form = of.kind === 'string' ? of.form : of.kind === 'list' && of.of.kind === 'string' ? of.of.form : 'plain';
        assert.ok(fits(text, plain, form), `${path}.${name} is ${JSON.stringify(text)}, which is not ${shape!.is}`);
        looked += 1;
      }
      looked += visit(of, own, `${path}.${name}`);
    }
    return looked;
  }
  if (type.kind !== 'list') return 0;
  return (value as unknown[]).reduce<number>((looked, item, at) => looked + visit(type.of, item, `${path}[${at}]`), 0);
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return (Array.isArray(value) ? value : Object.values(value as object)).filter((item) => typeof item === 'string');
}
