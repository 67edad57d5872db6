import fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'

/** The calls of `node:fs/promises` that the program uses, finished in the same turn. */
export function promptFiles() {
  const open = new Set<number>()
  const close = (file: number): void => {
    if (open.delete(file)) fs.closeSync(file)
  }
  const handleOf = (file: number) => ({
    fd: file,
    read: async (bytes: Buffer, at: number, length: number, from: number) => ({
      bytesRead: fs.readSync(file, bytes, at, length, from),
      buffer: bytes,
    }),
    appendFile: async (text: string) => fs.appendFileSync(file, text),
    sync: async () => fs.fsyncSync(file),
    close: async () => close(file),
  })
  return {
    calls: {
      open: async (path: string, flags = 'r', mode = 0o666) => {
        const file = fs.openSync(path, flags, mode)
        open.add(file)
        return handleOf(file) as unknown as FileHandle
      },
      readdir: async (path: string) => fs.readdirSync(path),
      readFile: async (path: string) => fs.readFileSync(path),
      stat: async (path: string) => fs.statSync(path),
      mkdir: async (path: string, options: fs.MakeDirectoryOptions) => fs.mkdirSync(path, options),
      rename: async (from: string, to: string) => fs.renameSync(from, to),
      rm: async (path: string, options: fs.RmOptions) => fs.rmSync(path, options),
    },
    /** Closes files that an ended process left open. */
    closeAll(): void {
      for (const file of open) close(file)
    },
  }
}
