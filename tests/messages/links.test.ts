import assert from 'node:assert/strict';
import { test } from 'node:test';
import { logoProblem, magicLink, magicLinkProblem } from '../../src/messages/links.ts';

test('a template of a link is a URL with one %s after its host', () => {
  for (const good of [
    'https://app.example.com/login?bundle=%s',
    'https://app.example.com/%s',
    'https://app.example.com/#%s',
    'http://localhost:3000/auth/%s/go',
    'myapp://login?code=%s',
    'myapp:login/%s',
    'https://app.example.com/a%20b?x=%s',
  ])
    assert.equal(magicLinkProblem(good), undefined, good);
  for (const [bad, why] of [
    ['https://app.example.com/login', /exactly one %s/],
    ['https://app.example.com/%s/%s', /exactly one %s/],
    ['/login?%s', /must be a URL/],
    ['%s', /must be a URL/],
    ['https://%s.example.com/', /after the host/],
    ['https://app.example.com:%s/', /must be a URL|after the host/],
    ['https://%s@app.example.com/', /user name|after the host/],
    ['https://bank.example@evil.example/%s', /user name/],
    ['%s://app.example.com/', /must be a URL|after the host/],
    ['javascript:alert("%s")', /javascript:/],
    ['JavaScript:alert(%s)', /javascript:/],
    ['data:text/html,%s', /data:/],
    ['file:///etc/%s', /file:/],
    ['https://app.example.com/\r\nBcc: a@b.c%s', /must be a URL of at most/],
    ['https://\u0430pp.example.com/%s', /must be a URL of at most/],
    [`https://app.example.com/${'x'.repeat(2048)}%s`, /at most 2048/],
  ] as const)
    assert.match(magicLinkProblem(bad) ?? '', why, bad);
});

test('an inserted value is encoded, and is no pattern', () => {
  assert.equal(magicLink('https://a.example/?x=%s&y=1', 'a b&c=$&'), 'https://a.example/?x=a%20b%26c%3D%24%26&y=1');
});

test('a logo is an https URL', () => {
  assert.equal(logoProblem('https://cdn.example.com/logo.png'), undefined);
  for (const bad of [
    'http://cdn.example.com/logo.png',
    'data:image/png;base64,AAAA',
    '//cdn.example.com/logo.png',
    'https://user@cdn.example.com/logo.png',
    'https://cdn.example.com/a b',
    `https://cdn.example.com/${'x'.repeat(2048)}`,
    'javascript:alert(1)',
  ])
    assert.ok(logoProblem(bad), bad);
});
