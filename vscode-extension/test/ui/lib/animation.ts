import zlib from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** One PNG of pictures of the same size, each shown for some seconds, over and over (https://www.w3.org/TR/png-3/#apng-frame-based-animation). */
export function animated(frames: { png: Buffer; seconds: number }[]): Buffer {
  const out: Buffer[] = [signature];
  let sequence = 0;
  frames.forEach(({ png, seconds }, n) => {
    const parts = chunks(png);
    const head = parts.find(({ type }) => type === 'IHDR')!.data;
    if (n === 0) out.push(chunk('IHDR', head), chunk('acTL', numbers(frames.length, 0)));
    const duration = Buffer.alloc(6);
    duration.writeUInt16BE(seconds * 100, 0);
    duration.writeUInt16BE(100, 2);
    out.push(chunk('fcTL', Buffer.concat([numbers(sequence++), head.subarray(0, 8), numbers(0, 0), duration])));
    for (const { type, data } of parts)
      if (type === 'IDAT') out.push(n === 0 ? chunk('IDAT', data) : chunk('fdAT', Buffer.concat([numbers(sequence++), data])));
  });
  return Buffer.concat([...out, chunk('IEND', Buffer.alloc(0))]);
}

function chunks(png: Buffer): { type: string; data: Buffer }[] {
  const out = [];
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    out.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return out;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([numbers(data.length), body, numbers(zlib.crc32(body))]);
}

function numbers(...values: number[]): Buffer {
  const out = Buffer.alloc(4 * values.length);
  values.forEach((v, i) => out.writeUInt32BE(v, 4 * i));
  return out;
}
