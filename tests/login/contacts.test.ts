import assert from 'node:assert/strict';
import { test } from 'node:test';
import { domainToASCII } from 'node:url';
import { createTransport } from 'nodemailer';
import { emailKey, parseEmail, parsePhone } from '../../src/model/contacts.ts';
import { rounds } from '../support/full.ts';
import fc from '../support/properties.ts';
import { seeded } from '../support/seeded.ts';

const KEPT = [
  'a@b',
  'Ada.Lovelace+tag@Example.com',
  "o'neil_{x}~!#$%&*=?^`|/@example.co.uk",
  '"John Doe"@example.com',
  '"a@b"@example.com',
  '"a..b"@example.com',
  '"a\\"b"@example.com',
  'a@[127.0.0.1]',
  'a@[IPv6:::1]',
  'jörg@bücher.example',
  `${'a'.repeat(64)}@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`,
];

const NO_EMAIL = [
  '',
  'a',
  '@b',
  'a@',
  'a@b@c',
  'a..b@c.d',
  '.a@b.c',
  'a.@b.c',
  'a@b..c',
  'a@b.',
  'a@.b',
  'a b@c.d',
  ' a@b.c',
  'a@b.c ',
  'a @b.c',
  'a@ b.c',
  '<a@b.c>',
  'Ada <a@b.c>',
  'a@b.c, d@e.f',
  'a@b.c;',
  'friends: a@b.c;',
  '(comment)a@b.c',
  'a@b.c(comment)',
  '""@b.c',
  '"a" @b.c',
  '"a"b@c.d',
  'a"b@c.d',
  'a\n@b.c',
  'a@b.c\r\nBcc: d@e.f',
  'a\u0000@b.c',
  'a\u202e@b.c',
  'a\u200b@b.c',
  'a@b\u2028.c',
  // NFC makes a semicolon of it, which ends an address in mail programs.
  'a@b.c\u037ed.e',
  'a\u037eb@c.d',
  // Mail programs take these for other addresses, or two for one.
  '"<a>"@b.c',
  '"a "@b.c',
  '" a"@b.c',
  '"a"@b.c',
  '"a\\b c"@b.c',
  // No host names: the part before them may be a domain that people trust.
  'a@b.c#d.e',
  'a@b.c/d.e',
  'a@b.c?d.e',
  'a@ex%61mple.com',
  'a@0x7f.1',
  'a@b\u2100.c',
  'a@x\u3002\u3002y',
  'a@[b.c]',
  `${'a'.repeat(65)}@b.c`,
  `a@${'b'.repeat(253)}`,
  `${'é'.repeat(33)}@b.c`,
];

test('an address of RFC 5322 is kept as it was written; anything else is none', () => {
  for (const text of KEPT) assert.equal(parseEmail(text), text.normalize('NFC'), text);
  for (const text of NO_EMAIL) assert.equal(parseEmail(text), undefined, JSON.stringify(text));
});

test('an address in two Unicode forms is one', () => {
  assert.equal(parseEmail('jo\u0308rg@b.c'), 'j\u00f6rg@b.c');
  assert.equal(emailKey('ADA@B.C'), emailKey('ada@b.c'));
  assert.equal(parseEmail('ada@\uff42\u3002c'), 'ada@b.c');
});

test('a mail to an address goes there and nowhere else', async () => {
  const transport = createTransport({ streamTransport: true, buffer: true });
  const spelt = (address: string): string => {
    const at = address.lastIndexOf('@');
    return address.slice(0, at + 1) + (domainToASCII(address.slice(at + 1)) || address.slice(at + 1).toLowerCase());
  };
  const goesThere = async (to: string) => {
    const envelope = { from: 'no-reply@service.test', to: [to] };
    const sent = await transport.sendMail({
      from: envelope.from,
      to: { name: '', address: to },
      envelope,
      subject: 's',
      text: 't',
    });
    assert.deepEqual(sent.envelope.to.map(spelt), [spelt(to)]);
  };
  for (const text of KEPT) await goesThere(text);
  const unit = fc.constantFrom(...'ab.@"\\ <>,;:\u037e\u1fef\u3002\uff42#%/');
  const quoted = fc.string({ unit, maxLength: 9 }).map((local) => `"${local}"@b.c`);
  const texts = fc.oneof(
    fc.emailAddress(),
    quoted,
    fc.string({ unit, maxLength: 9 }).map((text) => `a@b${text}`),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const email = parseEmail(text);
      if (email !== undefined) await goesThere(email);
    }),
    { numRuns: rounds(2_000) },
  );
});

test('a stored contact is short, of one line, and is read back as itself', () => {
  const part = fc.string({ unit: fc.constantFrom(...'aé.@"\\ ()<>,;:[]\t\r\n\u0000\u202e'), maxLength: 20 });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.emailAddress(),
        fc.tuple(part, part).map((p) => p.join('@')),
      ),
      (text) => {
        const email = parseEmail(text);
        if (email === undefined) return;
        assert.ok(Buffer.byteLength(email) <= 254 && !/[\r\n\p{Cc}]/u.test(email) && email.includes('@'));
        assert.equal(parseEmail(email), email);
      },
    ),
  );
  fc.assert(fc.property(fc.emailAddress(), (text) => assert.equal(parseEmail(text), text)));
});

const PHONES: [string, string | undefined][] = [
  ['+14155550100', '+14155550100'],
  ['+1 (415) 555-0100', '+14155550100'],
  ['+1.415.555.0100', '+14155550100'],
  ['+44 20 7946 0018', '+442079460018'],
  // A national prefix is no part of the number.
  ['+44 (0)20 7946 0018', '+442079460018'],
  ['+4402079460018', '+442079460018'],
  // In Italy it is.
  ['+39 06 1234 5678', '+390612345678'],
  ['+800 1234 5678', '+80012345678'],
  // Of an area that there is not: only its operator can say so.
  ['+1 999-999-9999', '+19999999999'],
  ['', undefined],
  ['+', undefined],
  ['4155550100', undefined],
  ['00 1 415 555 0100', undefined],
  ['tel:+14155550100', undefined],
  ['+1 415 555 0100 ext. 5', undefined],
  ['+14155550100x5', undefined],
  ['+14155550100;ext=5', undefined],
  ['+1 415 555 010', undefined],
  ['+1 415 555 01000', undefined],
  ['+999 1234 5678', undefined],
  ['+0 1234 5678', undefined],
  ['++14155550100', undefined],
  ['＋１４１５５５５０１００', undefined],
  ['+1415555\n0100', undefined],
  [`+1${' '.repeat(40)}4155550100`, undefined],
];

test('a phone number is kept in E.164; one without a country or of a wrong length is none', () => {
  for (const [text, wanted] of PHONES) assert.equal(parsePhone(text), wanted, JSON.stringify(text));
});

test('no text throws, and a stored number is E.164', () => {
  const next = seeded(7);
  const alphabet = '+0123456789 ()./-x;=e\u0660\uff11';
  for (let i = 0; i < rounds(5_000); i++) {
    const text = `+${Array.from({ length: next(24) }, () => alphabet[next(alphabet.length)]).join('')}`;
    const phone = parsePhone(text);
    if (phone === undefined) continue;
    assert.match(phone, /^\+[1-9]\d{3,14}$/, text);
    assert.equal(parsePhone(phone), phone, text);
  }
});
