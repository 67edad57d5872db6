import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'

const CHUNK_BYTES = 1 << 18

/**
 * The bytes of a file in pieces, decompressed if the file is gzip, without a byte order mark. A piece is valid until the
 * next one is read.
 */
export async function* readPieces(
  path: string,
  onProgress?: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const isCompressed = (await firstBytes(path, 2)).equals(Buffer.from([0x1f, 0x8b]))
  let isFirst = true
  for await (const piece of isCompressed
    ? decompressedPieces(path, onProgress)
    : plainPieces(path, onProgress)) {
    yield isFirst && piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf ? piece.subarray(3) : piece
    isFirst = false
  }
}

/** Reuses one buffer, because a stream allocates memory for each piece. */
async function* plainPieces(path: string, onProgress?: (bytes: number) => void): AsyncGenerator<Buffer> {
  const file = await open(path)
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    for (let at = 0; ; ) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, at)
      if (bytesRead === 0) return
      at += bytesRead
      onProgress?.(at)
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

async function* decompressedPieces(
  path: string,
  onProgress?: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  const [file, gunzip] = [createReadStream(path), createGunzip({ chunkSize: CHUNK_BYTES })]
  // A pipe does not forward errors.
  file.once('error', (error) => gunzip.destroy(error))
  try {
    for await (const piece of file.pipe(gunzip) as AsyncIterable<Buffer>) {
      onProgress?.(file.bytesRead)
      yield piece
    }
  } finally {
    file.destroy()
    gunzip.destroy()
  }
}

export async function firstBytes(path: string, length: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

export const sourceSize = async (path: string): Promise<number> => (await stat(path)).size

/** The first bytes of a text file, decompressed: at least `bytesMin`, unless the file is shorter. */
export async function headOf(path: string, bytesMin: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of readPieces(path)) {
    pieces.push(Buffer.from(piece))
    bytes += piece.length
    if (bytes >= bytesMin) break
  }
  return Buffer.concat(pieces)
}
