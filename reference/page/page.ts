/** The script of the pages that a service sends. */
import type { Index } from './find.ts';
import { begin } from './search.ts';

begin(async () => {
  const answer = await fetch('/docs/search.json');
  if (!answer.ok) throw new Error(String(answer.status));
  return (await answer.json()) as Index;
});
