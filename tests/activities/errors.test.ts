import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { activities, operatorActivities } from '../../src/activities/index.ts';

const ROOT = join(import.meta.dirname, '../../src/activities');

/** The functions that a file imports and that declare codes, with these codes. */
async function imported(path: string, text: string): Promise<Map<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const [, names, from] of text.matchAll(/^import \{([^}]*)\} from '(\.[^']*)';/gm)) {
    const module: Record<string, { errors?: readonly string[] } | undefined> = await import(join(dirname(path), from!));
    for (const name of names!.split(',').map((one) => one.trim().split(' as ')[0]!)) {
      const errors = module[name]?.errors;
      if (errors !== undefined) found.set(name, errors);
    }
  }
  return found;
}

test('an activity declares the codes of every function that it imports, and of its own refusals', async () => {
  const files = globSync('*/*.ts', { cwd: ROOT }).filter((path) => !/(?:index|\.history)\.ts$/.test(path));
  const lacking: string[] = [];
  let functions = 0;
  for (const path of files) {
    const text = readFileSync(join(ROOT, path), 'utf8');
    const { errors } = [...activities, ...operatorActivities].find(({ kind }) => text.includes(`  kind: '${kind}',`))!;
    const thrown = await imported(join(ROOT, path), text);
    functions += thrown.size;
    const own = [...text.matchAll(/new ApiError\(\s*'(\w+)'/g)].map(([, code]) => code!);
    if (/\binvalid\(/.test(text)) own.push('REQUEST_INVALID');
    thrown.set('its own lines', own);
    for (const [by, codes] of thrown)
      for (const code of codes)
        if (!(errors as readonly string[]).includes(code)) lacking.push(`${path} lacks ${code} of ${by}: add it to errors`);
  }
  assert.deepEqual(lacking, []);
  assert.ok(files.length >= activities.length && functions > 100, `${files.length} files, ${functions} functions`);
});
