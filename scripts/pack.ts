/** Makes the package that `npm install` takes: countersign-VERSION.tgz. `npm run pack -- FOLDER` */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packed, stage } from './package/make.ts';

const ROOT = resolve(import.meta.dirname, '..');
const out = resolve(process.argv[2] ?? join(ROOT, '.cache/release'));

const folder = join(ROOT, `.cache/package`);
mkdirSync(out, { recursive: true });
await stage(ROOT, folder);
const { filename, size, files } = packed(folder, out);
process.stdout.write(`${join(out, filename)} (${files.length} files, ${Math.ceil(size / 1000)} KB)\n`);
