import fs from 'node:fs';
import path from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';

/** Packs the folder of an extension into a .vsix, which is a zip with the extension under `extension/`. */
export function packVsix(folder: string, out: string): string {
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile())
    .map((e) => path.join(e.parentPath, e.name));
  fs.writeFileSync(out, zip(files.map((f) => [`extension/${path.relative(folder, f).split(path.sep).join('/')}`, fs.readFileSync(f)])));
  return out;
}

/** The smallest zip that VS Code reads: deflated entries and a directory, no dates. */
function zip(entries: [name: string, data: Buffer][]): Buffer {
  const body: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, data] of entries) {
    const label = Buffer.from(name);
    const packed = deflateRawSync(data);
    const common = Buffer.alloc(26); // what the local header and the directory entry share
    common.writeUInt16LE(20, 0); // version needed
    common.writeUInt16LE(0x800, 2); // names are UTF-8
    common.writeUInt16LE(8, 4); // deflate
    common.writeUInt16LE(0x21, 8); // 1980-01-01
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(data.length, 18);
    common.writeUInt16LE(label.length, 22);
    const local = [Buffer.from('PK\x03\x04'), common, label, packed];
    const entry = Buffer.alloc(14);
    entry.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), common, entry, label);
    body.push(...local);
    offset += local.reduce((n, b) => n + b.length, 0);
  }
  const size = directory.reduce((n, b) => n + b.length, 0);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(size, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...body, ...directory, Buffer.from('PK\x05\x06'), end]);
}
