import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Before anything else is loaded. A folder that cannot be written costs only the time that it would save.
enableCompileCache(fileURLToPath(new URL('../.cache/compile', import.meta.url)));

const { main } = await import('./cli/run.ts');
await main(process.argv.slice(2));
