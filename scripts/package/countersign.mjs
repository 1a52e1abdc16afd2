#!/usr/bin/env node
// The command of the published package. An old Node.js reads it too, and learns which one is needed.
import module from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { become, PARENT_ARGUMENT } from '../setup/become.mjs';
import { isNewEnough, need } from '../setup/minimum.mjs';
import { asService } from '../setup/service-node.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const args = process.argv.slice(2);

async function run() {
  if (!isNewEnough(process.version)) {
    process.stderr.write(`${need()}: install one, or run an image of the container\n`);
    return 1;
  }
  if (args.length === 1 && args[0] === 'start')
    return become(process.execPath, [...asService(), join(root, 'lib/packaged.mjs')], root, PARENT_ARGUMENT);
  // Without write access to the folder, a start of the command takes longer.
  module.enableCompileCache?.(process.env.NODE_COMPILE_CACHE ?? join(root, '.cache', 'compile'));
  await import(pathToFileURL(join(root, 'lib/cli.mjs')).href);
  return undefined;
}

run().then(
  (code) => {
    if (code !== undefined) process.exitCode = code;
  },
  (error) => {
    process.stderr.write(`${error.stack}\n`);
    process.exitCode = 1;
  },
);
