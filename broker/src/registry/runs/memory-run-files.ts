import type { RunFiles } from './run-files.ts'

/** Files in memory, for a server that keeps nothing. */
export function memoryRunFiles(): RunFiles {
  const files = new Map<string, { readonly bytes: Uint8Array; readonly atMs: number }>()
  return {
    write: (file, bytes) => {
      files.set(file, { bytes: Uint8Array.from(bytes), atMs: Date.now() })
      return Promise.resolve()
    },
    read: (file) => {
      const found = files.get(file)
      return Promise.resolve(found && oneOf(found.bytes))
    },
    delete: (file) => {
      files.delete(file)
      return Promise.resolve()
    },
    sweep: ({ isKept, olderThanMs }) => {
      for (const [file, { atMs }] of files)
        if (!isKept(file) && Date.now() - atMs >= olderThanMs) files.delete(file)
      return Promise.resolve()
    },
  }
}

async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes)
}
