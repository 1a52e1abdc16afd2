// Runs a program of this checkout, with the Node.js and the packages that it needs.
// Plain JavaScript without dependencies: it has to run on any Node.js from 18 on.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { become, PARENT_ARGUMENT, ROOT, runUnder } from './setup/become.mjs';
import { ensureBundle } from './setup/bundle.mjs';
import { ensureConsole, startConsole } from './setup/console.mjs';
import { withLock } from './setup/held.mjs';
import { demandNode, ensureNode, HOME, need, nodeThatIsThere } from './setup/node.mjs';
import { demandPackages, ensurePackages, MODULES, reason } from './setup/packages.mjs';
import { tidy } from './setup/place.mjs';
import { SetupError, say } from './setup/report.mjs';

export { ROOT, runUnder };

/** Reports set-up problems in one sentence, without a stack. */
async function told(run) {
  try {
    const code = await run();
    if (code !== undefined) process.exitCode = code;
  } catch (error) {
    say(error instanceof SetupError ? error.message : String(error?.stack ?? error));
    process.exitCode = 1;
  }
}

/** The Node.js that is needed, once it and the packages are there. */
async function ensured(root, dev) {
  const there = nodeThatIsThere(root);
  const why = there === undefined ? need() : reason(root, dev);
  if (why === undefined) return there;
  try {
    return await withLock(root, async () => {
      for (const name of [HOME, MODULES]) tidy(root, name);
      const node = await ensureNode(root);
      await ensurePackages(node, root, dev);
      return node;
    });
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    throw new SetupError(`${why}, and this user may not write to ${root}: run \`npm start\` once as one who may`);
  }
}

/**
 * A program and all that it needs, which is installed if it is not there. `service`: it is the service, and needs no packages for tests.
 * `bundle`: it starts the service.
 */
export function launch(args, { service = false, bundle = service }, root = ROOT) {
  return told(async () => {
    const node = await ensured(root, !service);
    if (bundle) await ensureBundle(node, root);
    if (service) startConsole(node, root);
    if (!service) return runUnder(node, args, root);
    return become(node, args, root, PARENT_ARGUMENT);
  });
}

/** Makes the bundle, and installs what is missing. `tests`: with the packages for tests and examples. */
export function prepare({ tests }, root = ROOT) {
  return told(async () => ensureBundle(await ensured(root, tests), root));
}

/** Installs the packages of the console, and builds it. */
export function prepareConsole(root = ROOT) {
  return told(async () => {
    await ensureConsole(await ensured(root, false), root);
    return 0;
  });
}

/** Becomes a program with what is installed and changes nothing, so it may run beside a service. */
export function launchInstalled(args, root = ROOT) {
  return told(async () => {
    const node = demandNode(root);
    demandPackages(root);
    return become(node, args, root);
  });
}

/** The bundle of the command line, if there is one that may be run. Set-up made it of the lock file, and of packages that are those. */
async function bundledCommands(root) {
  try {
    const { bundled } = await import(pathToFileURL(join(root, 'src/app/bundled.ts')).href);
    return bundled(root, 'cli');
  } catch {
    return undefined;
  }
}

/** The command line, in this process if its Node.js is new enough. A start of Node.js takes as long as most commands. */
export function runCommand(args, root = ROOT) {
  return told(async () => {
    const node = demandNode(root);
    const isThis = node === process.execPath;
    const bundle = isThis ? await bundledCommands(root) : undefined;
    if (bundle !== undefined) return void (await (await import(pathToFileURL(bundle).href)).main(args));
    demandPackages(root);
    const sources = join(root, 'src/cli.ts');
    if (!isThis) return become(node, [sources, ...args], root);
    await import(pathToFileURL(sources).href);
    return undefined;
  });
}
