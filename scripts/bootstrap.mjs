// `npm start` and the others: picks the runtime, installs what is missing, runs the command.
// Plain JavaScript without dependencies: it has to run on any Node.js from 18 on.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { launch, prepare, prepareConsole, ROOT } from './runtime.mjs';
import { asService } from './setup/service-node.mjs';

const COMMANDS = {
  start: 'src/main.ts',
  test: 'scripts/test.ts',
  check: 'scripts/check.ts',
  generate: 'scripts/generate.ts',
  bench: 'bench/run.ts',
  stress: 'bench/hold-up.ts',
  enumeration: 'bench/enumeration/run.ts',
  crash: 'bench/crash-matrix.ts',
  silence: 'bench/silence.ts',
  failover: 'bench/failover.ts',
  demo: 'scripts/demo.ts',
  example: 'examples/wallet-app/serve.ts',
  new: 'scripts/new.ts',
  bundle: 'scripts/bundle.ts',
  console: 'scripts/console/make.ts',
  'console:pictures': 'scripts/console/pictures.ts',
  'console:soak': 'bench/console/soak.ts',
  packages: 'package.json',
  pack: 'scripts/pack.ts',
  release: 'scripts/release.ts',
  site: 'scripts/site.ts',
};
/** They start the service. */
const SERVING = ['start', 'bench', 'console:soak', 'stress', 'enumeration', 'crash', 'silence', 'failover', 'demo', 'example'];

const [command, ...rest] = process.argv.slice(2);
const program = Object.hasOwn(COMMANDS, command ?? '') ? COMMANDS[command] : undefined;
if (!program) {
  process.stderr.write(`usage: node scripts/bootstrap.mjs ${Object.keys(COMMANDS).join('|')} [arguments]\n`);
  process.exitCode = 2;
} else if (!existsSync(join(ROOT, program))) {
  process.stderr.write(`countersign: ${program} is not part of this checkout\n`);
  process.exitCode = 2;
} else if (command === 'bundle' || command === 'packages') {
  await prepare({ tests: command === 'packages' });
} else if (command === 'console') {
  await prepareConsole();
} else {
  const service = command === 'start';
  if (service) process.env.DEV_OUTBOX ||= 'auto';
  const flags = service ? asService() : [];
  await launch([...flags, join(ROOT, program), ...rest], { service, bundle: SERVING.includes(command) });
}
