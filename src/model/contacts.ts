import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';

/** Octets of an address, and of the part before its @ (RFC 5321 §4.5.3.1). */
const LONGEST_EMAIL = 254;
const LONGEST_LOCAL_PART = 64;

/** A number in E.164 has at most 15 digits; this leaves room for the ways in which people write it. */
const LONGEST_PHONE = 40;

const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/u;

const require = createRequire(import.meta.url);

/** Loaded when the first number is read: the lists take about ten megabytes, and tens of milliseconds of a start. */
let phones: ((text: string) => string | undefined) | undefined;

function loadPhones(): (text: string) => string | undefined {
  const { default: parse } = require('libphonenumber-js/core') as typeof import('libphonenumber-js/core');
  const metadata = require('libphonenumber-js/min/metadata');
  return (text) => {
    const number = parse(text, { extract: false }, metadata);
    // Whether a number is in use is known only to its network operator. It also changes with every release of the lists.
    return number?.isPossible() && number.ext === undefined ? number.number : undefined;
  };
}

const DOT_ATOM = /^[^\s"(),.:;<>@[\\\]]+(?:\.[^\s"(),.:;<>@[\\\]]+)*$/;

/** Unneeded quotes would make two addresses of one mailbox. Mail programs change angle brackets and outer spaces. */
function isQuotedWell(local: string): boolean {
  const inner = local.slice(1, -1);
  return /^(?:[^"\\<>]|\\["\\])+$/.test(inner) && inner === inner.trim() && !DOT_ATOM.test(inner);
}

/** IDNA judges letters of other scripts. */
const HOST = /^[\p{L}\p{M}\p{N}\u00b7\u3002\uff0e\uff61._-]+$/u;

/** The domain of an address in its one form. Undefined if it is neither a host name nor an IP address in brackets. */
function parseDomain(text: string): string | undefined {
  if (text.startsWith('[')) return isIP(text.slice(1, -1).replace(/^IPv6:/i, '')) === 0 ? undefined : text;
  if (!HOST.test(text)) return undefined;
  const ascii = domainToASCII(text);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (/^[\x00-\x7f]*$/.test(text)) return ascii === text.toLowerCase() ? text : undefined;
  const domain = domainToUnicode(ascii);
  return domain.split('.').includes('') ? undefined : domain;
}

/**
 * The address as it is stored. Undefined if the text is no `addr-spec` (RFC 5322 §3.4.1, with the letters of RFC 6532). Also
 * undefined if mail cannot be sent to it as it is. Comments and white space around its parts are refused.
 */
export function parseEmail(given: string): string | undefined {
  // First, because it makes a semicolon of another letter.
  const text = given.length > LONGEST_EMAIL ? given : given.normalize('NFC');
  const at = text.lastIndexOf('@');
  if (at < 1 || Buffer.byteLength(text) > LONGEST_EMAIL || Buffer.byteLength(text.slice(0, at)) > LONGEST_LOCAL_PART)
    return undefined;
  if (UNSEEN.test(text) || text.includes('(')) return undefined;
  const { parseOneAddress } = require('email-addresses') as typeof import('email-addresses');
  const read = parseOneAddress({ input: text, rfc6532: true, strict: true });
  if (read?.type !== 'mailbox' || read.local === '') return undefined;
  const local = read.parts.local.tokens;
  if (`${local}@${read.parts.domain.tokens}` !== text || !(DOT_ATOM.test(local) || isQuotedWell(local))) return undefined;
  const domain = parseDomain(text.slice(at + 1));
  const email = `${local}@${domain}`;
  return domain === undefined || Buffer.byteLength(email) > LONGEST_EMAIL ? undefined : email;
}

/**
 * E.164. Undefined if the text is no telephone number with its country code. Also undefined if it has a length that the country
 * does not use.
 */
export function parsePhone(text: string): string | undefined {
  if (text.length > LONGEST_PHONE || !/^\+[\d ()./-]+$/.test(text)) return undefined;
  phones ??= loadPhones();
  return phones(text);
}

/** Emails are compared without case. */
export const emailKey = (email: string): string => email.toLowerCase();

const GMAIL = new Set(['gmail.com', 'googlemail.com']);

/**
 * The mailbox where messages to a contact arrive, as far as its text shows it. Used only for counting messages. Most providers
 * deliver all addresses that differ behind a plus sign to one mailbox. A phone number, in E.164, is its own.
 */
export function mailboxOf(contact: string): string {
  const at = contact.lastIndexOf('@');
  if (at === -1) return contact;
  const [written, host] = [contact.slice(0, at), contact.slice(at + 1)].map((part) => part.normalize('NFKC').toLowerCase());
  const domain = (domainToASCII(host!) || host!).replace(/\.+$/, '');
  const plus = written!.indexOf('+', 1);
  const local = plus === -1 ? written! : written!.slice(0, plus);
  return GMAIL.has(domain) ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${domain}`;
}
