import type { Read } from './answer.ts';
import { type Contents, contents, isKnown, takes } from './pages.ts';

/** A file that a build has packed already. */
export type PackedFile = {
  type: string;
  headers: Readonly<Record<string, string>>;
  plain: Buffer;
  gzip: Buffer | undefined;
  br: Buffer | undefined;
};

const ENCODINGS = ['br', 'gzip'] as const;

/** The tag of each form is made when it is first requested. */
export function readPacked(file: PackedFile): Read {
  const made = new Map<Buffer, Contents>();
  const { type, headers: own } = file;
  return (request, response) => {
    const encoding = ENCODINGS.find((one) => file[one] !== undefined && takes(request.headers['accept-encoding'], one));
    const body = (encoding && file[encoding]) ?? file.plain;
    const { bytes, etag } = made.get(body) ?? contents(body);
    if (!made.has(body)) made.set(body, { bytes, etag });
    const headers = { ...own, etag, vary: 'Accept-Encoding', ...(encoding && { 'content-encoding': encoding }) };
    if (isKnown(request.headers['if-none-match'], etag)) response.writeHead(304, headers).end();
    else response.writeHead(200, { ...headers, 'content-type': type, 'content-length': bytes.length }).end(bytes);
  };
}
