/** The style elements that libraries add to the page: a Content-Security-Policy must name each by its hash. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageOf } from '../package/programs.ts';

const MAKES = /createElement\((?:'style'|"style")\)/g;
const CONTENT = /\.textContent\s*=\s*`([^`\\]*)`\.trim\(\)/g;

/** The text of a template whose parts are constants of its file. */
function filled(path: string, template: string, source: string): string {
  return template.replace(/\$\{([\w$]+)\}/g, (_, name: string) => {
    const value = new RegExp(`const ${name.replaceAll('$', '\\$')} = '([^'\\\\]*)';`).exec(source)?.[1];
    if (value === undefined) throw new Error(`${path}: the text of its style element is not constant`);
    return value;
  });
}

/** `inputs`: the files of the build. Throws where the text of such an element cannot be known. */
export function styleHashes(root: string, inputs: readonly string[]): string[] {
  const texts = inputs
    .filter((path) => packageOf(path) !== undefined && /\.[cm]?js$/.test(path))
    .flatMap((path) => {
      const source = readFileSync(join(root, path), 'utf8');
      // React makes any element that a page names.
      const made = /react-dom/.test(path) ? 0 : [...source.matchAll(MAKES)].length;
      if (made === 0) return [];
      const found = [...source.matchAll(CONTENT)].map(([, template]) => filled(path, template!, source).trim());
      if (found.length !== made) throw new Error(`${path}: it adds ${made} style elements, and ${found.length} texts are known`);
      return found;
    });
  const hashes = texts.map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`);
  return [...new Set(hashes)].sort();
}
