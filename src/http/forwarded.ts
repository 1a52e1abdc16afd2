import { canonicalAddress } from '../model/ip-address.ts';

/** The most hops that are looked at: more than any real chain of proxies. */
const HOPS = 32;

/** The most characters of a Forwarded header that are looked at. */
const LONGEST = 4096;

const NODE = /^(?:\[([^[\]]+)\]|([^:[\]]+))(?::(?:\d{1,5}|_[\w.-]+))?$/;

/** 192.0.2.1, 192.0.2.1:80, 2001:db8::1, [2001:db8::1], [2001:db8::1]:80, each with or without a zone. */
function addressOf(node: string): string | undefined {
  const [, inBrackets, bare] = NODE.exec(node) ?? [];
  if (inBrackets !== undefined && !inBrackets.includes(':')) return undefined;
  const text = inBrackets ?? bare ?? node;
  const zone = text.includes(':') ? text.indexOf('%') : -1;
  return canonicalAddress(zone === -1 ? text : text.slice(0, zone));
}

/** The hops of X-Forwarded-For, the last one first. Undefined represents one that cannot be read. */
export function* xForwardedFor(header: string): Generator<string | undefined> {
  let end = header.length;
  for (let hops = 0; hops < HOPS; hops++) {
    const comma = end === 0 ? -1 : header.lastIndexOf(',', end - 1);
    yield addressOf(header.slice(comma + 1, end).trim());
    if (comma === -1) return;
    end = comma;
  }
  yield undefined;
}

const TOKEN = "[!#$%&'*+.^_`|~\\w-]+";
const QUOTED = '"(?:[^"\\\\]|\\\\.)*"';
/** One parameter of RFC 7239, and its terminator. */
const PAIR = new RegExp(`[ \\t]*(${TOKEN})=(${TOKEN}|${QUOTED})[ \\t]*(;|,|$)`, 'y');

const unquoted = (value: string): string => (value.startsWith('"') ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value);

/** The elements of the header, each with the value of its `for`. Undefined if any of it is malformed. */
function elementsOf(header: string): string[] | undefined {
  const elements: string[] = [];
  let node: string | undefined;
  PAIR.lastIndex = 0;
  for (let ended = ''; ended !== 'end'; ) {
    const [, name, value, end] = PAIR.exec(header) ?? [];
    if (name === undefined) return undefined;
    if (name.toLowerCase() === 'for') {
      if (node !== undefined) return undefined;
      node = unquoted(value!);
    }
    if (end === ';') continue;
    elements.push(node ?? '');
    node = undefined;
    ended = end === ',' ? '' : 'end';
  }
  return elements;
}

/** The hops of Forwarded (RFC 7239), the last one first. Undefined represents one that cannot be read. */
export function* forwardedFor(header: string): Generator<string | undefined> {
  const elements = header.length > LONGEST ? undefined : elementsOf(header);
  if (elements === undefined || elements.length > HOPS) yield undefined;
  else for (const node of elements.reverse()) yield addressOf(node);
}
