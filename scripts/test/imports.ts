/** Which files a file needs, as far as its text names them. */
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Every relative path in quotes: an import, or what is loaded into another process. Types are erased. */
const TYPES = /\b(?:import|export)\s+type\b[^;]*?\bfrom\s*'[^']*'/g;
const PATH = /['"`](\.{1,2}\/[^'"`\s$]+\.(?:ts|tsx|mjs|js))['"`]/g;

export class Imports {
  readonly #root: string;
  readonly #texts = new Map<string, string>();
  readonly #named = new Map<string, readonly string[]>();

  constructor(root: string) {
    this.#root = root;
  }

  text(file: string): string {
    const text = this.#texts.get(file) ?? readFileSync(join(this.#root, file), 'utf8');
    this.#texts.set(file, text);
    return text;
  }

  /** Paths from the root, with forward slashes. */
  of(file: string): readonly string[] {
    let named = this.#named.get(file);
    if (named !== undefined) return named;
    const paths = [...this.text(file).replace(TYPES, '').matchAll(PATH)].map(([, path]) =>
      posix.join(posix.dirname(file), path!),
    );
    named = [...new Set(paths)].filter((path) => !path.startsWith('..') && existsSync(join(this.#root, path)));
    this.#named.set(file, named);
    return named;
  }

  /** The file itself, and all that it needs; `enters` says into which files to look further. */
  all(file: string, enters: (file: string) => boolean = () => true): Set<string> {
    const found = new Set([file]);
    for (const path of found) if (path === file || enters(path)) for (const next of this.of(path)) found.add(next);
    return found;
  }
}
