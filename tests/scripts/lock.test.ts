import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { importsOf } from '../../scripts/check/source.ts';

const ROOT = resolve(import.meta.dirname, '../..');

type Locked = {
  dev?: boolean;
  devOptional?: boolean;
  optional?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};
const { packages } = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, Locked>;
};

/** Where `require` would look from a package's folder, nearest first. */
function* places(from: string, name: string): Generator<string> {
  for (let at = from; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/'))))
    yield `${at}/node_modules/${name}`;
  yield `node_modules/${name}`;
}

// `npm install` leaves a platform's package out when the registry does not have it, and `npm ci` then refuses the lock.
test('the lock has every dependency of each package, also for other platforms', () => {
  const missing = Object.entries(packages).flatMap(([at, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => ![...places(at, name)].some((place) => place in packages))
      .map((name) => `${name}, for ${at || 'the project'}`),
  );
  assert.deepEqual(missing, []);
});

test('a production installation has no test packages, and no TypeScript, which packages may name as a peer', () => {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  };
  // npm installs what is `devOptional` with and without --omit=dev.
  const served = Object.entries(packages).filter(([, { dev, optional }]) => !dev && !optional);
  assert.deepEqual(
    served.filter(([, { devOptional }]) => devOptional).map(([path]) => path),
    [],
  );
  // Of its own version: a package that serves may bring another one, in a folder below it.
  const names = new Set(served.map(([path]) => path.replace(/^node_modules\//, '')));
  for (const name of Object.keys(dependencies)) assert.ok(names.has(name), name);
  // Some of them are needed by packages that serve, too.
  const both = Object.keys(devDependencies).filter((name) => names.has(name));
  assert.deepEqual(both, []);

  for (const file of globSync('src/**/*.ts', { cwd: ROOT })) {
    for (const { specifier, typeOnly } of importsOf(readFileSync(join(ROOT, file), 'utf8'))) {
      // Types of optional packages are erased.
      if (typeOnly || specifier.startsWith('.') || isBuiltin(specifier)) continue;
      const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
      assert.ok(name in dependencies, `${file} imports ${name}`);
    }
  }
});
