/** Writes a screenshot as a small PNG: pages have few colours, so a byte a pixel names one of 256. */
import { crc32, deflateSync } from 'node:zlib';
import type { Browser } from '../../tests/support/chromium.ts';

type Pixels = { width: number; height: number; rgba: Buffer };

/** The browser decodes its own picture. */
async function pixelsOf(browser: Browser, png: Buffer): Promise<Pixels> {
  const page = await browser.page('about:blank');
  try {
    const { width, height, text } = await page.evaluate(async (data) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
      const context = new OffscreenCanvas(image.width, image.height).getContext('2d')!;
      context.drawImage(image, 0, 0);
      const { data: bytes } = context.getImageData(0, 0, image.width, image.height);
      const text = (new Uint8Array(bytes.buffer) as unknown as { toBase64(): string }).toBase64();
      return { width: image.width, height: image.height, text };
    }, png.toString('base64'));
    return { width, height, rgba: Buffer.from(text, 'base64') };
  } finally {
    await page.close();
  }
}

const distance = (a: number, b: number): number =>
  [16, 8, 0].reduce((sum, shift) => sum + (((a >> shift) & 255) - ((b >> shift) & 255)) ** 2, 0);

/** The 256 colours that most pixels have, and for each pixel the place of the nearest. */
function indexed({ rgba }: Pixels): { palette: number[]; places: Buffer } {
  const colours = Array.from({ length: rgba.length / 4 }, (_, i) => rgba.readUIntBE(i * 4, 3));
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const palette = [...counts]
    .sort(([a, m], [b, n]) => n - m || a - b)
    .slice(0, 256)
    .map(([colour]) => colour);
  const nearest = (colour: number) =>
    palette.reduce((best, one, i) => (distance(one, colour) < distance(palette[best]!, colour) ? i : best), 0);
  const placeOf = new Map([...counts.keys()].map((colour) => [colour, nearest(colour)]));
  return { palette, places: Buffer.from(colours.map((colour) => placeOf.get(colour)!)) };
}

function chunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** PNG, third edition: https://www.w3.org/TR/png-3/ */
export async function smallPng(browser: Browser, png: Buffer): Promise<Buffer> {
  const pixels = await pixelsOf(browser, png);
  const { width, height } = pixels;
  const { palette, places } = indexed(pixels);
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Each row begins with its filter: none.
  const rows = Array.from({ length: height }, (_, y) => [Buffer.of(0), places.subarray(y * width, (y + 1) * width)]).flat();
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))),
    chunk('IDAT', deflateSync(Buffer.concat(rows), { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
