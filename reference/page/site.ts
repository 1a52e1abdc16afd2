/// <reference lib="dom" />
/** The script of the static site. Browsers read no data of a folder, so what is searched in is a script too. */
import type { Index } from './find.ts';
import { begin } from './search.ts';

declare const searchIndex: Index;

const root = new URL('.', (document.currentScript as HTMLScriptElement).src);

begin(async () => {
  const script = document.createElement('script');
  script.src = new URL('search.js', root).href;
  await new Promise((done, fail) => {
    script.addEventListener('load', done);
    script.addEventListener('error', fail);
    document.head.append(script);
  });
  const { places, words } = searchIndex;
  return { places: places.map(([href, ...rest]) => [new URL(href, root).href, ...rest] as const), words };
});
