/** A place that a search finds. `place`: the title of its page. */
export type Entry = { href: string; title: string; place: string; text: string };

/** A page of the reference. `head`: its title as HTML. `here`: what its list of contents shows. */
export type Page = {
  path: string;
  title: string;
  head: string;
  here: readonly { href: string; words: string }[];
  body: string;
  entries: readonly Entry[];
};
