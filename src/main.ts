import { enableCompileCache } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { keepYoungGenerationForThisThread } from './app/young-generation.ts';
import type { Runs } from './serve.ts';

const NODE = [22, 18] as const;

const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
if (major < NODE[0] || (major === NODE[0] && minor < NODE[1])) {
  process.stderr.write(
    `Countersign needs Node.js ${NODE.join('.')} or newer, but this is ${process.version}: start it with npm start, which downloads Node.js.\n`,
  );
  process.exit(1);
}

// Before anything else is loaded. If the folder cannot be written, only the saved time is lost.
enableCompileCache(fileURLToPath(new URL('../.cache/compile', import.meta.url)));
keepYoungGenerationForThisThread();

/** The service's bundle, or its sources. */
async function program(): Promise<[file: string, runs: Runs]> {
  try {
    const { bundled } = await import('./app/bundled.ts');
    const file = bundled(resolve(import.meta.dirname, '..'), 'serve');
    return file === undefined ? ['./serve.ts', { runs: 'sources' }] : [pathToFileURL(file).href, { runs: 'bundle' }];
  } catch (error) {
    return ['./serve.ts', { runs: 'sources', notBundle: (error as Error).message }];
  }
}

const [file, runs] = await program();
const { run } = (await import(file)) as typeof import('./serve.ts');
await run(runs);
