import assert from 'node:assert/strict';
import { test } from 'node:test';
import { smsTemplateProblem, smsText } from '../../src/messages/sms.ts';
import { templateVariables } from '../../src/messages/variables.ts';

test('an SMS as the template says, or as we do', () => {
  assert.equal(smsText('Your OTP is {{.OtpCode}}', 'Acme', '123456'), 'Your OTP is 123456');
  assert.equal(smsText(undefined, 'Acme & Sons', '123456'), 'Acme & Sons: your sign-in code: 123456');
  assert.ok([...smsText('{{ .AppName }}'.repeat(20).concat('{{ .OtpCode }}'), 'x'.repeat(255), '1')].length <= 1600);
});

test('its template must have the code, and nothing that is not known', () => {
  assert.equal(smsTemplateProblem('Your OTP is {{.OtpCode}}\nfrom {{ .AppName }}'), undefined);
  for (const [bad, why] of [
    ['Your OTP is {{ .AppName }}', /must have {{ \.OtpCode }}/],
    ['no code', /must have {{ \.OtpCode }}/],
    ['{{ .OtpCode }} {{ .MagicLink }}', /is not known/],
    ['{{ .OtpCode }} {{ index .TemplateVariables "a" }}', /no template variables/],
    ['{{ .OtpCode }}\u0000', /control characters/],
    [`{{ .OtpCode }}${'x'.repeat(1600)}`, /at most 1600/],
    ['{{ .OtpCode', /has no/],
  ] as const)
    assert.match(smsTemplateProblem(bad) ?? '', why, bad);
});

test('template variables are a flat JSON object of texts', () => {
  assert.deepEqual(templateVariables('{"a":"b","n":1,"t":true}'), { a: 'b', n: '1', t: 'true' });
  for (const bad of [
    '',
    'a',
    '[]',
    '"a"',
    '1',
    'null',
    '{"a":{}}',
    '{"a":[]}',
    '{"a":null}',
    '{',
    `{"a":"${'x'.repeat(16_384)}"}`,
  ])
    assert.equal(templateVariables(bad), undefined, bad.slice(0, 20));
  assert.equal(templateVariables(JSON.stringify(Object.fromEntries(Array.from({ length: 101 }, (_, i) => [i, 'a'])))), undefined);
});
