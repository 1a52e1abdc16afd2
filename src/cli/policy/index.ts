import { UsageError } from '../client.ts';
import { type CaseResult, type CheckResult, checkPolicies, runCases } from './cases.ts';
import { readPolicyFile } from './file.ts';
import { checkProfiles } from './profiles.ts';
import { caseData, caseText, problemData, problemText } from './show.ts';

export type Printed = { text: string; code: number };

type Report = { file: string; checked: CheckResult; results: CaseResult[]; policies: number; profiles: number };

/** `countersign policy check|test FILE…`. Throws UsageError for files that cannot be read. */
export async function policyCommand(args: readonly string[], now: number, json: boolean, strict = false): Promise<Printed> {
  const [what, ...files] = args;
  if (what !== 'check' && what !== 'test')
    throw new UsageError(`unknown command "policy ${what}": see countersign policy --help`);
  if (files.length === 0) throw new UsageError(`name a file: countersign policy ${what} FILE...`);
  const reports: Report[] = [];
  for (const file of files) {
    const read = readPolicyFile(file);
    const checked = checkPolicies(read.policies, read.limits);
    checkProfiles(read.sessionProfiles, checked);
    // Test results without the broken policies would say nothing about the set.
    const decidable = what === 'test' && checked.problems.length === 0;
    reports.push({
      file,
      checked,
      results: decidable ? await runCases(read, checked, now) : [],
      policies: read.policies.length,
      profiles: read.sessionProfiles.length,
    });
  }
  const wrong = reports.some(
    ({ checked, results }) =>
      checked.problems.length > 0 || (strict && checked.warnings.length > 0) || results.some(({ passed }) => !passed),
  );
  const text = json ? `${JSON.stringify(reports.map(reportData), null, 2)}\n` : textOf(reports, what === 'test');
  return { text, code: wrong ? 1 : 0 };
}

function reportData({ file, checked, results, policies }: Report) {
  const { problems, warnings } = checked;
  return {
    file,
    policies,
    problems: problems.map(problemData),
    warnings: warnings.map(problemData),
    cases: results.map(caseData),
  };
}

const counted = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

function textOf(reports: readonly Report[], withCases: boolean): string {
  const blocks = reports.map(({ file, checked, results, policies, profiles }) => {
    const { problems, warnings } = checked;
    const wrong = problems.length === 0 ? 'no problems' : counted(problems.length, 'problem', 'problems');
    const odd = warnings.length === 0 ? '' : `, ${counted(warnings.length, 'warning', 'warnings')}`;
    const scopes = profiles === 0 ? '' : `, ${counted(profiles, 'session profile', 'session profiles')}`;
    const lines = [`${file}: ${counted(policies, 'policy', 'policies')}${scopes}, ${wrong}${odd}`];
    lines.push(...problems.map((each) => problemText(each)), ...warnings.map((each) => problemText(each, 'warning: ')));
    if (withCases && problems.length > 0) lines.push('  the cases were not decided');
    return [...lines, ...results.map(caseText)].join('\n');
  });
  if (withCases) {
    const all = reports.flatMap(({ results }) => results);
    const failed = all.filter(({ passed }) => !passed).length;
    blocks.push(`${counted(all.length, 'case', 'cases')}, ${all.length - failed} passed, ${failed} failed`);
  }
  return `${blocks.join('\n')}\n`;
}
