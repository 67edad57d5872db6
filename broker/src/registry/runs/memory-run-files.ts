import type { RunFiles } from './run-files.ts'

/** Files in memory, for a server that keeps nothing. */
export function memoryRunFiles(): RunFiles {
  const files = new Map<string, { readonly bytes: Uint8Array; readonly atMs: number }>()
  return {
    write: (run, bytes) => {
      files.set(run, { bytes: Uint8Array.from(bytes), atMs: Date.now() })
      return Promise.resolve()
    },
    read: (run) => {
      const file = files.get(run)
      return Promise.resolve(file && oneOf(file.bytes))
    },
    delete: (run) => {
      files.delete(run)
      return Promise.resolve()
    },
    sweep: (isKept, olderThanMs) => {
      for (const [run, { atMs }] of files)
        if (!isKept(run) && Date.now() - atMs >= olderThanMs) files.delete(run)
      return Promise.resolve()
    },
  }
}

async function* oneOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes)
}
