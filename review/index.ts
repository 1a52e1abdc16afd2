/**
 * Reads the signed body of an activity into a review: what would be signed or changed, and its dangers. It
 * runs in a browser and on Node.js alike, and asks no service. Nothing of it comes from an answer's fields.
 */
import { toHex } from '../src/base/bytes.ts';
import { sha256 } from '../src/crypto/hash.ts';
import { readAdministration } from './administration/index.ts';
import { bodyOf } from './body.ts';
import { walk } from './evm/call.ts';
import { knownOf } from './known.ts';
import { lookAlikes } from './look-alikes.ts';
import { movedFacts } from './moves.ts';
import { fieldsOf } from './parts.ts';
import { read } from './read.ts';
import { saidAbout } from './recipients.ts';
import type { Call, Fact, Review, ReviewOptions, Warning } from './types.ts';
import { hides, mixesScripts, visible } from './visible.ts';

export { type About, aboutOf, aboutText } from './about.ts';
export { compareWithService } from './compare.ts';
export { compareWithElements } from './compare-elements.ts';
export { walk } from './evm/call.ts';
export { grouped } from './grouped.ts';
export { unprovenPlace } from './place.ts';
export { type Ask, saidOf } from './said.ts';
export { type Summary, summaryOf } from './summary.ts';
export { tellingOf } from './telling.ts';
export type { Argument, Call, Fact, Field, Form, Now, Review, ReviewOptions, Warning } from './types.ts';
export { visible } from './visible.ts';

/** The longest body that the service takes. */
const LONGEST = 1_048_576;

/** Codes of warnings that say that something is not read. */
const UNREAD = new Set(['not-decoded', 'raw', 'no-request', 'unknown-type', 'unknown-typed-data', 'contract-creation']);

/** How `visible` writes a hidden character. */
const SHOWN_HIDDEN = /⟨U\+[0-9A-F]{4,6}⟩/;

/** `sha256:` and the digest of a body, as the service names it. */
export const fingerprintOf = (body: Uint8Array): string => `sha256:${toHex(sha256(body))}`;

/** Texts that people read in a request, and that may deceive. */
function hostile(members: object): Warning[] {
  const found: Warning[] = [];
  const texts = (value: unknown, path: string): void => {
    if (typeof value === 'string') {
      if (hides(value))
        found.push({
          code: 'hidden-characters',
          level: 'red',
          text: 'It has characters that are not seen, or turn the text around',
          at: path,
        });
      else if (mixesScripts(value))
        found.push({ code: 'mixed-letters', level: 'amber', text: 'It mixes letters of scripts that look alike', at: path });
    } else if (typeof value === 'object' && value !== null)
      for (const [name, each] of Object.entries(value)) {
        if (hides(name))
          found.push({
            code: 'hidden-characters',
            level: 'red',
            text: 'A name has characters that are not seen',
            at: visible(path),
          });
        texts(each, path === '' ? name : Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`);
      }
  };
  texts(members, '');
  return found.map((each) => ({ ...each, ...(each.at !== undefined && { at: visible(each.at) }) }));
}

/** Texts that only decoding brings out: memos, and messages with escape sequences. */
function unseen(facts: readonly Fact[], calls: readonly Call[]): Warning[] {
  const given = [
    ...facts.map(({ label, value }) => ({ at: label, value })),
    ...[...walk(calls)].flatMap(([at, call]) => call.arguments.map(({ name, value }) => ({ at: `${at}.${name}`, value }))),
  ];
  return given
    .filter(({ value }) => SHOWN_HIDDEN.test(value))
    .map(({ at }) => ({ code: 'hidden-characters', level: 'red', text: 'It has characters that are not seen', at }));
}

const safe = (warning: Warning): Warning => ({ ...warning, text: visible(warning.text) });

const MOST_IGNORED = 20;

const ignoredWarning = (path: string): Warning => ({
  code: 'ignored-member',
  level: 'amber',
  text: 'The service ignores this member, so this review does too',
  at: visible(`parameters.${path}`),
});

const UNKNOWN_TYPE: Warning = {
  code: 'unknown-type',
  level: 'red',
  text: 'This type of activity is not known here: nothing but its fields is shown',
};

/** Reads a body. It never throws: what cannot be read is said in a red warning. */
export function reviewOf(body: Uint8Array, options: ReviewOptions = {}): Review {
  const fingerprint = fingerprintOf(body);
  const { problem, members, ...envelope } =
    body.length > LONGEST ? { ...bodyOf(new Uint8Array()), problem: `the body has more than ${LONGEST} bytes` } : bodyOf(body);
  const known = knownOf(envelope.type, envelope.parameters);
  const { parameters, ignored } = known ?? { parameters: envelope.parameters, ignored: [] };
  const done =
    problem === undefined
      ? (known === undefined ? readAdministration : read)({ ...options, ...envelope, parameters })
      : { title: 'Nothing that can be read', form: 'raw' as const, facts: [] };
  const { title, form, chain, calls = [], elements = [] } = done;
  const moved = chain === undefined ? [] : movedFacts(calls, chain, options.tokens);
  const own = [...moved, ...done.facts];
  const said = saidAbout(own, calls, options.recipients);
  const facts = [...own, ...said.facts];
  const ofCalls = [...walk(calls)].flatMap(([at, call]) => call.warnings.map((warning) => ({ at, ...warning })));
  const refused: Warning[] = problem === undefined ? [] : [{ code: 'no-request', level: 'red', text: `Not decoded: ${problem}` }];
  const warnings = [
    ...refused,
    ...(problem === undefined && known === undefined ? [UNKNOWN_TYPE] : []),
    ...ignored.slice(0, MOST_IGNORED).map(ignoredWarning),
    ...(done.warnings ?? []),
    ...ofCalls,
    ...lookAlikes(own, calls),
    ...said.warnings,
    ...unseen(facts, calls),
    ...hostile(members),
  ].map(safe);
  return {
    fingerprint,
    ...envelope,
    parameters,
    type: visible(envelope.type),
    kind: visible(envelope.kind),
    organizationId: visible(envelope.organizationId),
    title: visible(title),
    form,
    readable: !warnings.some(({ code }) => UNREAD.has(code)),
    facts: [...facts],
    calls: [...calls],
    warnings,
    everything: [...fieldsOf(members, ''), ...elements.flat()],
    elements: elements.map((each) => [...each]),
  };
}
