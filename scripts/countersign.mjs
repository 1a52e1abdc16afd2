// The command line, from a checkout. It installs nothing: what is missing is said.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// Before anything else is loaded. A folder that cannot be written costs only the time that it would save.
module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE ?? fileURLToPath(new URL('../.cache/compile', import.meta.url)));
const { launchInstalled, runCommand } = await import('./runtime.mjs');

const args = process.argv.slice(2);
if (args.length === 1 && args[0] === 'start') {
  const { asService } = await import('./setup/service-node.mjs');
  await launchInstalled([...asService(), fileURLToPath(new URL('../src/main.ts', import.meta.url))]);
} else await runCommand(args);
