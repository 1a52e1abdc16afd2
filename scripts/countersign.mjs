// The command line, from a checkout. It installs nothing: what is missing is said.
import { join } from 'node:path';
import { launchInstalled, ROOT } from './runtime.mjs';
import { asService } from './setup/service-node.mjs';

const args = process.argv.slice(2);
const isService = args.length === 1 && args[0] === 'start';
await launchInstalled(isService ? [...asService(), join(ROOT, 'src/main.ts')] : [join(ROOT, 'src/cli.ts'), ...args]);
