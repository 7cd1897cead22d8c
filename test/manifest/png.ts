import { inflateSync } from 'node:zlib';

/** Four bytes per pixel (red, green, blue, alpha), row by row. */
export type Picture = { width: number; height: number; rgba: Uint8Array };

/** Reads a PNG as Chromium writes it: 8 bits per channel, RGB or RGBA, not interlaced (PNG, third edition). Else throws. */
export function readPng(file: Buffer): Picture {
  if (!file.subarray(0, 8).equals(SIGNATURE)) throw new Error('not a PNG');
  const chunks = readChunks(file);
  const header = chunks.find(({ type }) => type === 'IHDR')?.data ?? Buffer.alloc(13);
  const channels = CHANNELS[header[9] ?? 0];
  if (header[8] !== 8 || channels === undefined || header[12] !== 0)
    throw new Error('unsupported kind of PNG');

  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const packed = Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const samples = unfilter(inflateSync(packed), width * channels, height, channels);
  const rgba = new Uint8Array(width * height * 4).fill(255);
  samples.forEach((sample, at) => {
    rgba[Math.floor(at / channels) * 4 + (at % channels)] = sample;
  });
  return { width, height, rgba };
}

const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

/** Keys are colour types. */
const CHANNELS: Readonly<Record<number, number>> = { 2: 3, 6: 4 };

function readChunks(file: Buffer): { type: string; data: Buffer }[] {
  const chunks = [];
  for (let at = 8; at < file.length; ) {
    const length = file.readUInt32BE(at);
    chunks.push({
      type: file.toString('latin1', at + 4, at + 8),
      data: file.subarray(at + 8, at + 8 + length),
    });
    at += length + 12;
  }
  return chunks;
}

/** Undoes the filter that each row names in its first byte (section 9.2). */
function unfilter(filtered: Buffer, rowBytes: number, rows: number, step: number): Uint8Array {
  const out = new Uint8Array(rowBytes * rows);
  for (let row = 0; row < rows; row++) {
    const filter = filtered[row * (rowBytes + 1)];
    for (let column = 0; column < rowBytes; column++) {
      const at = row * rowBytes + column;
      const left = column < step ? 0 : (out[at - step] ?? 0);
      const up = out[at - rowBytes] ?? 0;
      const upLeft = column < step ? 0 : (out[at - rowBytes - step] ?? 0);
      const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter ?? 0] ?? 0;
      out[at] = (filtered[row * (rowBytes + 1) + 1 + column] ?? 0) + predicted;
    }
  }
  return out;
}

function paeth(left: number, up: number, upLeft: number): number {
  const estimate = left + up - upLeft;
  const [fromLeft, fromUp, fromUpLeft] = [left, up, upLeft].map((each) => Math.abs(estimate - each)) as [
    number,
    number,
    number,
  ];
  if (fromLeft <= fromUp && fromLeft <= fromUpLeft) return left;
  return fromUp <= fromUpLeft ? up : upLeft;
}
