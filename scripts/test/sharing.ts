/** Which test files share a process. Importing the service takes longer than most tests of a file. */
import type { Imports } from './imports.ts';

/** Files in one process, whose first takes two seconds more. All that are left run again if one ends the process. */
const TOGETHER = 60;

/** A file that starts the service, a browser or a program takes as long as four others. */
const AS_LONG_AS = 4;
const STARTS = /'node:child_process'|'playwright-core'/;

/** `// with others: REASON`: a helper whose text only seems to show that, as its processes end with the file. */
const WITH_OTHERS = /^\/\/ with others: (.+)$/m;

/** `// alone: REASON`: a file, or a helper, whose text does not show why it needs its own process. */
const ALONE = /^\/\/ alone: (.+)$/m;

/** Text of a test file or helper that other files in its process would notice. The last ones are what others would disturb. */
const OWN_PROCESS: readonly [what: string, pattern: RegExp][] = [
  ['processes that share its ports', /'node:cluster'/],
  ['threads of its own', /'node:worker_threads'/],
  ['what Node.js itself exports', /\bsyncBuiltinESMExports\b/],
  ['the process', /\bprocess\.(exit|exitCode|on|once|chdir|umask|setuid)\b|\bprocess\.kill\(process\.pid\b/],
  ['the environment', /\bprocess\.env(\.\w+|\[[^\]]+\])\s*=(?!=)|\bdelete process\.env\b|Object\.assign\(process\.env\b/],
  ['what is global', /\bObject\.assign\(globalThis\b|\bglobalThis\.\w+ = |\b(?:console|Date|Math)\.\w+ = |\.prototype\.\w+ = /],
  ['mocks that outlast a test', /(?<!\.)\bmock\.(timers|method|module|property|getter|setter|fn)\b/],
  ['certificates of the process', /\bsetDefaultCACertificates\b/],
  // Here a file is a test, which Node.js ends between two of its tests if it waits there.
  ['tests after a wait', /^ {0,2}(?:test|describe|suite)\([\s\S]*^(?:(?:const|let) [^=\n]+ = )?await /m],
  ['a measurement', /\b(memoryUsage|cpuUsage|resourceUsage|eventLoopUtilization|monitorEventLoopDelay|heapUsed)\b|\bgc\(/],
];

/** What a file has of these rooms is judged by its text. Of what the service and packages keep, tests restore what they change. */
const isJudged = (path: string) => /^(tests|scripts)\//.test(path);

/** Why a file needs a process of its own; undefined: it may share one. */
export function reasonsAlone(imports: Imports): (file: string) => string | undefined {
  const own = new Map<string, string | undefined>();
  const ownReason = (path: string): string | undefined => {
    if (!own.has(path)) {
      const text = imports.text(path);
      const shows = WITH_OTHERS.test(text) ? undefined : OWN_PROCESS.find(([, pattern]) => pattern.test(text))?.[0];
      own.set(path, ALONE.exec(text)?.[1] ?? shows);
    }
    return own.get(path);
  };
  return (file) => {
    for (const path of imports.all(file, isJudged)) {
      if (path.startsWith('bench/')) return `it uses ${path}`;
      const reason = isJudged(path) ? ownReason(path) : undefined;
      if (reason !== undefined) return path === file ? reason : `${reason}, by ${path}`;
    }
    return undefined;
  };
}

/** A file, or a helper of it, starts the service, a browser or a program. */
const startsPrograms = (file: string, imports: Imports): boolean =>
  [...imports.all(file, isJudged)].some((path) => path.startsWith('tests/') && STARTS.test(imports.text(path)));

/** Files by process, in the order of their first. `isLong`: a file that would hold the others of its process up. */
export function byProcess(files: readonly string[], imports: Imports, isLong: (file: string) => boolean): string[][] {
  const reasonAlone = reasonsAlone(imports);
  const lengthOf = (file: string) => (startsPrograms(file, imports) ? AS_LONG_AS : 1);
  const shared = files.filter((file) => !isLong(file) && reasonAlone(file) === undefined);
  const all = shared.reduce((sum, file) => sum + lengthOf(file), 0);
  const share = Math.ceil(all / Math.max(1, Math.ceil(all / TOGETHER)));
  let before = 0;
  const processes = Map.groupBy(shared, (file) => {
    const at = Math.floor(before / share);
    before += lengthOf(file);
    return at;
  });
  const place = new Map([...processes.values()].map((together) => [together[0], together]));
  const isShared = new Set(shared);
  return files.flatMap((file) => (isShared.has(file) ? (place.has(file) ? [place.get(file)!] : []) : [[file]]));
}
