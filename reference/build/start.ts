import { AT } from './chapters.ts';
import type { Document } from './documents.ts';
import { escaped, heading, link } from './html.ts';
import { type Contents, listOf } from './layout.ts';
import type { Page } from './page.ts';

/** Questions of new users, and where their answers are. */
const QUESTIONS: readonly (readonly [question: string, place: string])[] = [
  ['How do I send a first request?', 'start'],
  ['Which bytes does a stamp cover?', 'stamps#the-bytes'],
  ['Why was I refused?', 'errors#why-was-i-refused'],
  ['What does a 429 want of me?', 'errors#a-429'],
  ['Who may do what?', 'permissions'],
  ['How do I let a user sign at most 1 ETH a day?', 'permissions#a-user-with-1-eth-a-day'],
  ['How do I rotate an API key?', 'permissions#rotating-an-api-key'],
  ['What does FINGERPRINT mean?', 'activities#the-fingerprint'],
  ['What do I build first?', 'guides/embedded-wallet'],
];

/** The first page. */
export function start({ info }: Document, contents: Contents): Page {
  const title = `${info.title} ${info.version}`;
  const questions = QUESTIONS.map(([question, place]) => `<li>${link(`${AT}/${place}`, escaped(question))}</li>`);
  return {
    path: AT,
    title: 'Reference',
    head: heading(1, 'reference', escaped(title)),
    here: [],
    body: `<p>${escaped(info.description)}</p>
<p>The same as data: ${link('/openapi.json', 'openapi.json')}, and for ${link(`${AT}/api/auth-proxy-endpoints`, 'the auth proxy')} ${link('/auth-proxy.openapi.json', 'auth-proxy.openapi.json')}.</p>
<h2>Questions</h2><ul>${questions.join('\n')}</ul>
<div class="all">${listOf(contents)}</div>`,
    entries: [],
  };
}
