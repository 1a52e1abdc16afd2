import { parseTemplate, renderTemplate, TemplateError } from './template.ts';

/** The length that a provider splits into ten parts. */
const LONGEST = 1600;

const OURS = '{{ .AppName }}: your sign-in code: {{ .OtpCode }}';

/** Why a text is no template of an SMS. Undefined if it is one. */
export function smsTemplateProblem(text: string): string | undefined {
  if (text.length > LONGEST) return `must have at most ${LONGEST} characters`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
  if (/[\u0000-\u0009\u000b-\u001f\u007f]/.test(text)) return 'must not have control characters other than line breaks';
  try {
    const template = parseTemplate(text, ['OtpCode', 'AppName']);
    if (template.some((part) => typeof part === 'object' && 'variable' in part)) return 'must have no template variables';
    const names = template.map((part) => (typeof part === 'object' && 'name' in part ? part.name : ''));
    return names.includes('OtpCode') ? undefined : 'must have {{ .OtpCode }} in the place of the code';
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

export function smsText(template: string | undefined, appName: string, code: string): string {
  const values = { OtpCode: code, AppName: appName };
  const text = renderTemplate(parseTemplate(template ?? OURS), values, (value) => value);
  return [...text].slice(0, LONGEST).join('');
}
