import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { escapeHtml, namesIn, parseTemplate, renderTemplate, TemplateError } from '../../src/messages/template.ts';

const render = (text: string, values: Parameters<typeof renderTemplate>[1]) =>
  renderTemplate(parseTemplate(text), values, escapeHtml);

test('values and variables stand where their names stood', () => {
  const text =
    '<h1>{{ .AppName }}</h1>{{.OtpCode}}<a href="{{ .MagicLink }}">{{ index .TemplateVariables "who" }}</a>{{ .LogoUrl }}';
  const values = { AppName: 'Acme', OtpCode: '123456', MagicLink: 'https://a.example/?a=1&b=2', variables: { who: 'Ada' } };
  assert.equal(render(text, values), '<h1>Acme</h1>123456<a href="https://a.example/?a=1&amp;b=2">Ada</a>');
  assert.deepEqual(namesIn(parseTemplate(text)), ['AppName', 'OtpCode', 'MagicLink', 'LogoUrl']);
});

test('a variable that is not there is empty, also one that every object has', () => {
  for (const key of ['none', 'constructor', '__proto__', 'toString'])
    assert.equal(render(`[{{ index .TemplateVariables "${key}" }}]`, { variables: {} }), '[]');
});

test('an unknown name or construct is refused, with its line', () => {
  for (const inner of [
    ' .Unknown ',
    ' .OtpCode | html ',
    ' if .OtpCode ',
    ' end ',
    '- .OtpCode -',
    ' range .TemplateVariables ',
    ' .TemplateVariables ',
    ' index .TemplateVariables key ',
    ' index .TemplateVariables "a" "b" ',
    ' printf "%s" .OtpCode ',
    '/* comment */',
    ' template "other" ',
    '',
    ' .otpcode ',
  ])
    assert.throws(
      () => parseTemplate(`a\nb {{${inner}}}`),
      (error) => error instanceof TemplateError && error.message.startsWith('line 2: ') && error.message.includes('is not known'),
      inner,
    );
  assert.throws(() => parseTemplate('a\n\n{{ .OtpCode'), /^TemplateError: line 3: "{{" has no "}}"$/);
});

test('an attribute must have quotes around a value', () => {
  assert.throws(() => parseTemplate('<a\nhref={{ .MagicLink }}>'), /line 2: put quotes/);
  assert.throws(() => parseTemplate('<a title="a" href= {{ .MagicLink }}>'), /put quotes/);
  for (const bare of ['<a href=https://b.test/{{ .OtpCode }}>', '<a {{ .OtpCode }}>', '<a title="b>c" href={{ .OtpCode }}>'])
    assert.throws(() => parseTemplate(bare), /put quotes/, bare);
  for (const quoted of [
    '<a href="https://b.test/{{ .OtpCode }}">',
    "<a title='b>c' href='{{ .OtpCode }}'>",
    "it's <b>{{ .OtpCode }}</b>",
  ])
    parseTemplate(quoted);
  for (const good of [
    '<a href="{{ .MagicLink }}">',
    "<a href='{{ .MagicLink }}'>",
    '<p>code = {{ .OtpCode }}</p>',
    'a = {{ .OtpCode }}',
  ])
    parseTemplate(good);
});

test('no value gets out of its place', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (value) => {
      const html = render('<p title="{{ .AppName }}">{{ .AppName }}</p>', { AppName: value });
      const [, attribute, text] = /^<p title="([^"]*)">([^<>]*)<\/p>$/s.exec(html) ?? assert.fail(html);
      for (const shown of [attribute!, text!]) {
        assert.ok(!/[<>"']/.test(shown), shown);
        const back = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" } as Record<string, string>;
        assert.equal(
          shown.replace(/&(?:amp|lt|gt|quot|#39);/g, (one) => back[one]!),
          value,
        );
      }
    }),
  );
});

test('a value that looks like a template, or like a replacement, is only text', () => {
  assert.equal(
    render('{{ .AppName }}', { AppName: "{{ .OtpCode }} $& $1 $'", OtpCode: 'secret' }),
    '{{ .OtpCode }} $&amp; $1 $&#39;',
  );
});
