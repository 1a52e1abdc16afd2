/** Finds modules for tests. Each process loads some 1,500, and Node.js would look at each folder above each of them. */
import { registerHooks } from 'node:module';

/** A path to a TypeScript file is complete: imports have no other ending. `named`: the name of the copy that is loaded. */
export function resolveQuickly(named: (url: string) => string): void {
  registerHooks({
    resolve(specifier, context, next) {
      const isPath = specifier.startsWith('.') && specifier.endsWith('.ts') && context.parentURL?.startsWith('file:');
      if (!isPath) {
        const found = next(specifier, context);
        return { ...found, url: named(found.url) };
      }
      const { href } = new URL(specifier, context.parentURL);
      return { url: named(href), format: 'module-typescript', shortCircuit: true };
    },
  });
}
