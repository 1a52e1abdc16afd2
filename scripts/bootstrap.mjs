// `npm start` and the others: picks the runtime, installs what is missing, runs the command.
// Plain JavaScript without dependencies: it has to run on any Node.js from 18 on.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { launch, ROOT } from './runtime.mjs';
import { keepsMessages } from './setup/dev-outbox.mjs';
import { SERVICE_ENVIRONMENT, serviceFlags } from './setup/service-node.mjs';

const COMMANDS = {
  start: 'src/main.ts',
  test: 'scripts/test.ts',
  check: 'scripts/check.ts',
  generate: 'scripts/generate.ts',
  bench: 'bench/run.ts',
  stress: 'bench/hold-up.ts',
  enumeration: 'bench/enumeration/run.ts',
  crash: 'bench/crash-matrix.ts',
  demo: 'scripts/demo.ts',
  example: 'examples/wallet-app/serve.ts',
  new: 'scripts/new.ts',
};

const [command, ...rest] = process.argv.slice(2);
const program = Object.hasOwn(COMMANDS, command ?? '') ? COMMANDS[command] : undefined;
if (!program) {
  process.stderr.write(`usage: node scripts/bootstrap.mjs ${Object.keys(COMMANDS).join('|')} [arguments]\n`);
  process.exitCode = 2;
} else if (!existsSync(join(ROOT, program))) {
  process.stderr.write(`countersign: ${program} is not part of this checkout\n`);
  process.exitCode = 2;
} else {
  const isService = command === 'start';
  if (isService) {
    if (keepsMessages(process.env)) process.env.DEV_OUTBOX = '1';
    for (const [name, value] of Object.entries(SERVICE_ENVIRONMENT)) process.env[name] ??= value;
  }
  await launch([...(isService ? serviceFlags(process.env) : []), join(ROOT, program), ...rest], isService);
}
