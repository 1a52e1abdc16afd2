import { type Block, BY_API_KEY, BY_ATTESTATION, BY_PASSKEY, BY_SESSION, type Explained } from './stamps.ts';

type Operation = {
  summary?: string;
  description?: string;
  tags?: string[];
  requestBody?: unknown;
  responses?: Record<string, unknown>;
};
type Document = { info: { title: string; version: string; description: string }; paths: Record<string, { post: Operation }> };

const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[c]!);

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1f24}
code,pre{font:13px/1.45 ui-monospace,monospace}pre{background:#f5f6f7;padding:.75rem;overflow:auto;max-height:24rem}
p,summary{overflow-wrap:anywhere}.stamp pre{white-space:pre-wrap;overflow-wrap:anywhere}table{border-collapse:collapse}td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #ddd}td{font-size:13px}td:first-child{white-space:nowrap}.stamp div{overflow:auto}
summary{cursor:pointer;padding:.35rem 0}summary code{font-weight:600}h2{margin-top:2rem;border-bottom:1px solid #ddd}small{color:#57606a}`;

function htmlOf(block: Block): string {
  if ('text' in block) return `<p>${escaped(block.text)}</p>`;
  if ('code' in block) return `<pre>${escaped(block.code)}</pre>`;
  const rows = block.rows.map((row, i) => {
    const cell = i === 0 ? 'th' : 'td';
    return `<tr>${row.map((text) => `<${cell}>${escaped(text)}</${cell}>`).join('')}</tr>`;
  });
  return `<div><table>${rows.join('')}</table></div>`;
}

const section = ({ title, blocks }: Explained): string => `<h3>${escaped(title)}</h3>${blocks.map(htmlOf).join('')}`;

/** A readable page of both API documents, without scripts or external resources. */
export function docsPage(document: unknown, authProxy: unknown): string {
  const { info, paths } = document as Document;
  const all = { ...paths, ...(authProxy as Document).paths };
  const groups = Map.groupBy(Object.entries(all), ([, { post }]) => post.tags?.[0] ?? 'OTHER');
  const sections = [...groups].map(([tag, operations]) => {
    const rows = operations.map(
      ([path, { post }]) =>
        `<details><summary><code>${escaped(path)}</code> <small>${escaped(post.summary ?? '')}</small></summary>` +
        `<p>${escaped(post.description ?? '')}</p><pre>${escaped(JSON.stringify({ request: post.requestBody, answer: post.responses?.[200] }, null, 2))}</pre></details>`,
    );
    return `<h2>${escaped(tag)}</h2>${rows.join('')}`;
  });
  return (
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escaped(info.title)} API</title>` +
    `<style>${STYLE}</style><h1>${escaped(info.title)} API <small>${escaped(info.version)}</small></h1><p>${escaped(info.description)}</p>` +
    `<p>As data: <a href="/openapi.json">/openapi.json</a>. The auth proxy, which takes no stamp: <a href="/auth-proxy.openapi.json">/auth-proxy.openapi.json</a></p>` +
    `<div class="stamp"><h2>How a request is stamped</h2>${section(BY_API_KEY)}${section(BY_PASSKEY)}${section(BY_ATTESTATION)}${section(BY_SESSION)}</div>${sections.join('')}</html>`
  );
}
