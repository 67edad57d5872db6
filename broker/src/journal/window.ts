import { type FileHandle, open } from 'node:fs/promises'

/** Each window is larger than the last: small files need little memory, large files few reads. */
const FIRST_BYTES = 32 * 1024
const WINDOW_BYTES = 1024 * 1024

/** Reads a file through a buffer that follows the requested offsets. */
export class JournalWindow {
  readonly path: string
  readonly #handle: FileHandle
  #bytes: Buffer = Buffer.alloc(0)
  #start = 0
  #next = FIRST_BYTES

  constructor(path: string, handle: FileHandle) {
    this.path = path
    this.#handle = handle
  }

  static async open(path: string): Promise<JournalWindow> {
    return new JournalWindow(path, await open(path, 'r'))
  }

  /** The bytes at an offset; fewer at the end of the file. */
  async at(offset: number, length: number): Promise<Buffer> {
    const start = offset - this.#start
    if (start < 0 || start + length > this.#bytes.length) {
      await this.#fill(offset, Math.max(length, this.#next))
      return this.#bytes.subarray(0, length)
    }
    return this.#bytes.subarray(start, start + length)
  }

  /** Drops the buffer, because the file may have grown. */
  forget(): void {
    this.#bytes = Buffer.alloc(0)
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }

  async #fill(offset: number, length: number): Promise<void> {
    const bytes = Buffer.allocUnsafe(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, length - filled, offset + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    this.#bytes = bytes.subarray(0, filled)
    this.#start = offset
    if (filled === length) this.#next = Math.min(4 * this.#next, WINDOW_BYTES)
  }
}
