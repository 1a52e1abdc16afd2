import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

type Locked = { dependencies?: Record<string, string>; optionalDependencies?: Record<string, string> };
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
test('the lock holds what every package asks for, also for other platforms', () => {
  const missing = Object.entries(packages).flatMap(([at, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => ![...places(at, name)].some((place) => place in packages))
      .map((name) => `${name}, for ${at || 'the project'}`),
  );
  assert.deepEqual(missing, []);
});
