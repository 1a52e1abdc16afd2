import { escapeHtml } from './template.ts';

/** One part of a mail's body. Values are plain text: they are escaped here. */
export type Block =
  | { text: string }
  | { code: string }
  | { bundle: string }
  | { button: string; link: string }
  | { note: string };

const FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,'Liberation Mono',monospace";

// Classes are for mail programs that know dark mode; others read the style attributes.
const DARK = `
  :root { color-scheme: light dark; supported-color-schemes: light dark; }
  @media (prefers-color-scheme: dark) {
    .page { background: #111418 !important; }
    .card { background: #1b2026 !important; border-color: #2c333b !important; }
    .ink { color: #f0f3f6 !important; }
    .soft { color: #a3adb8 !important; }
    .box { background: #262d35 !important; border-color: #38424d !important; color: #f0f3f6 !important; }
    .button { background: #e8edf2 !important; color: #14181c !important; }
    .logo { background: #ffffff !important; color: #1c2127 !important; }
  }
  @media (max-width: 520px) {
    .card { padding: 28px 22px !important; }
    .code { font-size: 26px !important; letter-spacing: 3px !important; }
  }`;

function htmlOf(block: Block): string {
  if ('text' in block)
    return `<p class="ink" style="margin:0 0 20px;font-size:16px;line-height:1.5;color:#1c2127">${escapeHtml(block.text)}</p>`;
  if ('note' in block)
    return `<p class="soft" style="margin:0 0 10px;font-size:13px;line-height:1.5;color:#5b6670">${escapeHtml(block.note)}</p>`;
  if ('code' in block)
    return `<div class="box code" style="margin:0 0 22px;padding:18px 12px;border:1px solid #d9dfe5;border-radius:10px;background:#f4f6f8;color:#1c2127;font-family:${MONO};font-size:32px;line-height:1.2;letter-spacing:5px;text-align:center;font-weight:600">${escapeHtml(block.code)}</div>`;
  if ('bundle' in block)
    return `<div class="box" style="margin:0 0 22px;padding:14px 16px;border:1px solid #d9dfe5;border-radius:10px;background:#f4f6f8;color:#1c2127;font-family:${MONO};font-size:14px;line-height:1.6;word-break:break-all">${escapeHtml(block.bundle)}</div>`;
  return `<p style="margin:0 0 24px"><a class="button" href="${escapeHtml(block.link)}" style="display:inline-block;padding:13px 26px;border-radius:8px;background:#1c2127;color:#ffffff;font-size:16px;font-weight:600;text-decoration:none">${escapeHtml(block.button)}</a></p>`;
}

const logoOf = (url: string, name: string): string =>
  `<div style="margin:0 0 28px"><img class="logo" src="${escapeHtml(url)}" alt="${escapeHtml(name)}" style="display:block;max-width:340px;max-height:124px;width:auto;height:auto;border:0;border-radius:6px"></div>`;

/** A mail as HTML. It loads nothing but the logo. `preview`: the text that lists of mails show beside the subject. */
export function htmlMail({
  title,
  name,
  logoUrl,
  preview,
  blocks,
}: {
  title: string;
  name: string;
  logoUrl: string | undefined;
  preview: string;
  blocks: readonly Block[];
}): string {
  const head = logoUrl
    ? logoOf(logoUrl, name)
    : `<p class="soft" style="margin:0 0 24px;font-size:14px;font-weight:600;letter-spacing:.2px;color:#5b6670">${escapeHtml(name)}</p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${escapeHtml(title)}</title>
<style>${DARK}
</style>
</head>
<body class="page" style="margin:0;padding:0;background:#eef1f4">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preview)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#eef1f4;table-layout:fixed"><tr><td align="center" style="padding:32px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:520px;table-layout:fixed"><tr>
<td class="card" style="padding:36px 40px;border:1px solid #dfe4e9;border-radius:14px;background:#ffffff;font-family:${FONT};text-align:left;overflow-wrap:anywhere;word-break:break-word">
${head}
<h1 class="ink" style="margin:0 0 16px;font-size:22px;line-height:1.3;color:#1c2127">${escapeHtml(title)}</h1>
${blocks.map(htmlOf).join('\n')}
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

/** The same as plain text. A code is written as `code: 123456`; a bundle and a link are alone on their lines. */
export function textMail(title: string, blocks: readonly Block[]): string {
  const lines = blocks.map((block) => {
    if ('text' in block) return block.text;
    if ('note' in block) return block.note;
    if ('code' in block) return `code: ${block.code}`;
    if ('bundle' in block) return block.bundle;
    return `${block.button}:\n${block.link}`;
  });
  return `${[title, ...lines].join('\n\n')}\n`;
}
