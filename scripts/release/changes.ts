/** What a release changes in the files of the repository. Each gives the new text, and throws if the old one is not as expected. */

const VERSION = /^\d+\.\d+\.\d+$/;

function once(text: string, before: string, after: string, file: string): string {
  if (!text.includes(before)) throw new Error(`${file} does not have ${JSON.stringify(before)}`);
  return text.replace(before, () => after);
}

/** Throws unless `next` is a version that comes after `now`. */
export function demandLater(now: string, next: string): void {
  if (!VERSION.test(next)) throw new Error(`${next} is no version such as 1.2.3`);
  const [a, b] = [now, next].map((version) => version.split('.').map(Number)) as [number[], number[]];
  const first = [0, 1, 2].find((i) => a[i] !== b[i]);
  if (first === undefined || b[first]! < a[first]!) throw new Error(`${next} does not come after ${now}`);
}

/** The section Unreleased gets the version and the date, and an empty one comes before it. */
export function datedChangelog(text: string, version: string, date: string): string {
  const [, notes] = /\n## Unreleased\n([\s\S]*?)(?=\n## |$)/.exec(text) ?? [];
  if (!notes?.trim()) throw new Error('CHANGELOG.md has nothing under ## Unreleased: there is nothing to release');
  return once(text, '\n## Unreleased\n', `\n## Unreleased\n\n## ${version} (${date})\n`, 'CHANGELOG.md');
}

type Edit = (text: string, now: string, next: string, date: string) => string;

export const EDITS: Readonly<Record<string, Edit>> = {
  'package.json': (text, now, next) => once(text, `"version": "${now}"`, `"version": "${next}"`, 'package.json'),
  'package-lock.json': (text, now, next) => {
    const own = `"name": "countersign",\n  "version": "${now}"`;
    const top = once(text, own, own.replace(now, next), 'package-lock.json');
    const root = own.replace('\n  ', '\n      ');
    return once(top, root, root.replace(now, next), 'package-lock.json');
  },
  'src/base/version.ts': (text, now, next) => once(text, `'${now}'`, `'${next}'`, 'src/base/version.ts'),
  'CHANGELOG.md': (text, _now, next, date) => datedChangelog(text, next, date),
};
