/** Lines in lists that are there. */
import type { Shape } from '../../tests/conformance/interface.ts';
import { camel, type Sort } from './names.ts';
import { sampleText } from './shapes.ts';
import { exists, type File, read } from './tree.ts';

const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The text with an import in front: `tidy` puts it where it belongs. */
export const withImport = (text: string, line: string): string => `${line}\n${text}`;

/** Adds to the elements of the one array that the file declares. */
export function withElement(text: string, element: string, sorted = true): string {
  const [all, inside] = /= \[([\s\S]*?)\];/.exec(text)!;
  const elements = [
    ...inside!
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean),
    element,
  ];
  if (sorted) elements.sort(byName);
  return text.replace(all, `= [${elements.join(', ')}];`);
}

const KIND = { activities: ['ActivityKind', 'activity'], queries: ['QueryKind', 'query'] } as const;

/** The operation's line in the list of its resource; a new resource's list, and its line in the list of resources. */
export function listed(sort: Sort, folder: string, file: string): File[] {
  const path = `src/${sort}/${folder}/index.ts`;
  const line = `import { ${camel(file)} } from './${file}.ts';`;
  if (exists(path)) return [{ path, text: withElement(withImport(read(path), line), camel(file)) }];
  const [kind, engine] = KIND[sort];
  const own = `${line}\nimport type { ${kind} } from '../../engine/${engine}/declare.ts';\n\nexport const ${camel(folder)}: readonly ${kind}[] = [${camel(file)}];\n`;
  const all = `src/${sort}/index.ts`;
  const resource = `import { ${camel(folder)} } from './${folder}/index.ts';`;
  return [
    { path, text: own },
    { path: all, text: withElement(withImport(read(all), resource), `...${camel(folder)}`, false) },
  ];
}

const SAMPLES = "/** Well-formed parameters of each operation's newest version. */";

/** `  NAME: () => …` with the comments in front of it. */
const ENTRY =
  /(?:^ {2}\/\/.*\n|^ {2}\/\*\*.*\n)*^ {2}\w+: \(\) =>[\s\S]*?(?=(?:^ {2}\/\/.*\n|^ {2}\/\*\*.*\n)*^ {2}\w+: \(\) =>|^};)/gm;

/** The operation's sample, in alphabetical order where the others are; a new resource's samples, and their line in the table of all. */
export function sampled(sort: Sort, folder: string, name: string, shape: Shape, skip: readonly string[]): File[] {
  const path = `tests/${sort}/${folder}/samples.ts`;
  const sample = sampleText(shape, '', skip);
  const entry = `  ${name}: () => (${sample}),\n`;
  const imports = /\bID\b/.test(sample)
    ? "import { ID, type Samples } from '../../support/samples.ts';"
    : "import type { Samples } from '../../support/samples.ts';";
  if (exists(path)) {
    const text = read(path).replace(/^import type \{ Samples \} from .*$/m, imports);
    const entries = text.match(ENTRY) ?? [];
    const nameOf = (one: string) => /^ {2}(\w+): \(\)/m.exec(one)![1]!;
    const after = entries.findIndex((one) => nameOf(one) > name);
    const all = after < 0 ? [...entries, entry] : entries.toSpliced(after, 0, entry);
    const start = text.indexOf(entries[0]!);
    return [{ path, text: text.slice(0, start) + all.join('') + text.slice(start + entries.join('').length) }];
  }
  const all = 'tests/support/all-samples.ts';
  const alias = `${camel(folder)}${sort === 'activities' ? 'Activities' : 'Queries'}`;
  const line = `import { ${camel(folder)} as ${alias} } from '../${sort}/${folder}/samples.ts';`;
  return [
    { path, text: `${imports}\n\n${SAMPLES}\nexport const ${camel(folder)}: Samples = {\n${entry}};\n` },
    {
      path: all,
      text: withImport(
        read(all).replace(/^const table: Samples = \{\n/m, (head) => `${head}  ...${alias},\n`),
        line,
      ),
    },
  ];
}
