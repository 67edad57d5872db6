import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { createGunzip } from 'node:zlib'

const CHUNK_BYTES = 1 << 18

/** Pieces of a file, unpacked if it is gzip, without the mark that some programs put before text. */
export async function* readPieces(path: string, told?: (bytes: number) => void): AsyncGenerator<Buffer> {
  const isPacked = (await firstBytes(path, 2)).equals(Buffer.from([0x1f, 0x8b]))
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  const pieces = isPacked ? file.pipe(gunzip) : file
  // A pipe does not pass errors on.
  if (isPacked) file.once('error', (error) => gunzip.destroy(error))
  let isFirst = true
  try {
    for await (const piece of pieces as AsyncIterable<Buffer>) {
      told?.(file.bytesRead)
      yield isFirst && piece[0] === 0xef && piece[1] === 0xbb && piece[2] === 0xbf ? piece.subarray(3) : piece
      isFirst = false
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
    pieces.push(piece)
    bytes += piece.length
    if (bytes >= least) break
  }
  return Buffer.concat(pieces)
}
