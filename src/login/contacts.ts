import { createRequire } from 'node:module';

/** Octets of an address, and of what stands before its @ (RFC 5321 §4.5.3.1). */
const LONGEST_EMAIL = 254;
const LONGEST_LOCAL_PART = 64;

/** A number in E.164 has at most 15 digits; this leaves room for how people write it. */
const LONGEST_PHONE = 40;

const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

const require = createRequire(import.meta.url);

/** Loaded when the first number is read: they take some ten megabytes, and tens of milliseconds of a start. */
let phones: ((text: string) => string | undefined) | undefined;

function loadPhones(): (text: string) => string | undefined {
  const { default: parse } = require('libphonenumber-js/core') as typeof import('libphonenumber-js/core');
  const metadata = require('libphonenumber-js/min/metadata');
  return (text) => {
    const number = parse(text, { extract: false }, metadata);
    // Whether a number is in use is for its operator to say, and changes with every release of the lists.
    return number?.isPossible() && number.ext === undefined ? number.number : undefined;
  };
}

/**
 * The address as it is stored. Undefined if the text is no `addr-spec` (RFC 5322 §3.4.1, with the letters of RFC 6532). Comments and
 * white space around its parts are refused.
 */
export function parseEmail(text: string): string | undefined {
  const at = text.lastIndexOf('@');
  if (at < 1 || Buffer.byteLength(text) > LONGEST_EMAIL || Buffer.byteLength(text.slice(0, at)) > LONGEST_LOCAL_PART)
    return undefined;
  if (UNSEEN.test(text) || text.includes('(')) return undefined;
  const { parseOneAddress } = require('email-addresses') as typeof import('email-addresses');
  const read = parseOneAddress({ input: text, rfc6532: true, strict: true });
  if (read?.type !== 'mailbox' || read.local === '') return undefined;
  const local = read.parts.local.tokens;
  const domain = read.parts.domain.tokens;
  const spaced = /\s/.test(domain) || (/\s/.test(local) && !/^".*"$/.test(local));
  return `${local}@${domain}` === text && !spaced ? text.normalize('NFC') : undefined;
}

/** E.164. Undefined if the text is no telephone number with its country code, or one of a length that the country does not have. */
export function parsePhone(text: string): string | undefined {
  if (text.length > LONGEST_PHONE || !/^\+[\d ()./-]+$/.test(text)) return undefined;
  phones ??= loadPhones();
  return phones(text);
}

/** The forms under which a phone number may be stored: older programs stored it as it was sent. */
export function phoneForms(text: string): string[] {
  return [...new Set([text, parsePhone(text) ?? text])];
}

/** Emails are compared without case. */
export const emailKey = (email: string): string => email.toLowerCase();
