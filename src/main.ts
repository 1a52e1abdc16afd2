import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { keepYoungGenerationForThisThread } from './app/young-generation.ts';

const NODE = [22, 18] as const;

const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
if (major < NODE[0] || (major === NODE[0] && minor < NODE[1])) {
  process.stderr.write(
    `Countersign needs Node.js ${NODE.join('.')} or newer, and this is ${process.version}: start it with npm start, which fetches one.\n`,
  );
  process.exit(1);
}

// Before anything else is loaded. A folder that cannot be written costs only the time that it would save.
enableCompileCache(fileURLToPath(new URL('../.cache/compile', import.meta.url)));
keepYoungGenerationForThisThread();
await import('./serve.ts');
