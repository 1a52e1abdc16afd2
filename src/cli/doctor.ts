import { ConfigError, readConfig } from '../config.ts';
import { examine } from '../operator/doctor/examine.ts';
import type { Finding, Level } from '../operator/doctor/finding.ts';
import { printable } from './printable.ts';

const CODES: Readonly<Record<Level, number>> = { ok: 0, problem: 1, warning: 3 };

function configOrError() {
  try {
    return readConfig();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}

const worst = (findings: readonly Finding[]): Level =>
  (['problem', 'warning'] as const).find((level) => findings.some((one) => one.level === level)) ?? 'ok';

function text(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.map(({ check, level, text, mend }) => {
    const head = `${level.padEnd('problem'.length)}  ${check.padEnd(width)}  `;
    return `${head}${printable(text)}\n${mend === undefined ? '' : `${' '.repeat(head.length)}→ ${printable(mend)}\n`}`;
  });
  return lines.join('');
}

/** `countersign doctor`: the text to print, and the exit code. */
export async function doctor(now: number, json: boolean): Promise<{ text: string; code: number }> {
  const findings = await examine(configOrError(), now);
  const level = worst(findings);
  return { text: json ? `${JSON.stringify({ level, findings }, null, 2)}\n` : text(findings), code: CODES[level] };
}
