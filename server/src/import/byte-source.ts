import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'

const CHUNK_BYTES = 1 << 18

/**
 * Pieces of a file, unpacked if it is gzip, without the mark that some programs put before text. A piece is good until
 * the next one is asked for.
 */
export async function* readPieces(path: string, told?: (bytes: number) => void): AsyncGenerator<Buffer> {
  const isPacked = (await firstBytes(path, 2)).equals(Buffer.from([0x1f, 0x8b]))
  let isFirst = true
  for await (const piece of isPacked ? unpacked(path, told) : plainPieces(path, told)) {
    yield isFirst && piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf ? piece.subarray(3) : piece
    isFirst = false
  }
}

/** All in the same memory: a stream would take new memory for each, and the collector's time. */
async function* plainPieces(path: string, told?: (bytes: number) => void): AsyncGenerator<Buffer> {
  const file = await open(path)
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    for (let at = 0; ; ) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, at)
      if (bytesRead === 0) return
      at += bytesRead
      told?.(at)
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

async function* unpacked(path: string, told?: (bytes: number) => void): AsyncGenerator<Buffer> {
  const [file, gunzip] = [createReadStream(path), createGunzip({ chunkSize: CHUNK_BYTES })]
  // A pipe does not pass errors on.
  file.once('error', (error) => gunzip.destroy(error))
  try {
    for await (const piece of file.pipe(gunzip) as AsyncIterable<Buffer>) {
      told?.(file.bytesRead)
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

export const sizeOf = async (path: string): Promise<number> => (await stat(path)).size

/** The beginning of a text file, unpacked: at least so many bytes, unless it has fewer. */
export async function headOf(path: string, least: number): Promise<Buffer> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of readPieces(path)) {
    pieces.push(Buffer.from(piece))
    bytes += piece.length
    if (bytes >= least) break
  }
  return Buffer.concat(pieces)
}
